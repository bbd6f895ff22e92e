// Starts Python in a worker, asks it for things, and stops it.

const here = new URL(".", import.meta.url);
const runtime = new URL("../../assets/runtime/", here);

// Makes HTML and a worker's address of texts where a browser refuses texts there (Trusted Types). Who calls it answers for
// the text: it is the book's own, and no part of it a reader's or an answer's.
const texts = { createHTML: (text) => text, createScriptURL: (url) => url };
export const vouched = globalThis.trustedTypes?.createPolicy("book", texts) ?? texts;

// What the build says of the files that the page may ask for; asked for once, and again after a failure.
let manifest;
export function files() {
  manifest ??= described().catch((error) => {
    manifest = undefined;
    throw error;
  });
  return manifest;
}

async function described() {
  const response = await fetch(new URL("manifest.json", runtime));
  if (!response.ok) {
    throw new Error(`the list of the runtime's files: ${response.status} ${response.statusText}`);
  }
  const found = await response.json();
  for (const file of Object.values(found.files)) {
    file.url = new URL(file.url, runtime).href;
  }
  return found;
}

// Where the runtime comes from, in words.
export async function source() {
  const { host } = await files();
  return host ? `from ${new URL(host).host}` : "from this site";
}

// Returns the addresses of the archives with a subject's modules.
async function archives(subject) {
  const named = (await files()).archives[subject];
  if (!named) {
    throw new Error(`the site has no modules for ${subject}`);
  }
  return named.map((name) => new URL(name, runtime).href);
}

function inMega(bytes) {
  return (bytes / 1e6).toFixed(1);
}

let compiled; // Python's compiled code, once a worker has it

export class Stopped extends Error {}

const STEPS = 3; // it is loaded, it starts, it answers

const SILENT_S = 30; // how long a host may send nothing before it counts as out of reach

// What may come before an answer to a call: of messages, and of characters in them.
const MOST_MESSAGES = 20_000;
const MOST_CHARACTERS = 32_000_000;
const MOST_OF_ERROR = 2_000;

// One Python of its own. The book's modules come to it in archives, by the subject for which they are needed, such as
// "figures/snippets.memory.zero.live" or "exercises/memory/zero". What a Python sends that has executed a reader's text may
// be anything: its messages are counted and their types looked at here, and what a call returns by whoever asked.
export class Machine {
  #worker;
  #starting;
  #waiting = new Map();
  #modules = new Map(); // subject → promise of its modules
  #last = 0;
  #stops = 0;
  #messages = 0;
  #characters = 0;
  ready = false;

  // Whether something was asked of it, its start included, that is not there yet.
  get waits() {
    return this.#waiting.size > 0;
  }

  // Starts Python if it does not run, and gives it a subject's modules; `progress` gets a text that says how far
  // that is, and the same as a share, 0 to 1.
  async start(subject, progress = () => {}) {
    if (!this.#starting) {
      const starting = new Promise((resolve, reject) => {
        this.#waiting.set(undefined, { reject }); // so that it can be stopped, whatever it waits for
        this.#start(subject, progress).then(resolve, reject);
      }).catch((error) => {
        if (this.#starting === starting) {
          this.stop(); // another start may have begun since
        }
        throw error;
      });
      this.#starting = starting;
      this.#modules.set(subject, starting);
    }
    await this.#starting;
    if (!this.#modules.has(subject)) {
      const adding = this.#ask({ archives: await archives(subject) });
      this.#modules.set(subject, adding);
      adding.catch(() => this.#modules.delete(subject));
    }
    await this.#modules.get(subject);
  }

  async #start(subject, progress) {
    const stops = this.#stops;
    progress(`Python, 1/${STEPS}`, 0); // at once, before anything is asked for
    const from = await source();
    progress(`Python, 1/${STEPS}: loading ${from}`, 0);
    const found = await files();
    const code = await fetch(new URL("worker.js", here));
    if (!code.ok) {
      throw new Error(`worker.js: ${code.status} ${code.statusText}`);
    }
    const blob = await code.blob();
    if (stops !== this.#stops) {
      throw new Stopped("stopped");
    }
    const url = URL.createObjectURL(blob);
    const worker = new Worker(vouched.createScriptURL(url), { type: "module" });
    URL.revokeObjectURL(url);
    this.#worker = worker;
    let silent;
    await new Promise((resolve, reject) => {
      const heard = () => {
        clearTimeout(silent);
        const message = `nothing came for ${SILENT_S} s: is there a connection, or does something block it?`;
        silent = setTimeout(() => reject(new Error(message)), SILENT_S * 1000);
      };
      heard();
      worker.onerror = (event) => reject(new Error(event.message || "the worker cannot start"));
      worker.onmessage = ({ data }) => {
        heard();
        if (data.ready) {
          compiled = data.ready;
          progress(`Python, 3/${STEPS}: its first answer`, 2 / STEPS);
          resolve();
        } else if (data.error) {
          reject(new Error(data.error));
        } else if (data.loaded < data.total) {
          const megabytes = `${inMega(data.loaded)} of ${inMega(data.total)} MB`;
          progress(`Python, 1/${STEPS}: ${megabytes} ${from}`, data.loaded / data.total / STEPS);
        } else {
          progress(`Python, 2/${STEPS}: loaded, it starts`, 1 / STEPS);
        }
      };
      archives(subject).then((wanted) => worker.postMessage({ files: found.files, archives: wanted, compiled }), reject);
    }).finally(() => clearTimeout(silent));
    this.#waiting.delete(undefined);
    worker.onmessage = ({ data }) => this.#receive(data);
    this.ready = true;
  }

  #receive(data) {
    const { id, result, error, printed, told } = Object(data);
    this.#messages += 1;
    for (const text of [printed, told, error]) {
      this.#characters += typeof text === "string" ? text.length : 0;
    }
    if (this.#messages > MOST_MESSAGES || this.#characters > MOST_CHARACTERS) {
      this.#refuse("it sends more than a page can take");
      return;
    }
    const asked = this.#waiting.get(id);
    if (!asked) {
      return;
    }
    if (typeof printed === "string") {
      asked.printed?.(printed);
    } else if (typeof told === "string") {
      asked.told?.(told);
    } else {
      this.#waiting.delete(id);
      error === undefined ? asked.resolve(result) : asked.reject(new Error(String(error).slice(0, MOST_OF_ERROR)));
    }
  }

  #refuse(why) {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.stop();
    for (const { reject } of waiting) {
      reject(new Error(why));
    }
  }

  // Calls a function of a module that the subject has, with values that JSON can hold. With `told`, the function gets
  // one parameter more, by which it tells texts as it goes on; an empty one is a sign of life. `executes` says that the
  // function executes a reader's text: then Python is left no way to anything but this page, and is to be stopped after.
  async call(subject, module, name, parameters, { printed, told, executes = false } = {}) {
    await this.start(subject);
    return this.#ask({ module, name, parameters, tells: Boolean(told), executes }, { printed, told });
  }

  #ask(message, heard = {}) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#messages = this.#characters = 0;
      this.#waiting.set(id, { resolve, reject, ...heard });
      this.#worker.postMessage({ id, ...message });
    });
  }

  // Ends Python, whatever it does; what was asked of it is refused with `Stopped`. It can be started again.
  stop() {
    this.#stops += 1;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#starting = undefined;
    this.#modules.clear();
    this.ready = false;
    for (const { reject } of this.#waiting.values()) {
      reject(new Stopped("stopped"));
    }
    this.#waiting.clear();
  }
}
