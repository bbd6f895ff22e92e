// The board: what this browser knows of each chapter, beside its line in the table of the whole book, and the file that
// takes it to another browser. Loaded on the page that has one. What comes from a file is text on the page, never HTML.

import * as store from "./live/store.js";

const ANSWERS = "one-gradient:";
const KINDS = [ANSWERS, "guess ", "quiz ", "read "];
const LARGEST_BYTES = 5_000_000;

function entries() {
  try {
    return Object.entries(localStorage).filter(([key]) => KINDS.some((kind) => key.startsWith(kind)));
  } catch {
    return []; // storage is forbidden
  }
}

// Returns the folder of a page's exercises: "parallelism/pipeline" of "…/parallelism/18-pipeline/".
function exercisesOf(path) {
  const [part, name] = path.split("/").slice(-3);
  return `${part}/${name.replace(/^\w+?-/, "").replaceAll("-", "_")}/`;
}

function solved(key, text) {
  try {
    return !key.includes("#") && JSON.parse(text).state === "solved";
  } catch {
    return false;
  }
}

// Says whether an entry is one that this book's pages can read: an answer, its earlier versions, or a plain text.
function isReadable([key, value]) {
  if (!key.startsWith(ANSWERS)) {
    return true;
  }
  try {
    return key.includes("#") ? store.areVersions(JSON.parse(value)) : store.isAnswer(JSON.parse(value));
  } catch {
    return false;
  }
}

function knownOf(path, kept) {
  const known = [];
  const read = kept.find(([key]) => key === `read ${path}`);
  if (read) known.push("✓ read");
  const quiz = kept.find(([key]) => key.startsWith(`quiz ${path} `));
  if (quiz) {
    const right = quiz[0].split(" ").at(-1);
    const hits = [...right].filter((letter, i) => quiz[1][i] === letter).length;
    known.push(`quiz ${hits} of ${right.length}`);
  }
  const mine = `${ANSWERS}${exercisesOf(path)}`;
  const count = kept.filter(([key, text]) => key.startsWith(mine) && solved(key, text)).length;
  if (count) known.push(`${count} solved`);
  if (!known.length && kept.some(([key]) => key === `guess ${path}` || key.startsWith(mine))) known.push("◐ begun");
  return known.join(" · ");
}

// Shows beside each chapter of the table what is known of it.
export function show(board) {
  const kept = entries();
  for (const link of document.querySelectorAll("article td:first-child > a[href]")) {
    const known = knownOf(new URL(link.href).pathname, kept);
    const mark = link.parentElement.querySelector(".own-mark") ?? document.createElement("span");
    mark.className = "own-mark";
    mark.textContent = known;
    link.after(mark);
  }
  board.hidden = false;
}

document.addEventListener("click", ({ target }) => {
  const board = target.matches?.("button") && target.closest(".own-board");
  if (board) {
    const say = (text) => board.querySelector("[role=status]").replaceChildren(text);
    target.value === "save" ? save(say) : takeIn(say);
  }
});

function save(say) {
  const kept = entries().filter(isReadable);
  if (!kept.length) {
    say("There is nothing to save: this browser keeps nothing of this book yet.");
    return;
  }
  const url = URL.createObjectURL(new Blob([JSON.stringify(Object.fromEntries(kept), null, 1)], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: "one-gradient.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  say("The file is saved. Take it in with the other button, in another browser.");
}

function takeIn(say) {
  const choose = Object.assign(document.createElement("input"), { type: "file", accept: ".json,application/json" });
  choose.addEventListener("change", async () => {
    const [file] = choose.files;
    if (file.size > LARGEST_BYTES) {
      say(`${file.name} is not taken in: it has ${file.size.toLocaleString("en")} bytes, and at most 5,000,000 are taken.`);
      return;
    }
    try {
      say(await taken(await file.text()));
    } catch (error) {
      say(`${file.name} is not taken in: ${error instanceof SyntaxError ? "it is no file of this board." : error.message}`);
    }
    show(document.querySelector(".own-board"));
  });
  choose.click();
}

// Takes in what is new. What this browser has stays; an answer that differs is put among its earlier versions.
async function taken(text) {
  const found = JSON.parse(text);
  const isText = ([key, value]) => KINDS.some((kind) => key.startsWith(kind)) && typeof value === "string";
  if (Object.prototype.toString.call(found) !== "[object Object]" || !Object.entries(found).every(isText)) throw new SyntaxError();
  const unreadable = Object.entries(found).find((entry) => !isReadable(entry));
  if (unreadable) throw new Error(`what it has as ${unreadable[0].slice(0, 100)} is no answer.`);
  let count = 0;
  for (const [key, value] of Object.entries(found)) {
    const here = localStorage.getItem(key);
    const id = key.slice(ANSWERS.length);
    if (here === null) {
      localStorage.setItem(key, value);
      count += 1;
    } else if (here !== value && key.startsWith(ANSWERS) && !key.includes("#")) {
      const { text } = JSON.parse(value);
      if (text !== store.get(id)?.text) store.keepVersion(id, text, "from a file");
    }
  }
  return `New: ${count}. What was here has stayed.`;
}

// The map of the book marks what comes before the chapter that is pointed at.
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, ({ target }) => {
    const map = target.closest?.(".book-map");
    if (map) {
      const tile = target.closest("[data-before]");
      const before = new Set(tile?.dataset.before.split(" "));
      const reached = new Set([...before, tile?.dataset.number]);
      for (const other of map.querySelectorAll("li[data-number]")) {
        other.classList.toggle("before", before.has(other.dataset.number));
      }
      for (const line of map.querySelectorAll("path")) {
        line.classList.toggle("before", before.has(line.dataset.from) && reached.has(line.dataset.to));
      }
    }
  });
}
