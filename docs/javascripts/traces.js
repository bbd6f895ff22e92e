// A reader's trace, in chapter 35: its file is read here, analysed by the book's own Python in a worker, which also writes
// the answer as HTML. Nothing is sent anywhere. Python comes when a hand comes to the form.

import { Machine, Stopped, vouched } from "./live/runtime.js";

const GZIP = [0x1f, 0x8b];
const TYPING_MS = 350;

const machine = new Machine();
const forms = new WeakMap();

// Wakes the form that stands in a page; the page may come again by instant navigation.
export function show(element) {
  if (!forms.has(element)) {
    forms.set(element, new Traces(element));
  }
}

class Traces {
  constructor(element) {
    this.element = element;
    this.form = element.querySelector("form");
    this.note = element.querySelector(".traces-note");
    this.area = element.querySelector(".traces-drop");
    this.texts = [];
    this.names = [];
    this.form.querySelector("[type=file]").accept = ".json,.gz,application/json,application/gzip";
    this.form.addEventListener("pointerdown", () => this.warm());
    this.form.addEventListener("focusin", () => this.warm());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", ({ target }) => {
      if (target.type === "text") {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.ask(), TYPING_MS);
      }
    });
    this.form.addEventListener("change", ({ target }) => {
      if (target.type === "file") {
        this.take([...target.files]);
      } else if (target.name) {
        clearTimeout(this.typing);
        this.ask(...(target.name === "rank" ? ["step"] : [])); // another rank's steps may be others
      }
    });
    for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
      this.area.addEventListener(kind, (event) => this.drag(event));
    }
  }

  // Starts Python when a hand comes to the form, before anything is asked.
  warm() {
    machine.start(this.element.dataset.subject, (text, share) => this.asking && this.progress(text, share)).catch(() => {});
  }

  drag(event) {
    if (!event.dataTransfer?.types.includes("Files")) {
      return;
    }
    event.preventDefault();
    this.area.classList.toggle("over", event.type === "dragenter" || event.type === "dragover");
    if (event.type === "drop") {
      this.take([...event.dataTransfer.files]);
    }
  }

  async take(files) {
    if (!files.length) {
      return;
    }
    this.warm();
    this.refuse({});
    this.taken = files;
    const left = { bytes: Number(this.element.dataset.megabytes) * 1e6 };
    try {
      this.progress("Reading …", 0);
      const texts = [];
      for (const file of files) {
        texts.push(await read(file, left));
      }
      if (this.taken !== files) {
        return; // others were dropped meanwhile
      }
      this.texts = texts;
      this.names = files.map((file) => file.name);
      await this.ask("rank", "step");
    } catch (error) {
      this.refuse({ file: error.message });
      this.say("What is shown is still of the traces before.", true);
    }
  }

  // Asks for what the fields say, but for those that begin anew. While Python works, only the newest question waits.
  async ask(...anew) {
    const fields = new FormData(this.form);
    const setting = {};
    for (const name of ["rank", "step", "device", "parameters", "tokens"]) {
      setting[name] = anew.includes(name) ? "" : String(fields.get(name)).trim();
    }
    this.wanted = setting;
    if (this.asking) {
      return;
    }
    this.asking = true;
    this.element.ariaBusy = "true";
    try {
      while (this.wanted) {
        const asked = JSON.stringify(this.wanted);
        this.wanted = undefined;
        const { subject, module } = this.element.dataset;
        await machine.start(subject, (text, share) => this.progress(text, share));
        this.progress("Python reads …", 1);
        const answer = await machine.call(subject, module, "trace_view", [asked, this.texts, this.names]);
        if (!this.wanted) {
          this.fill(JSON.parse(answer));
        }
      }
    } catch (error) {
      if (!(error instanceof Stopped)) {
        const reason = String(error.message).split("\n").filter(Boolean).at(-1);
        this.say(`The trace could not be analysed (${reason}). What is shown is of before.`, true);
      }
    } finally {
      this.asking = false;
      this.element.removeAttribute("aria-busy");
    }
  }

  // Puts an answer into the page: HTML that the book's own modules have written, of texts that they have escaped.
  fill({ errors, parts, said, ranks, steps, shown }) {
    this.refuse(errors);
    if (Object.keys(errors).length) {
      this.say("What is shown is still of before.", true);
      return;
    }
    for (const place of this.element.querySelectorAll("[data-part]")) {
      place.innerHTML = vouched.createHTML(parts[place.dataset.part]);
    }
    for (const [name, options] of [["rank", ranks], ["step", steps]]) {
      const select = this.form.elements[name];
      select.replaceChildren(...options.map((text, value) => new Option(text, String(value))));
      select.value = shown[name];
    }
    this.say(said);
  }

  // Says beside each field what is wrong with it.
  refuse(errors) {
    for (const place of this.form.querySelectorAll(".traces-error")) {
      const control = this.form.querySelector(`#${place.id.replace(/-error$/, "")}`);
      const wrong = errors[control.name || "file"] ?? "";
      place.textContent = wrong && `${wrong}.`;
      control.ariaInvalid = wrong ? "true" : null;
      if (wrong) {
        control.setAttribute("aria-describedby", `traces-about ${place.id}`.slice(control.type === "file" ? 0 : 13));
      }
    }
  }

  progress(text, share) {
    this.say(text);
    this.note.style.setProperty("--share", share);
  }

  say(text, problem = false) {
    this.note.textContent = text;
    this.note.classList.toggle("problem", problem);
    this.note.style.removeProperty("--share");
  }
}

// Returns a file's text, unpacked where it is packed; refuses more than is left of what the page may take.
async function read(file, left) {
  const begin = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packed = GZIP.every((byte, place) => begin[place] === byte);
  const most = left.bytes / 1e6;
  const counting = new TransformStream({
    transform(part, sink) {
      left.bytes -= part.length;
      if (left.bytes < 0) {
        throw new Error("too much");
      }
      sink.enqueue(part);
    },
  });
  const stream = packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  try {
    return await new Response(stream.pipeThrough(counting)).text();
  } catch (error) { // a browser may put an error of its own in the place of the stream's
    if (left.bytes < 0) {
      throw new Error(`${file.name} has more JSON than the ${most.toFixed(0)} MB that are left: record fewer steps, without stacks and shapes`);
    }
    throw new Error(`${file.name} can't be read: ${packed ? "it is no whole gzip file" : error.message}`);
  }
}
