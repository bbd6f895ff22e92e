// In-page exercises: an editor, Python in workers, and what is kept of the answers. Loaded when a reader first presses
// a button of an exercise or of a board. What the reader writes or prints is text on the page, never HTML.

import { createEditor } from "./editor.js";
import { drawingsOf, errorOf, linesOf, textsOf, verdictOf } from "./received.js";
import { Machine, Stopped } from "./runtime.js";
import * as store from "./store.js";

const DOOR = "grader.page";
const LIMIT_S = 10; // as in a terminal: for a run from its start, for grading from the last sign of life
const MOST_S = 60; // for grading in all, whatever signs of life there are
const JUDGE_S = 30; // for the judge, whatever it is told of an answer
const LOOK_S = 4; // for looking once more at what did not end
const LARGEST_BYTES = 1_000_000; // of a file that is taken in
const SAVE_MS = 250;
const SHOWN = 10_000; // characters of the first and of the last part of what is printed
const NOT_KEPT =
  "This browser does not keep what you write here (its storage is full or forbidden): copy or export it before you leave.";

const NOT_LOADED = "Is there a connection? A file that is not the one this book was made with is refused, too.";

// Each text is executed by a Python that has executed none, and that is ended then. The first of the spares is the next.
const spares = [new Machine(), new Machine()];
let executing; // the one that executes a text, or is about to
const judge = new Machine(); // executes no text of a reader's: judges what it is told, packs and unpacks files
const panels = new Map();
let busy; // whoever has Python: {say, stop}

// Does what a button of an exercise that is not open yet, or of a board, says.
export function act(button) {
  const place = button.closest("[data-chapter]");
  const { chapter, name } = place.dataset;
  const work = { open: () => open(place, `${chapter}/${name}`), export: () => exportFrom(place), import: () => importTo(place) };
  return work[button.dataset.do]();
}

// Elements ------------------------------------------------------------------------------------------------------------

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

function button(text, click, attributes = {}) {
  return make("button", { type: "button", click, ...attributes }, text);
}

// Python --------------------------------------------------------------------------------------------------------------

class Late extends Error {}
class NotLoaded extends Error {}

// Starts a Python with the modules of a chapter's exercises; whoever waits for it is told how far that is.
async function startPython(python, chapter, progress = () => {}) {
  try {
    await python.start(subjectOf(chapter), progress);
  } catch (error) {
    throw error instanceof Stopped ? error : new NotLoaded(error.message);
  }
}

function subjectOf(chapter) {
  return `exercises/${chapter}`;
}

// Lets `owner` work with Python; one does at a time.
async function alone(owner, work) {
  busy = owner;
  try {
    return await work();
  } finally {
    busy = undefined;
  }
}

// Lets work execute a text, in a Python that has executed none.
async function freshly(owner, work) {
  try {
    await takeSpare(owner);
    return await work();
  } finally {
    executing.stop();
  }
}

// Ends the Python that has executed a text, if there is one, and has a spare in its place.
async function takeSpare(owner) {
  const { chapter, name } = owner;
  executing?.stop();
  executing = spares.shift();
  spares.push(new Machine());
  const cold = !executing.ready;
  await startPython(executing, chapter, (text) => owner.say(text));
  if (cold) {
    owner.say("Python is started.");
  }
  await warmUp(executing, chapter, name);
}

// Starts spares when something else is over, one after the other, so that the next text finds one. Who takes one that
// failed is told why.
async function startSpares({ chapter, name }, after) {
  await after;
  let cold;
  while ((cold = spares.find((python) => !python.ready))) {
    await warmUp(cold, chapter, name);
  }
}

// Does what comes before an exercise's time begins.
async function warmUp(python, chapter, name) {
  await startPython(python, chapter);
  await python.call(subjectOf(chapter), DOOR, "warm_up", [chapter, name]);
}

// Calls a function of the door that executes a text. It ends `limit_s` after its start or, where it tells of itself, after
// the last sign of life; and after MOST_S in any case.
async function execute(name, parameters, { printed, told, limit_s = LIMIT_S }) {
  const [chapter] = parameters;
  let late = false;
  let timer;
  const end = () => {
    late = true;
    executing.stop();
  };
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(end, limit_s * 1000);
  };
  const hear = (text) => {
    watch();
    if (text) {
      told(text);
    }
  };
  const latest = setTimeout(end, MOST_S * 1000);
  watch();
  try {
    return await executing.call(subjectOf(chapter), DOOR, name, parameters, { printed, told: told && hear, executes: true });
  } catch (error) {
    throw late ? new Late() : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(latest);
  }
}

// Calls a function of the door that executes no text.
async function askJudge(name, parameters) {
  const [chapter] = parameters;
  await startPython(judge, chapter);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    judge.stop();
  }, JUDGE_S * 1000);
  try {
    return await judge.call(subjectOf(chapter), DOOR, name, parameters);
  } catch (error) {
    if (!(error instanceof Stopped)) {
      judge.stop(); // whatever Python is in, the next call gets a new one
    }
    throw late ? new Error(`it took more than ${JUDGE_S} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}

// Returns the lines in which a text is that does not end, in words; "" where they are not found.
async function linesIn(owner, source, number) {
  const { chapter, name } = owner;
  owner.say("It takes too long: looking for the line.");
  let lines = "";
  try {
    await takeSpare(owner);
    const told = (text) => (lines ||= linesOf(text));
    await execute("where", [chapter, name, source, number], { told, limit_s: LOOK_S });
  } catch (error) {
    if (error instanceof Stopped) {
      throw error;
    }
  }
  return lines;
}

// Returns the verdict on a text, once the judge is there, and drawings of what the text does.
async function graded(owner, source, judging) {
  const { chapter, name } = owner;
  const told = [];
  let ended = []; // what the judge is to say of an answer that has not told all
  let late = "";
  try {
    await execute("show", [chapter, name, source], { told: (text) => told.push(text) });
  } catch (error) {
    if (error instanceof Stopped) {
      throw error;
    }
    ended = ["a result", "Python ended before that"];
    if (error instanceof Late) {
      const lines = await linesIn(owner, source, told.length - 1);
      ended = [`a result within ${LIMIT_S} s`, lines ? `still running (${lines})` : "still running: it was stopped"];
      late = `A call takes too long${lines && ` (${lines})`}. Does a loop never end?`;
    }
  }
  await judging;
  const verdict = verdictOf(await askJudge("grade", [chapter, name, told, ended]));
  verdict.says ||= late;
  const drawn = verdict.drawn === undefined || ended.length > 0 ? [] : execute("draw", [chapter, name, source, verdict.drawn], {});
  return { verdict, drawings: await Promise.resolve(drawn).then(drawingsOf).catch(() => []) };
}

function whyNot(error) {
  if (error instanceof NotLoaded) {
    return `Python could not be loaded. ${NOT_LOADED} What you wrote is safe.`;
  }
  return error instanceof Stopped ? "Stopped." : `Python failed, and is started anew: ${error.message}`;
}

// What is printed: the first and the last part of it, put on the page once for each picture that the screen shows.
class Output {
  #first = "";
  #last = "";
  #length = 0;
  #asked = 0;

  constructor(element) {
    this.element = element;
    element.textContent = "";
    element.hidden = true;
  }

  add(text) {
    this.#length += text.length;
    const room = SHOWN - this.#first.length;
    this.#first += text.slice(0, Math.max(room, 0));
    this.#last = (this.#last + text.slice(Math.max(room, 0))).slice(-SHOWN);
    this.#asked ||= requestAnimationFrame(() => this.show());
  }

  show() {
    cancelAnimationFrame(this.#asked);
    this.#asked = 0;
    const left = this.#length - this.#first.length - this.#last.length;
    const gap = left > 0 ? `\n… ${left.toLocaleString("en")} characters are left out …\n` : "";
    this.element.textContent = this.#first + gap + this.#last;
    this.element.hidden = this.#length === 0;
  }
}

// An exercise that is open --------------------------------------------------------------------------------------------

async function open(box, id) {
  if (panels.get(id)?.box === box) {
    return;
  }
  panels.get(id)?.close();
  const panel = new Panel(box, id);
  panels.set(id, panel);
  await panel.open();
}

class Panel {
  constructor(box, id) {
    this.box = box;
    this.id = id;
    this.chapter = box.dataset.chapter;
    this.name = box.dataset.name;
    this.stub = `${box.querySelector(".exercise-stub code").textContent.trimEnd()}\n`;
    this.note = box.querySelector(".exercise-note") ?? make("p", { class: "exercise-note", role: "status" });
    this.warning = make("p", { class: "exercise-note", role: "alert" });
    box.append(this.note);
  }

  async open() {
    const start = this.box.querySelector("[data-do=open]");
    start.setAttribute("aria-busy", "true");
    this.say("Loading the editor.");
    const place = make("div", { class: "exercise-editor" });
    this.box.querySelector(".exercise-bar").before(place);
    this.saved = store.get(this.id)?.text ?? this.stub;
    const help = `help-${this.name}`;
    try {
      this.editor = await createEditor({
        parent: place,
        text: this.saved,
        attributes: { "aria-label": `Your answer: ${this.name}`, "aria-describedby": help },
        changed: () => this.#changed(),
        keys: { "Mod-Enter": () => this.run(), "Shift-Mod-Enter": () => this.grade() },
      });
    } catch (error) {
      place.remove();
      panels.delete(this.id);
      start.removeAttribute("aria-busy");
      this.say(`The editor could not be loaded. ${NOT_LOADED} (${error.message})`);
      return;
    }
    const elsewhere = store.get(this.id)?.text; // another tab may have written while the editor was loaded
    if (elsewhere !== undefined && elsewhere !== this.saved) {
      this.#take(elsewhere);
    }
    this.#tools(start, help);
    this.forget = store.watch((id, entry, fromOutside) => id === this.id && fromOutside && this.#fromOutside(entry));
    this.say("");
    this.#warn();
    this.editor.focus();
  }

  #tools(start, help) {
    this.buttons = {
      run: button("Run", () => this.run(), { "aria-keyshortcuts": "Control+Enter" }),
      grade: button("Grade", () => this.grade(), { "aria-keyshortcuts": "Shift+Control+Enter", class: "exercise-main" }),
      stop: button("Stop", () => this.stop(), { "aria-disabled": "true" }),
      reset: button("Reset", () => this.replace(this.stub, "before Reset", "The stub is back.")),
    };
    start.replaceWith(...Object.values(this.buttons));
    this.pictures = make("div", { class: "panels exercise-pictures", role: "img", hidden: "" });
    this.result = make("pre", { class: "exercise-result", tabindex: "0", "aria-label": "What the grader says", hidden: "" });
    this.printed = make("pre", { class: "exercise-printed", tabindex: "0", "aria-label": "What is printed", hidden: "" });
    this.list = make("ul");
    this.versions = make("details", { class: "exercise-versions", toggle: () => this.#listVersions() });
    this.versions.append(make("summary", {}, "Earlier versions"), this.list);
    const control = /Mac|iP/.test(navigator.platform) ? "Cmd" : "Ctrl";
    const keys = `Tab indents; Escape, then Tab, leaves the editor. ${control}-Enter runs, Shift-${control}-Enter grades.`;
    this.note.before(make("p", { class: "exercise-help", id: help }, keys));
    this.note.after(this.warning, this.result, this.pictures, this.printed, this.versions);
  }

  close() {
    this.stop();
    this.save();
    this.forget?.();
    this.editor?.destroy();
    panels.delete(this.id);
  }

  // Says a sentence, and offers what can be done about it: [text, function] each.
  say(text, ...offers) {
    const buttons = offers.map(([offer, act]) => button(offer, act));
    this.note.replaceChildren(text, ...buttons.flatMap((one) => [" ", one]));
  }

  // Keeping

  #changed() {
    if (this.verdict && (this.editor.text() === this.verdict.source) !== this.verdict.ofThisText) {
      this.#sayVerdict();
    }
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), SAVE_MS);
  }

  save(changes = {}) {
    clearTimeout(this.saving);
    this.saving = undefined;
    const text = this.editor?.text() ?? this.saved;
    const kept = store.get(this.id);
    if (kept && kept.text !== this.saved && kept.text !== text) {
      store.keepVersion(this.id, kept.text, "from another tab");
    }
    if (text === this.stub && !changes.state) {
      if (kept) {
        store.remove(this.id);
      }
    } else if (text !== kept?.text || changes.state) {
      store.put(this.id, { state: kept?.state ?? "draft", text, changed: true, ...changes });
    }
    this.saved = text;
    this.#warn();
  }

  #warn() {
    if (store.safe()) {
      this.warning.replaceChildren();
    } else if (!this.warning.hasChildNodes()) {
      const copy = button("Copy", () => this.#copy());
      this.warning.append(NOT_KEPT, " ", copy, " ", button("Export", () => exportFrom(this.box, this)));
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.editor.text());
      this.say("Copied.");
    } catch {
      this.say("The browser does not let this page copy: select the text and copy it yourself.");
    }
  }

  // What another tab wrote is taken over, unless there is something here that it does not know.
  #fromOutside(entry) {
    if (this.saving === undefined) {
      this.#take(entry?.text ?? this.stub);
    }
  }

  #take(text) {
    if (text !== this.editor.text()) {
      this.editor.replace(text);
      this.#forgetVerdict();
      this.saved = text;
      this.say("Another tab has changed this answer: its text is shown.");
    }
  }

  // Puts another text in the place of this one, which stays among the earlier versions and can be brought back at once.
  replace(text, why, said) {
    const before = this.editor.text();
    if (text === before) {
      this.say("Nothing changes: the text is the same.");
      return;
    }
    store.keepVersion(this.id, before, why);
    this.editor.replace(text);
    this.#forgetVerdict();
    this.save();
    this.say(said, ["Undo", () => this.replace(before, "before Undo", "Undone.")]);
    this.#listVersions();
  }

  #listVersions() {
    if (!this.versions.open) {
      return;
    }
    const lines = store.versions(this.id).map(({ text, at, why }) => {
      const when = new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
      const words = `${when}, ${why}: ${text.trimEnd().split("\n").length} lines `;
      const restore = () => this.replace(text, "before Restore", `The version of ${when} is back.`);
      return make("li", {}, words, button("Restore", restore, { "aria-label": `Restore the version of ${when}, ${why}` }));
    });
    this.list.replaceChildren(...(lines.length ? lines : [make("li", {}, "There are none yet.")]));
  }

  // Running

  #busy(yes) {
    for (const [name, one] of Object.entries({ run: yes, grade: yes, stop: !yes })) {
      this.buttons[name].setAttribute("aria-disabled", String(one));
    }
  }

  // Works with Python if nobody else does, and says what happens.
  async #work(doing, why, work) {
    if (busy) {
      this.say(busy === this ? "This runs already: stop it first." : `${busy.name} is running: stop it first.`);
      return;
    }
    this.save();
    store.keepVersion(this.id, this.editor.text(), why);
    this.#forgetVerdict();
    const output = new Output(this.printed);
    this.#busy(true);
    this.say(doing);
    try {
      await alone(this, () => work(output));
    } catch (error) {
      if (error instanceof NotLoaded) {
        this.say(whyNot(error), ["Try again", () => this.#work(doing, why, work)]);
      } else {
        this.say(whyNot(error));
      }
    } finally {
      output.show();
      this.#busy(false);
      this.#listVersions();
    }
  }

  run() {
    return this.#work("Running.", "run", async (output) => {
      const source = this.editor.text();
      const printed = (text) => output.add(text);
      await freshly(this, async () => {
        startSpares(this).catch(() => {});
        try {
          const error = errorOf(await execute("run", [this.chapter, this.name, source], { printed }));
          output.add(error);
          output.show();
          const silent = this.printed.hidden ? " and printed nothing" : "";
          this.say(error ? `It raises ${lastLine(error)}` : `It ran to its end${silent}.`);
        } catch (error) {
          if (!(error instanceof Late)) {
            throw error;
          }
          const lines = await linesIn(this, source, -1);
          this.say(`Still running after ${LIMIT_S} s${lines && ` (${lines})`}: it was stopped. Does a loop never end?`);
        }
      });
    });
  }

  grade() {
    return this.#work("Grading.", "graded", async (output) => {
      const source = this.editor.text();
      const { verdict, drawings } = await freshly(this, async () => {
        const judging = warmUp(judge, this.chapter, this.name); // beside the answer
        startSpares(this, judging).catch(() => {});
        return graded(this, source, judging);
      });
      this.#graded(verdict, drawings, source);
      if (verdict.printed && !verdict.message.includes(verdict.printed)) {
        output.add(verdict.printed);
      }
    });
  }

  #graded({ status, message, says, given }, drawings, source) {
    const state = { solved: "solved", wrong: "tried" }[status];
    if (state) {
      this.save({ state, changed: this.editor.text() !== source });
    }
    this.result.textContent = message;
    this.result.hidden = false;
    const words = {
      solved: "✓ Solved.",
      wrong: `✗ Not solved yet. ${says || "What the grader saw is below."}`,
      open: says ? `○ Not graded. ${says}` : "○ Still open: the function raises NotImplementedError, as the stub does.",
    };
    this.verdict = { source, state: state ?? "open", words: words[status] };
    this.#sayVerdict();
    this.pictures.hidden = drawings.length === 0;
    this.pictures.replaceChildren(...drawings);
    this.pictures.setAttribute("aria-label", `What your answer does with ${given}`);
  }

  // A verdict stays in sight while its text is mended, and then says that it is not of this text.
  #sayVerdict() {
    const { source, state, words } = this.verdict;
    this.verdict.ofThisText = this.editor.text() === source;
    this.result.dataset.state = this.verdict.ofThisText ? state : "open";
    const hint = state === "tried" ? this.#nextHint() : [];
    this.say(this.verdict.ofThisText ? words : `Before your change: ${words}`, ...hint);
  }

  #forgetVerdict() {
    if (this.verdict) {
      this.verdict = undefined;
      this.result.hidden = this.pictures.hidden = true;
    }
  }

  // Offers to open the first hint that is still closed.
  #nextHint() {
    const hints = [];
    for (let next = this.box.nextElementSibling; next && !/^H[1-6]$/.test(next.tagName); next = next.nextElementSibling) {
      if (next.tagName === "DETAILS" && next.firstElementChild.textContent.startsWith("Hint")) hints.push(next);
    }
    const closed = hints.find((hint) => !hint.open);
    const open = () => {
      closed.open = true;
      closed.firstElementChild.focus();
    };
    return closed ? [[`Open ${closed.firstElementChild.textContent.toLowerCase()}`, open]] : [];
  }

  stop() {
    if (busy === this) {
      for (const python of [executing, judge].filter((one) => one?.waits)) {
        python.stop();
      }
    }
  }
}

function lastLine(text) {
  return text.trimEnd().split("\n").at(-1).slice(0, 200);
}

// Files ---------------------------------------------------------------------------------------------------------------

// What an export or import of a board reports to: the board's own note.
function noteOf(place) {
  const note = place.querySelector(".exercise-note");
  return { name: "an export or import", say: (text) => note.replaceChildren(text) };
}

function namesIn(chapter) {
  const places = document.querySelectorAll(`.exercise-board[data-chapter="${chapter}"] [data-name]`);
  return [...places].map((place) => place.dataset.name);
}

async function exchange(who, name, parameters, then) {
  if (busy) {
    who.say(`${busy.name} is running: stop it first.`);
    return;
  }
  try {
    await alone(who, async () => {
      await startPython(judge, parameters[0], (text) => who.say(text));
      await then(await askJudge(name, parameters));
    });
  } catch (error) {
    who.say(whyNot(error));
  }
}

async function exportFrom(place, who = noteOf(place)) {
  const { chapter } = place.dataset;
  saveAll();
  const kept = namesIn(chapter).map((name) => [name, store.get(`${chapter}/${name}`)?.text]);
  const texts = Object.fromEntries(kept.filter(([, text]) => text !== undefined));
  if (Object.keys(texts).length === 0) {
    who.say("There is nothing to export: no answer of this chapter is kept in this browser.");
    return;
  }
  await exchange(who, "export", [chapter, texts], (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
    make("a", { href: url, download: `answers-${chapter.replace("/", "-")}.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    who.say("The zip file is saved: unpack it in the book's folder, and pytest finds the answers.");
  });
}

function importTo(place) {
  const choose = make("input", { type: "file", accept: ".zip,.py,application/zip,text/x-python" });
  choose.addEventListener("change", async () => {
    const { chapter } = place.dataset;
    const who = noteOf(place);
    const file = choose.files[0];
    if (file.size > LARGEST_BYTES) {
      who.say(`${file.name} is not taken in: it has ${file.size.toLocaleString("en")} bytes, and at most 1,000,000 are taken.`);
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const packed = btoa(bytes.reduce((letters, byte) => letters + String.fromCharCode(byte), ""));
    await exchange(who, "take_in", [chapter, file.name, packed], (found) => {
      const { texts, notice } = textsOf(found, namesIn(chapter));
      const names = texts.filter(([name, text]) => takeIn(`${chapter}/${name}`, text)).map(([name]) => name);
      const words = names.length ? `Taken in: ${names.join(", ")}. What was there is among the earlier versions.` : "Nothing is new.";
      who.say(`${words} ${notice}`.trim());
    });
  });
  choose.click();
}

function takeIn(id, text) {
  const panel = panels.get(id);
  const before = panel?.editor ? panel.editor.text() : store.get(id)?.text;
  if (text === before) {
    return false;
  }
  if (panel?.editor) {
    panel.replace(text, "before Import", "Taken in from a file.");
  } else {
    if (before !== undefined) {
      store.keepVersion(id, before, "before Import");
    }
    store.put(id, { state: "draft", text, changed: true });
  }
  return true;
}

// The page's life -----------------------------------------------------------------------------------------------------

function saveAll() {
  panels.forEach((panel) => panel.editor && panel.save());
}

window.addEventListener("pagehide", saveAll);
document.addEventListener("visibilitychange", () => document.hidden && saveAll());
window.addEventListener("beforeprint", saveAll); // book.js puts what is kept on paper
// Instant navigation puts another page into this one.
window.document$?.subscribe(() => {
  for (const panel of [...panels.values()].filter((one) => !one.box.isConnected)) {
    panel.close();
  }
});
