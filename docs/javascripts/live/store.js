// What the reader writes, kept in this browser: by the exercise's id ("parallelism/pipeline/cut_layers") its text, its
// state and its earlier versions. docs/javascripts/book.js reads the state under the same keys.

const PREFIX = "one-gradient:";
const VERSIONS = "#versions";
const MOST_VERSIONS = 20;
const memory = new Map(); // what the browser did not keep, for as long as the page lives
const watchers = new Set();

function read(key) {
  if (memory.has(key)) {
    return memory.get(key);
  }
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key)) ?? undefined;
  } catch {
    return undefined; // storage is forbidden, or something else wrote there
  }
}

function write(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

// What is kept of an answer, and its earlier versions, is what this page wrote, or came by a file.
export function isAnswer(entry) {
  return typeof entry?.text === "string" && (entry.state === undefined || ["draft", "tried", "solved"].includes(entry.state));
}

export function areVersions(list) {
  return Array.isArray(list) && list.every((one) => typeof one?.text === "string" && Number.isFinite(one.at));
}

// Says whether all that the reader wrote is kept beyond this page.
export function safe() {
  return ![...memory.keys()].some((key) => !key.endsWith(VERSIONS));
}

export function get(id) {
  const entry = read(id);
  return isAnswer(entry) ? entry : undefined;
}

// Keeps a text with its state: "draft", "tried" or "solved", and whether it was changed since it was graded.
export function put(id, entry) {
  write(id, entry);
  tell(id, entry);
}

export function remove(id) {
  memory.delete(id);
  try {
    localStorage.removeItem(PREFIX + id);
  } catch {
    // there is nothing to remove where storage is forbidden
  }
  tell(id, undefined);
}

// Earlier texts, the latest first: {text, at, why}.
export function versions(id) {
  const list = read(id + VERSIONS);
  return areVersions(list) ? list : [];
}

export function keepVersion(id, text, why) {
  const [last, ...older] = versions(id);
  const others = last && last.text === text ? older : [last, ...older].filter(Boolean);
  write(id + VERSIONS, [{ text, at: Date.now(), why }, ...others].slice(0, MOST_VERSIONS));
}

// Calls a function with (id, entry, elsewhere) whenever a text changes, in this page or in another tab.
export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function tell(id, entry, elsewhere = false) {
  document.dispatchEvent(new CustomEvent("exercise-kept", { detail: [id, entry] }));
  for (const watcher of watchers) {
    watcher(id, entry, elsewhere);
  }
}

window.addEventListener("storage", ({ key }) => {
  if (key?.startsWith(PREFIX) && !key.endsWith(VERSIONS)) {
    const id = key.slice(PREFIX.length);
    tell(id, get(id), true);
  }
});
window.addEventListener("beforeunload", (event) => {
  if (!safe()) {
    event.preventDefault(); // the browser asks whether to leave
  }
});
