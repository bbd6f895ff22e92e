// Live figures: what a reader sets is drawn by the figure's own function, in Python. Every element is in the page
// already; here they are only filled. Loaded when a reader first touches a knob, or comes by a link to a setting.

import { Machine, Stopped, vouched } from "./runtime.js";

const SPOKEN_MS = 600; // so that numbers are read out when a knob rests, not at every stop
const ADDRESS_MS = 250; // browsers allow few changes of the address a second
const PLAY_MS = 12_000; // for all stops of a slider, but for each
const LOOKED_AT_MS = 1000; // what is scrolled past needs no Python
const FAST_MB_PER_S = 1;
const STOP_MS = [100, 700]; // no less and no more
const PREFIX = "#live:";

const machine = new Machine();
const figures = new WeakMap();
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Takes what happened at an element of a figure: book.js listens for the whole page.
export function handle(kind, element, target) {
  const it = figure(element);
  if (target.matches(".live-code")) {
    kind === "click" && it.showCode(target);
  } else if (target.matches(".live-link")) {
    kind === "click" && it.copyLink(target);
  } else if (target.matches(".live-embed")) {
    kind === "click" && it.showEmbedding(target);
  } else if (target.matches(".play")) {
    kind === "click" ? it.play(target) : it.warm();
  } else if (target.matches(".named")) {
    kind === "click" && it.choose(target);
  } else if (kind === "reset") {
    it.reset();
  } else if (kind === "input" || kind === "change") {
    it.turned(target);
  } else if (kind === "pointerdown" && target.matches("input, select, label, button")) {
    it.warm();
  }
}

function figure(element) {
  if (!figures.has(element)) {
    figures.set(element, new Figure(element));
  }
  return figures.get(element);
}

// Fetches what a figure that has come into sight shows before Python runs; where that costs a reader nothing, Python too.
export function prepare(element) {
  const it = figure(element);
  it.near();
  if (isFast(navigator.connection)) {
    setTimeout(() => element.isConnected && machine.start(it.subject, toThoseThatWait).catch(() => {}), LOOKED_AT_MS);
  }
}

// Says how far Python's start is at the figures for which a reader waits by now.
function toThoseThatWait(text, share) {
  document.querySelectorAll(".live.waiting").forEach((element) => figure(element).progress(text, share));
}

// Whether a few megabytes may be fetched unasked. Browsers that do not tell (Firefox, Safari) wait for a hand.
function isFast(connection) {
  return connection?.effectiveType === "4g" && connection.downlink >= FAST_MB_PER_S * 8 && !connection.saveData;
}

// Brings the figures of the page to the setting that the address holds.
export function follow() {
  const wanted = new URLSearchParams(location.hash.slice(PREFIX.length));
  const settings = new Map();
  for (const [key, value] of wanted) {
    const [name, knob] = key.split(".");
    settings.set(name, { ...settings.get(name), [knob]: value });
  }
  let first;
  for (const [name, setting] of settings) {
    const element = document.querySelector(`.live[data-name="${CSS.escape(name)}"]`);
    // What names no knob of the figure is no setting.
    const known = Object.entries(setting).filter(([knob]) => element?.querySelector(`.knobs [name="${CSS.escape(knob)}"]`));
    if (known.length) {
      first ??= element;
      figure(element).set(Object.fromEntries(known));
    }
  }
  if (window === window.parent) {
    first?.scrollIntoView({ block: "center" }); // in a frame it would move the page around it
  }
}

class Figure {
  constructor(element) {
    this.element = element;
    this.form = element.querySelector(".knobs");
    this.note = element.querySelector(".live-note");
    this.notice = element.querySelector(".live-notice");
    this.numbers = element.querySelector(".live-numbers");
    this.spoken = element.querySelector(".live-spoken");
    this.opening = { button: this.form.querySelector(".named[aria-pressed]"), text: this.notice.textContent };
    this.opening.settings = JSON.parse(this.opening.button?.dataset.settings ?? "{}");
    this.settings = { ...this.opening.settings }; // what does not stand at its default, as it is sent to Python
    this.turns = 0;
    this.name = element.dataset.name;
    this.subject = `figures/${element.dataset.module}`;
    this.beside = element.dataset.beside ?? ""; // where a figure that stands alone finds its chapter
    this.page = location.pathname; // instant navigation changes it before it takes the figure away
  }

  // A knob was turned: what a slider says goes to Python as the number of its stop, all else as it is written.
  turned(control, { playing = false } = {}) {
    if (!playing) {
      this.stopPlaying();
    }
    this.settings[nameOf(control)] = valueOf(control);
    this.redraw();
    this.noticing("");
  }

  set(settings) {
    this.settings = { ...settings };
    this.redraw();
  }

  // Brings a setting that has a name, and says what to notice there.
  choose(button) {
    this.stopPlaying();
    this.set(JSON.parse(button.dataset.settings));
    this.noticing(button.dataset.notice, button);
  }

  noticing(text, pressed) {
    this.notice.textContent = text;
    for (const button of this.form.querySelectorAll(".named")) {
      button.ariaPressed = String(button === pressed);
    }
  }

  reset() {
    this.stopPlaying();
    this.settings = { ...this.opening.settings };
    this.noticing(this.opening.text, this.opening.button);
    // The browser puts the controls back after this event; the picture follows from the same settings.
    setTimeout(() => this.redraw());
  }

  // Starts Python when a hand comes to a knob, before the knob has moved.
  warm() {
    this.near();
    this.startBeside();
  }

  start() {
    return machine.start(this.subject, (text, share) => this.progress(text, share));
  }

  // Starts Python while what the build has drawn is shown.
  async startBeside() {
    try {
      await this.start();
      if (!this.note.classList.contains("problem")) {
        this.say("");
      }
    } catch (error) {
      this.failed(error);
    }
  }

  // Returns the pictures that the build has drawn of settings that a reader may choose first.
  near() {
    this.pictures ??= fetch(`${this.beside}${this.name}-near.json`)
      .then((response) => (response.ok ? response.json() : {}))
      .catch(() => {
        this.pictures = undefined; // the next turn asks again
        return {};
      });
    return this.pictures;
  }

  // Draws the latest settings. While Python draws, newer ones wait, and only the newest of them is drawn next.
  async redraw() {
    this.turns += 1;
    this.wanted = JSON.stringify(this.settings);
    if (this.drawing) {
      return;
    }
    this.drawing = true;
    this.element.ariaBusy = "true";
    try {
      while (this.wanted !== undefined) {
        const asked = this.wanted;
        const turn = this.turns;
        this.wanted = undefined;
        const settings = JSON.parse(asked);
        this.show((await this.shipped(settings)) ?? (await this.awaited(asked)), settings);
        this.element.dispatchEvent(new CustomEvent("drawn", { detail: turn }));
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.drawing = false;
      this.element.classList.remove("waiting");
      this.element.removeAttribute("aria-busy");
    }
  }

  failed(error) {
    if (!(error instanceof Stopped)) {
      this.say(failure(error), true);
    }
  }

  // Returns a setting's picture where the build has drawn it and Python does not run yet; Python starts meanwhile.
  async shipped(settings) {
    if (machine.ready) {
      return undefined;
    }
    const key = JSON.stringify(Object.fromEntries(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))));
    const drawn = (await this.near())[key];
    if (drawn) {
      this.startBeside();
    }
    return drawn && { drawn };
  }

  // Asks Python; while it starts, the picture on the page is of another setting, and looks so.
  awaited(asked) {
    this.element.classList.toggle("waiting", !machine.ready);
    return this.ask(asked);
  }

  async ask(asked) {
    await this.start();
    const { module, name } = this.element.dataset;
    return JSON.parse(await machine.call(this.subject, "snippets.live.declaring", "draw", [module, name, asked]));
  }

  progress(text, share) {
    const waits = this.element.classList.contains("waiting");
    this.say(waits ? `${text}. Until then the picture shows the setting before yours.` : text);
    this.note.style.setProperty("--share", share);
  }

  show({ drawn, problem, knob }, asked) {
    this.element.classList.remove("waiting");
    this.element.classList.toggle("impossible", Boolean(problem));
    if (machine.ready || problem) {
      this.say(problem ?? "", Boolean(problem)); // else it goes on to say how far Python's start is
    }
    this.refuse(problem ? knob : undefined, asked);
    if (!drawn) {
      return;
    }
    const panels = this.element.querySelector(".panels");
    // From the build, or from a Python that executes the book's own modules alone and is sent nothing but settings: a
    // reader's text is executed in other workers, which cannot reach this one.
    panels.innerHTML = vouched.createHTML(drawn.svgs.join(""));
    panels.setAttribute("aria-label", drawn.alt);
    this.numbers.textContent = drawn.numbers;
    this.numbers.style.minHeight = `${this.numbers.offsetHeight}px`; // so that the knobs do not move up under the hand
    this.fill(drawn, asked);
    this.address(this.told(drawn.changed, asked));
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      this.spoken.textContent = drawn.numbers;
    }, SPOKEN_MS);
  }

  // Marks the knob that a refusal is about; one that is about several marks those that were turned.
  refuse(knob, asked) {
    for (const control of this.form.elements) {
      const name = nameOf(control);
      if (name && knob !== undefined && (knob ? name === knob : name in asked)) {
        control.ariaInvalid = "true";
        control.setAttribute("aria-describedby", this.note.id);
      } else {
        control.ariaInvalid = null;
        control.removeAttribute("aria-describedby");
      }
    }
  }

  // Writes the settings that were drawn into the controls, but for those that were turned again in the meantime.
  fill({ shown, places, most, idle, changed }, asked) {
    for (const control of this.form.elements) {
      const name = nameOf(control);
      control.closest(".knob").hidden = idle.includes(name);
      if (!(name in shown) || asked[name] !== this.settings[name]) {
        continue;
      }
      if (control.type === "range") {
        control.max = most[name];
        control.value = places[name];
        control.setAttribute("aria-valuetext", shown[name]);
      } else if (control.type === "checkbox") {
        control.checked = shown[name] === "on";
      } else if (control.tagName === "SELECT") {
        control.value = changed[name] ?? control.dataset.default;
      } else if (control !== document.activeElement || !asked[name] || asked[name].startsWith("@")) {
        control.value = shown[name];
      }
    }
  }

  // What a link says of a setting: nothing where the figure opens, and something where every knob stands at its default.
  told(changed, asked) {
    const opens = Object.entries(this.opening.settings);
    const isOpening = opens.length === Object.keys(changed).length && opens.every(([name, value]) => changed[name] === value);
    return isOpening ? {} : Object.keys(changed).length ? changed : asked;
  }

  // Keeps the setting in the address, beside those of the page's other figures.
  address(changed) {
    const mine = `${this.name}.`;
    const others = location.hash.startsWith(PREFIX) ? [...new URLSearchParams(location.hash.slice(PREFIX.length))] : [];
    const kept = others.filter(([key]) => !key.startsWith(mine));
    const all = new URLSearchParams([...kept, ...Object.entries(changed).map(([key, value]) => [mine + key, value])]);
    const hash = all.size ? PREFIX + all : "";
    const link = this.element.querySelector(".live-link") ?? document.querySelector(".live-from a"); // where it is alone
    link.hash = hash || this.element.id;
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => {
      const before = location.hash.startsWith(PREFIX) ? "" : location.hash;
      if (this.page === location.pathname && this.element.isConnected && hash !== location.hash) {
        history.replaceState(history.state, "", hash || before || location.pathname + location.search);
      }
    }, ADDRESS_MS);
  }

  // Runs through the values of a slider, from the start if it stands at the end.
  play(button) {
    if (this.playing) {
      this.stopPlaying();
      return;
    }
    const slider = button.parentElement.querySelector("[type=range]");
    if (Number(slider.value) >= Number(slider.max)) {
      slider.value = 0;
    } else if (still.matches) {
      slider.value = Number(slider.value) + 1;
    }
    this.turned(slider);
    if (still.matches) {
      return; // a reader who wants no motion gets one step
    }
    button.textContent = "Pause";
    button.setAttribute("aria-pressed", "true");
    const every = Math.min(Math.max(PLAY_MS / Number(slider.max), STOP_MS[0]), STOP_MS[1]);
    this.playing = { button, timer: setInterval(() => this.step(slider), every) };
  }

  step(slider) {
    if (!this.element.isConnected || still.matches || Number(slider.value) >= Number(slider.max)) {
      this.stopPlaying();
    } else if (!this.drawing) {
      slider.value = Number(slider.value) + 1;
      this.turned(slider, { playing: true });
    }
  }

  stopPlaying() {
    if (this.playing) {
      clearInterval(this.playing.timer);
      this.playing.button.textContent = "Play";
      this.playing.button.setAttribute("aria-pressed", "false");
      this.playing = undefined;
    }
  }

  say(text, problem = false) {
    this.note.textContent = text;
    this.note.classList.toggle("problem", problem);
    this.note.style.removeProperty("--share");
  }

  async copyLink(link) {
    const address = new URL(link.getAttribute("href") || `#${this.element.id}`, location).href;
    try {
      await navigator.clipboard.writeText(address);
      link.textContent = "Link copied";
    } catch {
      location.hash = new URL(address).hash;
      link.textContent = "The link is in the address bar";
    }
    setTimeout(() => {
      link.textContent = "Link to this setting";
    }, 2500);
  }

  // Shows, or takes away, what another page needs to have the figure as it stands now.
  async showEmbedding(link) {
    try {
      (await import("./embed.js")).toggle(this.element, link);
    } catch {
      location.href = link.href; // the figure alone, whose address is what is needed most
    }
  }

  async showCode(link) {
    const shown = this.element.querySelector(".live-source");
    if (shown) {
      shown.remove();
      link.setAttribute("aria-expanded", "false");
      return;
    }
    try {
      const response = await fetch(`${this.name}-code.html`);
      if (!response.ok) {
        throw new Error(response.statusText);
      }
      const box = document.createElement("div");
      box.className = "live-source";
      box.tabIndex = 0; // it scrolls
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `Code of ${this.name}`);
      box.innerHTML = vouched.createHTML(await response.text()); // made by the build from the book's own file
      this.element.querySelector("figcaption").before(box);
      link.setAttribute("aria-expanded", "true");
    } catch {
      location.href = link.href; // the same code, on a page of its own
    }
  }
}

function nameOf(control) {
  return control.name || control.dataset.knob;
}

function valueOf(control) {
  if (control.type === "range") {
    return `@${control.value}`;
  }
  return control.type === "checkbox" ? (control.checked ? "on" : "off") : control.value;
}

function failure(error) {
  const reason = String(error.message).split("\n").filter(Boolean).at(-1);
  const offline = navigator.onLine === false || /fetch|network|load/i.test(reason);
  return offline
    ? `Python could not be loaded (${reason}). The picture stays as it is; turn a knob to try again.`
    : `This setting could not be drawn (${reason}). Please report it; Reset brings the first picture back.`;
}
