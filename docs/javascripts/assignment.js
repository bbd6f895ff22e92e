// A teacher's assignment on the page of exercises: the file is read as pytest reads it (grader/assignment.py), and stays
// in this browser. What comes from it is text on the page, never HTML.

const KEY = "assignment";
const LARGEST_BYTES = 100_000;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/;

let text = ""; // as it is kept, or, where storage is forbidden, as long as the page lives

// Returns the page's line of an exercise, "owners" or "zero/owners".
function lineOf(name) {
  const [, chapter = "", short] = /^(?:(.*)\/)?([^/]*)$/.exec(name);
  const lines = [...document.querySelectorAll(".exercise-board [data-name]")];
  const found = lines.filter((line) => line.dataset.name === short && chapterOf(line).endsWith(chapter));
  if (found.length !== 1) throw new Error(`${found.length || "no"} exercises are called ${name}`);
  return found[0];
}

const chapterOf = (line) => line.closest("[data-chapter]").dataset.chapter;

function timeOf(words, before) {
  const time = TIME.test(words) ? new Date(words.replace(" ", "T")) : new Date(NaN);
  if (before) throw new Error(`a deadline must stand there once, got ${words}`);
  if (Number.isNaN(time.valueOf())) {
    throw new Error(`a deadline must be a time with its offset, as in 2026-12-01T18:00+01:00, got ${words || "none"}`);
  }
  return time;
}

// Returns {asked: [{line, weight}], deadline} of a file's text.
function read(source) {
  const asked = [];
  let deadline;
  for (const [number, written] of source.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).entries()) {
    const [name, ...rest] = written.split("#")[0].split(/\s+/).filter(Boolean);
    try {
      if (name === "deadline") {
        deadline = timeOf(rest.join(" "), deadline);
      } else if (name) {
        const [weight, ...more] = rest;
        if (more.length) throw new Error(`a line must have an exercise and at most its weight, got ${[name, ...rest].join(" ")}`);
        if (weight && !/^\d+\.?\d*$|^\.\d+$/.test(weight)) throw new Error(`a weight must be a number of at least 0, got ${weight}`);
        asked.push({ line: lineOf(name), weight });
      }
    } catch (error) {
      throw new Error(`line ${number + 1}: ${error.message}`);
    }
  }
  if (!asked.length) throw new Error("it names no exercise");
  return { asked, deadline };
}

function due(deadline) {
  const hours = Math.abs(deadline - Date.now()) / 3_600_000;
  const [count, unit] = hours < 1 ? [hours * 60, "minute"] : hours < 48 ? [hours, "hour"] : [hours / 24, "day"];
  const away = `${Math.floor(count)} ${unit}${Math.floor(count) === 1 ? "" : "s"}`;
  const when = deadline.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" });
  return `Due ${when} by this browser's clock, ${deadline > Date.now() ? `in ${away}` : `${away} ago`}.`;
}

function itemOf({ line, weight }) {
  const item = document.createElement("li");
  Object.assign(item.dataset, { chapter: chapterOf(line), name: line.dataset.name });
  const link = line.querySelector("a").cloneNode(true);
  const state = Object.assign(document.createElement("span"), { className: "exercise-status" });
  const counts = weight ? `counts ${weight}` : "";
  item.append(link, " ", counts, " ", ...(line.querySelector(".exercise-status") ? [state] : ["in a terminal or a notebook"]));
  return item;
}

function draw(box, say) {
  const list = box.querySelector("ul");
  list.replaceChildren();
  box.querySelector("[value=forget]").hidden = !text;
  if (!text) return;
  const { asked, deadline } = read(text);
  list.replaceChildren(...asked.map(itemOf));
  say(deadline ? due(deadline) : "This assignment has no deadline.");
  document.dispatchEvent(new CustomEvent("exercise-kept", { detail: ["", undefined] })); // book.js fills in the states
}

function keep(value) {
  text = value;
  try {
    value ? localStorage.setItem(KEY, value) : localStorage.removeItem(KEY);
  } catch {} // storage is forbidden
}

export function show(box) {
  const say = (words) => box.querySelector("[role=status]").replaceChildren(words);
  try {
    text = localStorage.getItem(KEY) ?? text;
  } catch {} // storage is forbidden
  try {
    draw(box, say);
  } catch (error) {
    say(`The assignment that is kept here does not fit this book: ${error.message}.`); // of another edition
  }
  box.hidden = false;
  box.onclick = ({ target }) => {
    if (target.value === "forget") {
      keep("");
      draw(box, say);
      say("It is forgotten. What you wrote stays.");
    } else if (target.value === "take") {
      takeIn(box, say);
    }
  };
}

function takeIn(box, say) {
  const choose = Object.assign(document.createElement("input"), { type: "file", accept: ".txt,text/plain" });
  choose.addEventListener("change", async () => {
    const [file] = choose.files;
    try {
      if (file.size > LARGEST_BYTES) throw new Error(`it has ${file.size.toLocaleString("en")} bytes, and at most 100,000 are taken`);
      const source = await file.text();
      read(source);
      keep(source);
      draw(box, say);
    } catch (error) {
      say(`${file.name} is not taken in: ${error.message}.`);
    }
  });
  choose.click();
}
