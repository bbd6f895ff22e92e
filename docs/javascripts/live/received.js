// What comes out of a Python that has executed a reader's text, looked at before the page uses it. A text may be a
// stranger's and may have forged all of it: so it is data of these types and sizes or it is refused, and what is drawn of
// it is made here, of numbers and texts.

const SVG = "http://www.w3.org/2000/svg";
const MOST_TEXT = 100_000;
const MOST_DRAWINGS = 8;
const MOST_SHAPES = 3_000;
const MOST_PX = 2_000;
const STATES = ["solved", "wrong", "open"];

class Refused extends Error {}

function check(fits, what) {
  if (!fits) {
    throw new Refused(`what Python sends is no ${what}`);
  }
}

function text(value, what, most = MOST_TEXT) {
  check(typeof value === "string" && value.length <= most, what);
  return value;
}

// Returns what `run` says went wrong, or "".
export function errorOf(data) {
  return text(Object(data).error, "error");
}

// Returns a verdict: the parts of it that the page shows.
export function verdictOf(data) {
  const { status, message, says, given, printed, case: number, draws } = Object(data);
  check(STATES.includes(status), "verdict");
  for (const part of [message, says, given, printed]) {
    text(part, "verdict");
  }
  return { status, message, says, given, printed, drawn: draws === true && Number.isSafeInteger(number) ? number : undefined };
}

// Returns the lines that `where` tells, "[3, 5]", in words, and "" of anything else.
export function linesOf(told) {
  const pair = /^\[(\d{1,6}), (\d{1,6})\]$/.exec(told);
  if (!pair) {
    return "";
  }
  const [, first, last] = pair;
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

// Returns the texts that a file has for exercises of these names, and what is to be said of it.
export function textsOf(data, names) {
  const { texts, notice } = Object(data);
  const found = names.filter((name) => Object.hasOwn(Object(texts), name));
  return { texts: found.map((name) => [name, text(texts[name], "answer")]), notice: text(notice, "notice") };
}

// Drawings ------------------------------------------------------------------------------------------------------------

const NUMBERS = /^[-+\d.e ,]{1,20000}$/;
const PATH = /^[-+\d.e ,MLHVZmlhvz]{1,100000}$/;
const PLACES = { x: NUMBERS, y: NUMBERS, width: NUMBERS, height: NUMBERS, x1: NUMBERS, y1: NUMBERS, x2: NUMBERS, y2: NUMBERS, d: PATH };
const STYLES = {
  ...{ "fill-opacity": NUMBERS, "stroke-width": NUMBERS, "stroke-opacity": NUMBERS, "stroke-dasharray": NUMBERS },
  ...{ "font-size": NUMBERS, "font-weight": NUMBERS, "stroke-linecap": /^round$/ },
};
const TAGS = ["rect", "line", "path", "text"];
const CLASS = /^(?:start|end|([blt])-([a-z\d-]{1,40}))$/;

// As `snippets/drawing.py` has it of a block, a line and a text or arrow head.
const COLOURED = {
  b: (colour) => ({ fill: colour, "fill-opacity": "0.22", stroke: colour, "stroke-width": "1.5" }),
  l: (colour) => ({ fill: "none", stroke: colour, "stroke-width": "1.5" }),
  t: (colour) => ({ fill: colour }),
};

// Returns drawings as SVG elements.
export function drawingsOf(data) {
  check(Array.isArray(data) && data.length <= MOST_DRAWINGS, "list of drawings");
  return data.map(drawing);
}

function drawing(data) {
  const { width, height, shapes } = Object(data);
  for (const side of [width, height]) {
    check(typeof side === "number" && side > 0 && side <= MOST_PX, "size");
  }
  check(Array.isArray(shapes) && shapes.length <= MOST_SHAPES, "list of shapes");
  const svg = document.createElementNS(SVG, "svg");
  const about = { viewBox: `0 0 ${width} ${height}`, width, height, class: "panel" };
  for (const [name, value] of Object.entries({ ...about, "font-family": "system-ui, sans-serif", "font-size": 13 })) {
    svg.setAttribute(name, value);
  }
  svg.append(...shapes.map(shape));
  return svg;
}

function shape(data) {
  check(Array.isArray(data) && data.length === 3 && TAGS.includes(data[0]), "shape");
  const [tag, attributes, content] = data;
  const element = document.createElementNS(SVG, tag);
  element.textContent = text(content, "text", 1_000);
  if (tag === "text") {
    style(element, { fill: "var(--ink)", "text-anchor": "middle" });
  }
  const { class: classes = "", ...others } = Object(attributes);
  for (const name of text(classes, "class", 200).split(" ").filter(Boolean)) {
    const [, kind, colour] = CLASS.exec(name) ?? check(false, "class");
    style(element, kind ? COLOURED[kind](`var(--${colour})`) : { "text-anchor": name });
  }
  for (const [name, value] of Object.entries(others)) {
    const places = Object.hasOwn(PLACES, name);
    check(places || Object.hasOwn(STYLES, name), "attribute");
    check((places ? PLACES : STYLES)[name].test(text(value, "attribute")), "attribute");
    places ? element.setAttribute(name, value) : style(element, { [name]: value });
  }
  return element;
}

// What the page's other pictures say of all their texts is weaker than this.
function style(element, rules) {
  for (const [name, value] of Object.entries(rules)) {
    element.style.setProperty(name, name === "font-size" ? `${value}px` : value);
  }
}
