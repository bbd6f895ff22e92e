// Runs Python for the page. It is started from a blob, so that the page's content security policy holds in it too: what
// runs here can ask the book's own site (and the runtime's, where that is another) for files, and nobody else.

const SOME_MS = 50; // how often what is printed goes to the page
const MOST_PRINTED = 1_000_000;

const plain = self.fetch.bind(self);
const post = self.postMessage.bind(self);
let python;
let loaded = 0;

// Fetches a file of the runtime, checks its hash where it comes from another host, and counts its bytes.
async function get(file, total) {
  const response = await plain(file.url, file.integrity ? { integrity: file.integrity } : {});
  if (!response.ok) {
    throw new Error(`${file.url}: ${response.status} ${response.statusText}`);
  }
  const counting = new TransformStream({
    transform(part, sink) {
      loaded += part.length;
      post({ loaded, total });
      sink.enqueue(part);
    },
  });
  const whole = await new Response(response.body.pipeThrough(counting)).blob(); // fails if the network does
  const type = file.url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(whole, { headers: { "Content-Type": type } });
}

// Imports a script of the runtime: the site's own by its address, one from another host from memory, so that what was
// checked is what runs. Only then does the page's policy allow scripts from memory.
async function imported(file, total) {
  if (!file.integrity) {
    const module = await import(file.url);
    loaded += file.bytes;
    post({ loaded, total });
    return module;
  }
  const response = await get(file, total);
  const url = URL.createObjectURL(new Blob([await response.text()], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

const unpacked = new Set(); // addresses of archives

// Fetches archives of the book's modules; returns what puts them where Python finds them.
async function fetched(archives) {
  const missing = archives.filter((url) => !unpacked.has(url));
  const packed = await Promise.all(
    missing.map(async (url) => {
      const response = await plain(url);
      if (!response.ok) {
        throw new Error(`${url}: ${response.status} ${response.statusText}`);
      }
      return [url, await response.arrayBuffer()];
    }),
  );
  return () => {
    for (const [url, content] of packed) {
      python.unpackArchive(content, "zip", { extractDir: "/book" });
      unpacked.add(url);
    }
    python.runPython("import importlib; importlib.invalidate_caches()");
  };
}

// Starts Python and returns its compiled code, which another worker's start saves to compile anew.
async function start({ files, archives, compiled }) {
  const scripts = ["pyodide.mjs", "pyodide.asm.mjs"];
  const names = ["python_stdlib.zip", "pyodide-lock.json", ...(compiled ? [] : ["pyodide.asm.wasm"])];
  const total = [...scripts, ...names].reduce((sum, name) => sum + files[name].bytes, 0);
  // All are waited for, since Pyodide waits for ever for a file that fails.
  const [unpack, { loadPyodide }, assembly, ...responses] = await Promise.all([
    fetched(archives),
    ...scripts.map((name) => imported(files[name], total)),
    ...names.map((name) => get(files[name], total)),
  ]);
  const answers = Object.fromEntries(names.map((name, number) => [name, responses[number]]));
  const module = compiled ?? (await WebAssembly.compileStreaming(answers["pyodide.asm.wasm"]));
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
  answers["pyodide.asm.wasm"] = new Response();
  // Pyodide asks for its files by these names, whatever their real address.
  const base = "https://runtime.invalid/";
  self.fetch = async (url, options) => answers[String(url).replace(base, "")] ?? plain(url, options);
  python = await loadPyodide({
    indexURL: base,
    createPyodideModule: assembly.default,
    lockFileContents: await answers["pyodide-lock.json"].json(),
    env: { PYTHONHASHSEED: "0", HOME: "/home" },
    checkAPIVersion: false,
  });
  self.fetch = plain;
  WebAssembly.instantiateStreaming = instantiateStreaming;
  unpack();
  python.runPython(`
import sys
sys.path.insert(0, "/book")
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(line_buffering=True)
`);
  return module;
}

// Sends what is printed to the page: at once if it is little, in pieces if it is much, cut if it is too much.
function printer(id) {
  const decoder = new TextDecoder();
  let waiting = "";
  let sent = 0;
  let last = 0;
  const flush = () => {
    if (waiting) {
      post({ id, printed: waiting });
      waiting = "";
      last = performance.now();
    }
  };
  const write = (bytes) => {
    if (sent < MOST_PRINTED) {
      const text = decoder.decode(bytes, { stream: true });
      waiting += text.slice(0, MOST_PRINTED - sent);
      sent += text.length;
      if (sent >= MOST_PRINTED) {
        waiting += "\n… more is printed than a page can show (1 MB).\n";
      }
      if (performance.now() - last > SOME_MS) {
        flush();
      }
    }
    return bytes.length;
  };
  return { write, flush };
}

// What a text may find of the browser: the language, time, and what Python itself uses.
const LEFT = new Set([
  ...["Object", "Function", "Array", "Number", "Boolean", "String", "Symbol", "BigInt", "Date", "Promise", "RegExp", "JSON"],
  ...["Math", "Intl", "Reflect", "Proxy", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Iterator"],
  ...["Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"],
  ...["SuppressedError", "DOMException", "ArrayBuffer", "SharedArrayBuffer", "Atomics", "DataView", "Uint8Array", "Int8Array"],
  ...["Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "Float16Array", "Float32Array", "Float64Array"],
  ...["Uint8ClampedArray", "BigUint64Array", "BigInt64Array", "WebAssembly", "globalThis", "self", "undefined", "NaN", "Infinity"],
  ...["parseFloat", "parseInt", "isFinite", "isNaN", "eval", "escape", "unescape", "decodeURI", "decodeURIComponent"],
  ...["encodeURI", "encodeURIComponent", "console", "performance", "crypto", "TextDecoder", "TextEncoder", "queueMicrotask"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "structuredClone", "MessageChannel", "MessagePort"],
  ...["AbortController", "AbortSignal", "Event", "EventTarget", "atob", "btoa", "constructor"],
]);

// Takes from this worker for good what stores, sends, loads or starts anything, before a text is executed that may be
// a stranger's: this site's databases and caches, its files, other workers, and the page's ear.
function confine() {
  for (let owner = self; owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const [name, { configurable, value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      const isConstant = !configurable && typeof value === "number"; // such as TEMPORARY
      if (!LEFT.has(name) && !isConstant) {
        delete owner[name]; // raises where it cannot
      }
    }
  }
}

function call({ id, module, name, parameters, tells, executes }) {
  const output = printer(id);
  python.setStdout({ write: output.write });
  python.setStderr({ write: output.write });
  const modules = python.pyimport(module);
  const values = parameters.map((value) => (value !== null && typeof value === "object" ? python.toPy(value) : value));
  if (tells) {
    let last = 0;
    values.push((told) => {
      if (told || performance.now() - last > SOME_MS) {
        last = performance.now();
        post({ id, told });
      }
    });
  }
  if (executes) {
    confine();
  }
  let result;
  try {
    result = modules[name](...values);
  } finally {
    emptyStreams();
    output.flush();
    modules.destroy();
  }
  post({ id, result: result?.toJs ? result.toJs({ dict_converter: Object.fromEntries }) : result });
  result?.destroy?.();
}

// A line that does not end waits in Python's own buffers.
function emptyStreams() {
  python.runPython("import sys; sys.__stdout__.flush(); sys.__stderr__.flush()");
}

self.onmessage = async ({ data }) => {
  try {
    if (data.files) {
      post({ ready: await start(data) });
    } else if (data.archives) {
      (await fetched(data.archives))();
      post({ id: data.id });
    } else {
      call(data);
    }
  } catch (error) {
    post({ id: data.id, error: String(error?.message ?? error) });
  }
};
