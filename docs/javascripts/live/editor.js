// The editor: CodeMirror. The site's own copies of its packages import each other by their addresses. From another host
// come the packages as they are, which import each other by bare names: each is fetched and checked against its hash, its
// imports are led to those fetched before it, and it is imported from memory, which only then the page's policy allows.

import { files } from "./runtime.js";

const IMPORTS = /^((?:import|export)\b[^;]*?\bfrom\s*)(['"])([^'"]+)\2/gm;

const SILENT_MS = 30_000; // how long a file may take

let loading;
function packages() {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

const PARTS = ["commands", "lang-python", "language", "state", "view"].map((name) => `@codemirror/${name}`);
const WANTED = [...PARTS, "@lezer/highlight"];

async function load() {
  const { host, editor, files: all } = await files();
  // Fetched first: a browser does not ask again for a module that it could not load.
  const texts = await Promise.all(editor.map((name) => text(all[name])));
  const urls = host ? fromMemory(editor, texts) : editor.map((name) => all[name].url);
  try {
    const modules = await Promise.all(urls.map((url) => import(url))); // all are asked for at once
    return Object.assign({}, ...modules.filter((_, number) => WANTED.includes(editor[number])));
  } finally {
    urls.forEach(URL.revokeObjectURL);
  }
}

function fromMemory(names, texts) {
  const urls = {};
  names.forEach((name, number) => {
    const led = texts[number].replace(IMPORTS, (whole, before, quote, other) => {
      return other in urls ? `${before}${quote}${urls[other]}${quote}` : whole;
    });
    urls[name] = URL.createObjectURL(new Blob([led], { type: "text/javascript" }));
  });
  return names.map((name) => urls[name]);
}

async function text({ url, integrity }) {
  const response = await fetch(url, { signal: AbortSignal.timeout(SILENT_MS), integrity });
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  return response.text();
}

// Makes an editor of Python. `changed` is called when the reader changes the text, not when `replace` does; `keys` are
// functions by CodeMirror's names of keys.
export async function createEditor({ parent, text, attributes, changed, keys }) {
  const code = await packages();
  const elsewhere = code.Annotation.define();
  const typing = { spellcheck: "false", autocapitalize: "off", tabindex: "0" };
  const bindings = Object.entries(keys).map(([key, act]) => ({ key, run: () => (act(), true) }));
  const view = new code.EditorView({
    parent,
    doc: text,
    extensions: [
      code.lineNumbers(),
      code.history(),
      code.bracketMatching(),
      code.indentUnit.of("    "),
      code.EditorState.tabSize.of(4),
      code.python(),
      code.syntaxHighlighting(code.classHighlighter),
      code.keymap.of([...bindings, code.indentWithTab, ...code.defaultKeymap, ...code.historyKeymap]),
      code.EditorView.contentAttributes.of({ ...typing, ...attributes }),
      code.EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((step) => step.annotation(elsewhere))) {
          changed();
        }
      }),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      const { anchor } = view.state.selection.main;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: Math.min(anchor, text.length) },
        annotations: elsewhere.of(true),
      });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
