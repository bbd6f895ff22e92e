// Starts Python in a worker, asks it for things, and stops it.

const here = new URL(".", import.meta.url);
const runtime = new URL("../../assets/runtime/", here);

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

export class Stopped extends Error {}

const SILENT_S = 30; // how long a host may send nothing before it counts as out of reach

// One Python of its own. `part` names the archive of the book's modules that it has: "figures" or "exercises".
export class Machine {
  #part;
  #worker;
  #starting;
  #waiting = new Map();
  #last = 0;
  #stops = 0;

  constructor(part) {
    this.#part = part;
    this.ready = false;
  }

  // Starts Python if it does not run; `progress` gets the share that is loaded, 0 to 1, and where it comes from.
  start(progress = () => {}) {
    if (!this.#starting) {
      const starting = new Promise((resolve, reject) => {
        this.#waiting.set(undefined, { reject }); // so that it can be stopped, whatever it waits for
        this.#start(progress).then(resolve, reject);
      }).catch((error) => {
        if (this.#starting === starting) {
          this.stop(); // another start may have begun since
        }
        throw error;
      });
      this.#starting = starting;
    }
    return this.#starting;
  }

  async #start(progress) {
    const stops = this.#stops;
    const from = await source();
    progress(0, from);
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
    const worker = new Worker(url, { type: "module" });
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
        if (data.ready) {
          resolve();
        } else if (data.error) {
          reject(new Error(data.error));
        } else {
          heard();
          progress(Math.min(data.loaded / data.total, 1), from);
        }
      };
      const archive = new URL(found.archives[this.#part], runtime).href;
      worker.postMessage({ files: found.files, archive });
    }).finally(() => clearTimeout(silent));
    this.#waiting.delete(undefined);
    worker.onmessage = ({ data }) => this.#receive(data);
    this.ready = true;
  }

  #receive({ id, result, error, printed, beat }) {
    const asked = this.#waiting.get(id);
    if (!asked) {
      return;
    }
    if (printed !== undefined) {
      asked.printed(printed);
    } else if (beat) {
      asked.beat();
    } else {
      this.#waiting.delete(id);
      error === undefined ? asked.resolve(result) : asked.reject(new Error(error));
    }
  }

  // Calls a function of a Python module with values that JSON can hold. With `beat`, the function gets one parameter
  // more, which it calls as a sign of life.
  async call(module, name, parameters, { printed = () => {}, beat } = {}) {
    await this.start();
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject, printed, beat });
      this.#worker.postMessage({ id, module, name, parameters, beats: Boolean(beat) });
    });
  }

  // Ends Python, whatever it does; what was asked of it is refused with `Stopped`. It can be started again.
  stop() {
    this.#stops += 1;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#starting = undefined;
    this.ready = false;
    for (const { reject } of this.#waiting.values()) {
      reject(new Stopped("stopped"));
    }
    this.#waiting.clear();
  }
}
