// Runs Python for the page. It is started from a blob, so that the page's content security policy holds in it too: what
// runs here can ask the book's own site (and the runtime's, where that is another) for files, and nobody else.

const SOME_MS = 50; // how often what is printed goes to the page
const MOST_PRINTED = 1_000_000;

const plain = self.fetch.bind(self);
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
      postMessage({ loaded, total });
      sink.enqueue(part);
    },
  });
  const whole = await new Response(response.body.pipeThrough(counting)).blob(); // fails if the network does
  const type = file.url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(whole, { headers: { "Content-Type": type } });
}

async function imported(response) {
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

async function start({ files, archives }) {
  const names = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
  const total = names.reduce((sum, name) => sum + files[name].bytes, 0);
  // All are waited for, since Pyodide waits for ever for a file that fails.
  const [unpack, ...responses] = await Promise.all([
    fetched(archives),
    ...names.map((name) => get(files[name], total)),
  ]);
  const answers = Object.fromEntries(names.map((name, number) => [name, responses[number]]));
  // Pyodide asks for its files by these names, whatever their real address.
  const base = "https://runtime.invalid/";
  self.fetch = async (url, options) => answers[String(url).replace(base, "")] ?? plain(url, options);
  const { loadPyodide } = await imported(answers["pyodide.mjs"]);
  const assembly = await imported(answers["pyodide.asm.mjs"]);
  python = await loadPyodide({
    indexURL: base,
    createPyodideModule: assembly.default,
    lockFileContents: await answers["pyodide-lock.json"].json(),
    env: { PYTHONHASHSEED: "0", HOME: "/home" },
    checkAPIVersion: false,
  });
  self.fetch = plain;
  unpack();
  python.runPython(`
import sys
sys.path.insert(0, "/book")
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(line_buffering=True)
`);
}

// Sends what is printed to the page: at once if it is little, in pieces if it is much, cut if it is too much.
function printer(id) {
  const decoder = new TextDecoder();
  let waiting = "";
  let sent = 0;
  let last = 0;
  const flush = () => {
    if (waiting) {
      postMessage({ id, printed: waiting });
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

function call({ id, module, name, parameters, beats }) {
  const output = printer(id);
  python.setStdout({ write: output.write });
  python.setStderr({ write: output.write });
  const modules = python.pyimport(module);
  const values = parameters.map((value) => (value !== null && typeof value === "object" ? python.toPy(value) : value));
  if (beats) {
    let last = 0;
    values.push(() => {
      if (performance.now() - last > SOME_MS) {
        last = performance.now();
        postMessage({ id, beat: true });
      }
    });
  }
  let result;
  try {
    result = modules[name](...values);
  } finally {
    emptyStreams();
    output.flush();
    modules.destroy();
  }
  postMessage({ id, result: result?.toJs ? result.toJs({ dict_converter: Object.fromEntries }) : result });
  result?.destroy?.();
}

// A line that does not end waits in Python's own buffers.
function emptyStreams() {
  python.runPython("import sys; sys.__stdout__.flush(); sys.__stderr__.flush()");
}

self.onmessage = async ({ data }) => {
  try {
    if (data.files) {
      await start(data);
      postMessage({ ready: true });
    } else if (data.archives) {
      (await fetched(data.archives))();
      postMessage({ id: data.id });
    } else {
      call(data);
    }
  } catch (error) {
    postMessage({ id: data.id, error: String(error?.message ?? error) });
  }
};
