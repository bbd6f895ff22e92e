// The page Planner: what a reader sets is planned by the book's own Python, in a worker, which also writes the answer as
// HTML. Every element is in the page already; here they are only filled. Python comes when a hand comes to the form.

import { Machine, Stopped, vouched } from "./live/runtime.js";

const PREFIX = "#plan:";
const TYPING_MS = 350; // so that a number is planned when it is written, not at each of its digits
const SAID_MS = 2500;
const LARGEST_BYTES = 100_000; // of a config.json

const machine = new Machine();
const planners = new WeakMap();

// Wakes the planner that stands in a page; the page may come again by instant navigation.
export function show(element) {
  if (!planners.has(element)) {
    planners.set(element, new Planner(element));
  }
}

window.addEventListener("hashchange", () => {
  const element = document.querySelector(".planner");
  if (element && location.hash.startsWith(PREFIX)) {
    planners.get(element)?.follow();
  }
});

class Planner {
  constructor(element) {
    this.element = element;
    this.form = element.querySelector(".planner-form");
    this.why = element.querySelector(".planner-why");
    this.note = element.querySelector(".planner-note");
    this.said = element.querySelector(".planner-tools [role=status]");
    this.controls = [...this.form.elements].filter((control) => control.name);
    this.chosen = "";
    this.page = location.pathname;
    this.texts = undefined;
    this.form.addEventListener("pointerdown", () => this.warm());
    this.form.addEventListener("focusin", () => this.warm());
    this.form.addEventListener("input", ({ target }) => this.typed(target));
    this.form.addEventListener("change", ({ target }) => (target.type === "file" ? this.take(target.files[0]) : this.typed(target, 0)));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.plan();
    });
    for (const kind of ["dragover", "drop"]) {
      this.form.elements.config.addEventListener(kind, (event) => this.drop(event));
    }
    this.why.addEventListener("submit", (event) => {
      event.preventDefault();
      this.look(this.why.elements.chosen.value.trim());
    });
    element.addEventListener("click", ({ target }) => this.pressed(target.closest("button")));
    this.arrange();
    if (location.hash.startsWith(PREFIX)) {
      this.follow();
    }
  }

  // Starts Python when a hand comes to the form, before anything is set.
  warm() {
    const waits = (text, share) => this.planning && this.progress(text, share);
    machine.start(this.element.dataset.subject, waits).catch(() => {}); // what asks for an answer says what failed
  }

  pressed(button) {
    if (button?.dataset.setting) {
      this.set(JSON.parse(button.dataset.setting));
    } else if (button?.dataset.layout) {
      this.look(button.dataset.layout);
    } else if (button?.dataset.do === "link") {
      this.copy(new URL(this.hash() || location.pathname, location).href, "The link is copied.");
    } else if (button?.dataset.do === "csv") {
      this.copyCsv();
    }
  }

  typed(control, wait = TYPING_MS) {
    if (!control.name) {
      return;
    }
    this.chosen = "";
    this.arrange();
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.plan(), wait);
  }

  // Shows a layout of the list, or one that was typed.
  look(layout) {
    this.chosen = layout;
    this.plan();
  }

  // Brings a setting: what it does not name stands at its default.
  set(setting) {
    for (const control of this.controls) {
      control.value = setting[control.name] ?? control.dataset.default;
    }
    this.chosen = setting.chosen ?? "";
    this.why.elements.chosen.value = "";
    this.arrange();
    this.plan();
  }

  follow() {
    this.set(Object.fromEntries(new URLSearchParams(location.hash.slice(PREFIX.length))));
  }

  // What stands in the form, but for what stands at its default.
  setting() {
    const changed = this.controls.filter((control) => control.value.trim() !== control.dataset.default);
    const setting = Object.fromEntries(changed.map((control) => [control.name, control.value.trim()]));
    return this.chosen ? { ...setting, chosen: this.chosen } : setting;
  }

  // Shows the fields that count, and which of the named settings this is.
  arrange() {
    for (const field of this.form.querySelectorAll("[data-needs]")) {
      const [name, value] = field.dataset.needs.split("=");
      field.hidden = this.form.elements[name].value !== value;
    }
    const { chosen: _, ...setting } = this.setting();
    for (const button of this.form.querySelectorAll("[data-setting]")) {
      button.ariaPressed = String(same(setting, JSON.parse(button.dataset.setting)));
    }
    const limits = this.form.querySelector("details");
    limits.open ||= [...limits.querySelectorAll("[name]")].some((control) => control.name in setting);
  }

  // Plans the latest setting. While Python plans, newer ones wait, and only the newest of them is planned next.
  async plan() {
    clearTimeout(this.typing);
    this.wanted = this.setting();
    if (this.planning) {
      return;
    }
    this.planning = true;
    this.element.ariaBusy = "true";
    try {
      while (this.wanted) {
        const setting = this.wanted;
        this.wanted = undefined;
        const { chosen: _, ...job } = setting;
        const key = JSON.stringify(job);
        if (key !== this.planned) { // a first list comes at once, from among the layouts that mostly win
          this.fill(await this.ask(setting, true), setting, true);
        }
        if (!this.wanted) {
          this.fill(await this.ask(setting, false), setting, false);
          this.planned = key;
        }
      }
    } catch (error) {
      if (!(error instanceof Stopped)) {
        this.say(failure(error), true);
      }
    } finally {
      this.planning = false;
      this.element.removeAttribute("aria-busy");
    }
  }

  async ask(setting, quick) {
    const { subject, module } = this.element.dataset;
    await machine.start(subject, (text, share) => this.progress(text, share));
    if (!this.note.textContent.startsWith("So far")) {
      this.progress("Planning …", 1);
    }
    return JSON.parse(await machine.call(subject, module, "planned_view", [JSON.stringify(setting), quick]));
  }

  progress(text, share) {
    this.say(`${text}${text.endsWith(".") || text.endsWith("…") ? "" : "."} Until then the answer is of the setting before yours.`);
    this.note.style.setProperty("--share", share);
  }

  // Puts an answer into the page: HTML that the book's own modules have written, of texts that they have escaped.
  fill({ errors, parts, said, constants, texts }, setting, quick) {
    this.refuse(errors);
    const problems = Object.keys(errors).length;
    this.element.classList.toggle("refused", problems > 0);
    if (problems) {
      this.say(`${problems === 1 ? "One field" : `${problems} fields`} can't be read: ${Object.values(errors)[0]}.`, true);
      return;
    }
    const focused = document.activeElement?.dataset?.layout;
    for (const place of this.element.querySelectorAll("[data-part]")) {
      place.innerHTML = vouched.createHTML(parts[place.dataset.part]);
    }
    if (focused) {
      this.element.querySelector(`[data-layout="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
    this.texts = quick ? undefined : texts;
    this.form.elements.matmul_share.placeholder = constants.matmul_share;
    this.form.querySelector(".planner-source").textContent = constants.source;
    this.say(quick ? `${said} The others are being tried.` : said);
    this.address(setting);
  }

  // Says beside each field why it can't be read.
  refuse(errors) {
    for (const control of this.controls) {
      const place = this.form.querySelector(`#${control.id}-error`);
      const wrong = errors[control.name] ?? "";
      place.textContent = wrong && `${wrong}.`;
      control.ariaInvalid = wrong ? "true" : null;
      if (wrong) {
        control.setAttribute("aria-describedby", place.id);
        control.closest("details")?.setAttribute("open", "");
      } else {
        control.removeAttribute("aria-describedby");
      }
    }
  }

  hash() {
    const all = new URLSearchParams(this.setting());
    return all.size ? PREFIX + all : "";
  }

  // Keeps the setting in the address.
  address(setting) {
    const all = new URLSearchParams(setting);
    const hash = all.size ? PREFIX + all : "";
    if (this.page === location.pathname && this.element.isConnected && hash !== location.hash) {
      history.replaceState(history.state, "", hash || location.pathname + location.search);
    }
  }

  say(text, problem = false) {
    this.note.textContent = text;
    this.note.classList.toggle("problem", problem);
    this.note.style.removeProperty("--share");
  }

  async copyCsv() {
    if (!this.texts) {
      await this.plan();
    }
    if (this.texts) {
      this.copy(this.texts.csv, "The list is copied.");
    }
  }

  async copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      this.said.textContent = done;
    } catch {
      this.said.textContent = "This browser lets no page copy: the link is in the address bar.";
    }
    setTimeout(() => {
      this.said.textContent = "";
    }, SAID_MS);
  }

  drop(event) {
    const file = event.dataTransfer?.files[0];
    if (event.dataTransfer?.types.includes("Files")) {
      event.preventDefault();
    }
    if (event.type === "drop" && file) {
      this.take(file);
    }
  }

  async take(file) {
    if (!file) {
      return;
    }
    if (file.size > LARGEST_BYTES) {
      this.refuse({ config: `${file.name} must have at most ${LARGEST_BYTES / 1000} kB, as a config.json has` });
      return;
    }
    this.form.elements.config.value = await file.text();
    this.typed(this.form.elements.config, 0);
  }
}

function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => plain(one[name]) === plain(other[name] ?? ""));
}

// "4,194,304" and "4194304" are one number.
function plain(text) {
  return text.replaceAll(/(?<=\d),(?=\d{3})/g, "");
}

function failure(error) {
  const reason = String(error.message).split("\n").filter(Boolean).at(-1);
  const offline = navigator.onLine === false || /fetch|network|load/i.test(reason);
  return offline
    ? `Python could not be loaded (${reason}). The answer stays as it is; change something to try again.`
    : `This setting could not be planned (${reason}). Please report it.`;
}
