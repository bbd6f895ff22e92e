// The page Final exam: the tasks of a seed are drawn, and the answers graded, by the book's own Python in a worker, which
// also writes the verdicts as HTML. Answers stay in this browser. Python comes when a hand comes to the exam.

import { Machine, Stopped, vouched } from "./live/runtime.js";
import * as store from "./live/store.js";

const SAID_MS = 2500;
const LARGEST_SEED = 1_000_000; // of those that the button draws
const MOST_SHOWN = 20;
const SEED_KEY = "exam/seed";

const machine = new Machine();
const exams = new WeakMap();

// Wakes the exam that stands in a page; the page may come again by instant navigation.
export function show(element) {
  if (!exams.has(element)) {
    exams.set(element, new Exam(element));
  }
}

class Exam {
  constructor(element) {
    this.element = element;
    this.seed = Number(element.dataset.seed);
    this.seedForm = element.querySelector(".exam-seed");
    this.note = element.querySelector(".exam-note");
    this.end = element.querySelector(".exam-end");
    this.certificate = element.querySelector(".exam-certificate");
    this.tasks = [...element.querySelectorAll(".exam-task")].map((section, i) => new Task(this, section, i + 1));
    this.work = Promise.resolve();
    this.doing = ""; // said while Python comes
    this.draws = 0; // that are under way
    this.sum = this.end.querySelector("[data-part=points]");
    this.noPoints = this.sum.textContent;
    element.addEventListener("pointerdown", () => this.warm());
    element.addEventListener("focusin", () => this.warm());
    this.seedForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.draw(this.seedForm.elements.seed.value);
    });
    element.querySelector("[data-new]").addEventListener("click", () => this.draw(String(Math.floor(Math.random() * LARGEST_SEED))));
    element.querySelector("[data-all]").addEventListener("click", () => this.tasks.forEach((task) => task.grade()));
    this.end.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.certify(event.target.elements.name);
    });
    element.querySelector("[data-copy]").addEventListener("click", () => this.copy());
    element.querySelector("[data-save]").addEventListener("click", () => this.save());
    const kept = store.get(SEED_KEY)?.text;
    if (/^\d{1,10}$/.test(kept ?? "") && Number(kept) !== this.seed) {
      this.seedForm.elements.seed.value = kept;
      this.draw(kept);
    } else {
      this.fillAnswers();
    }
  }

  warm() {
    machine.start(this.element.dataset.subject).catch(() => {}); // what asks for an answer says what failed
  }

  // Does one thing after the other: Python answers one at a time.
  after(task) {
    this.element.ariaBusy = "true";
    const mine = this.work.then(task).catch((error) => {
      if (!(error instanceof Stopped)) {
        this.say(failure(error), true);
      }
    });
    this.work = mine;
    return mine.finally(() => {
      if (this.work === mine) {
        this.element.removeAttribute("aria-busy");
      }
    });
  }

  async ask(name, parameters) {
    const { subject, module } = this.element.dataset;
    await machine.start(subject, (text) => this.say(`${this.doing} ${text}`.trim()));
    const answer = await machine.call(subject, module, name, parameters);
    this.say("");
    return answer;
  }

  // Draws the tasks of a seed. Until they are there nothing can be answered: what stands there is of another seed.
  draw(written) {
    this.draws += 1;
    this.close();
    this.doing = `Drawing the tasks of seed ${written.trim().slice(0, MOST_SHOWN)} …`;
    this.say(this.doing);
    return this.after(async () => {
      this.say(this.doing);
      const { error, seed, tasks } = JSON.parse(await this.ask("exam_view", [written]));
      this.seedForm.elements.seed.ariaInvalid = error ? "true" : null;
      if (error) {
        this.say(error, true);
        return;
      }
      this.seed = seed;
      this.seedForm.elements.seed.value = String(seed);
      store.put(SEED_KEY, { text: String(seed) });
      tasks.forEach((html, i) => this.tasks[i].fill(html));
      this.certificate.hidden = true;
      this.fillAnswers();
      this.say(`These are the tasks of seed ${seed}.`);
    }).finally(() => {
      this.draws -= 1;
      if (!this.draws) {
        this.doing = "";
        this.close();
      }
    });
  }

  // Disables what answers, while other tasks are drawn.
  close() {
    for (const field of this.element.querySelectorAll(":is(.exam-task, .exam-end) :is(input, button)")) {
      field.disabled = this.draws > 0;
    }
  }

  fillAnswers() {
    this.tasks.forEach((task) => task.recall());
    const graded = this.tasks.some((task) => task.points !== undefined);
    this.sum.textContent = (graded && store.get(this.sumKey)?.text) || this.noPoints;
  }

  get sumKey() {
    return `exam/${this.seed}/points`;
  }

  count() {
    const graded = this.tasks.filter((task) => task.points !== undefined);
    const points = graded.reduce((sum, task) => sum + task.points, 0);
    if (graded.length) {
      this.after(async () => {
        const html = await this.ask("points_html", [points, graded.length]);
        this.sum.innerHTML = vouched.createHTML(html);
        store.put(this.sumKey, { text: this.sum.textContent });
      });
    }
  }

  // Makes the certificate, which grades all answers; so the page grades those first that it has not graded as they stand.
  certify({ value: name, dataset }) {
    const letters = [...name].length;
    if (letters > Number(dataset.most)) {
      this.say(`The name must have at most ${dataset.most} characters, got ${letters}.`, true);
      return undefined;
    }
    this.tasks.filter((task) => task.input.value.trim() && task.graded !== task.input.value).forEach((task) => task.grade());
    return this.after(async () => {
      this.say("Grading all five …");
      const answers = this.tasks.map((task) => task.input.value);
      const now = new Date();
      const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
      this.text = await this.ask("certificate_view", [this.seed, answers, name, date]);
      this.certificate.querySelector("pre").textContent = this.text;
      this.certificate.hidden = false;
    });
  }

  async copy() {
    const said = this.certificate.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(this.text);
      said.textContent = "The certificate is copied.";
    } catch {
      said.textContent = "This browser lets no page copy.";
    }
    setTimeout(() => {
      said.textContent = "";
    }, SAID_MS);
  }

  save() {
    const url = URL.createObjectURL(new Blob([this.text], { type: "text/plain" }));
    Object.assign(document.createElement("a"), { href: url, download: `final-exam-${this.seed}.txt` }).click();
    setTimeout(() => URL.revokeObjectURL(url), SAID_MS);
  }

  say(text, problem = false) {
    this.note.textContent = text;
    this.note.classList.toggle("problem", problem);
  }
}

class Task {
  constructor(exam, section, number) {
    this.exam = exam;
    this.section = section;
    this.number = number;
    this.input = section.querySelector("[name=answer]");
    this.verdict = section.querySelector("[data-part=verdict]");
    this.fold = section.querySelector(".exam-solution");
    this.points = undefined;
    this.graded = undefined; // the answer that has these points
    section.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.grade();
    });
    this.input.addEventListener("input", () => this.keep("draft"));
    this.fold.addEventListener("toggle", () => this.fold.open && this.solve());
  }

  get key() {
    return `exam/${this.exam.seed}/${this.number}`;
  }

  fill(html) {
    this.section.querySelector("[data-part=task]").innerHTML = vouched.createHTML(html);
  }

  // Keeps the answer. What was once tried stays so: its solution may be looked at.
  keep(state) {
    const before = store.get(this.key)?.state;
    if (state !== "draft" || this.input.value || before) {
      const entry = { text: this.input.value, state: state === "draft" && before ? before : state };
      store.put(this.key, this.points === undefined ? entry : { ...entry, points: this.points });
    }
  }

  // Brings back what this browser has of the task.
  recall() {
    const kept = store.get(this.key);
    this.input.value = kept?.text ?? "";
    this.points = Number.isInteger(kept?.points) ? kept.points : undefined;
    this.graded = undefined;
    this.fold.open = false;
    this.fold.hidden = !["tried", "solved"].includes(kept?.state);
    const had = this.points === undefined ? "" : `It had ${this.points} points. `;
    const before = !this.fold.hidden || had;
    this.verdict.textContent = before ? `You have had this task graded before. ${had}Grade it again to see the verdict.` : "";
  }

  grade() {
    const { exam } = this;
    return exam.after(async () => {
      const answer = this.input.value;
      exam.say(`Grading task ${this.number} …`);
      const { html, points, solved, answered, tried } = JSON.parse(await exam.ask("graded_view", [exam.seed, this.number, answer]));
      this.verdict.innerHTML = vouched.createHTML(html);
      this.points = answered ? points : undefined;
      this.graded = answer;
      if (!tried) {
        this.keep("draft");
      } else {
        this.keep(solved ? "solved" : "tried");
        this.fold.hidden = false;
        this.fold.open = false;
      }
      exam.count();
    });
  }

  solve() {
    const { exam } = this;
    return exam.after(async () => {
      const html = await exam.ask("solution_view", [exam.seed, this.number, this.input.value]);
      this.fold.querySelector("[data-part=solution]").innerHTML = vouched.createHTML(html);
    });
  }
}

function failure(error) {
  const reason = String(error.message).split("\n").filter(Boolean).at(-1);
  const offline = navigator.onLine === false || /fetch|network|load/i.test(reason);
  return offline
    ? `Python could not be loaded (${reason}). Your answers are kept; try again when there is a connection.`
    : `This could not be graded (${reason}). Please report it.`;
}
