// A live figure alone, in a frame of another page or in a tab: its palette, and its height for the page around it.
// book.js does the rest, as in a chapter.

const PALETTES = { light: "default", dark: "slate" };
const asked = new URLSearchParams(location.search).get("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");

// Takes the palette that the address asks for, else the reader's own.
function takePalette() {
  const theme = Object.hasOwn(PALETTES, asked) ? asked : dark.matches ? "dark" : "light";
  document.documentElement.dataset.mdColorScheme = PALETTES[theme];
}
takePalette();
dark.addEventListener("change", takePalette);

// What book.js expects of the theme: here the page is there once and for all.
globalThis.document$ = { subscribe: (show) => show() };

// Tells the page around it the figure's height, now and whenever it changes; it is no secret, whoever that is.
function tellHeight() {
  const { name } = document.querySelector(".live").dataset;
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  window.parent.postMessage({ type: "one-gradient:height", name, height }, "*");
}
if (window !== window.parent) {
  addEventListener("load", () => {
    tellHeight(); // an observer says nothing in a frame that is out of sight
    new ResizeObserver(tellHeight).observe(document.body);
  });
}
