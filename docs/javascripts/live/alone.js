// A live figure alone, in a frame of another page or in a tab: its palette, and its height for the page around it.
// book.js does the rest, as in a chapter.

const PALETTES = { light: "default", dark: "slate" };
const query = new URLSearchParams(location.search);
const asked = query.get("theme");
const onSlide = query.has("slide"); // then its knobs stand beside its panels, and nothing else is there
const dark = matchMedia("(prefers-color-scheme: dark)");

// Takes the palette that the address asks for, else the reader's own.
function takePalette() {
  const theme = Object.hasOwn(PALETTES, asked) ? asked : dark.matches ? "dark" : "light";
  document.documentElement.dataset.mdColorScheme = PALETTES[theme];
}
takePalette();
dark.addEventListener("change", takePalette);
document.documentElement.classList.toggle("on-slide", onSlide);

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

// On a slide the panels are as large as what the knobs leave them; they shrink when a setting's no longer fit.
const [LARGEST, SMALLEST, STEP] = [2, 0.5, 0.05];
function fitPanels(largest) {
  const panels = document.querySelector(".live .panels");
  const room = panels.parentElement.getBoundingClientRect().bottom - panels.getBoundingClientRect().top;
  for (let zoom = largest; zoom >= SMALLEST; zoom -= STEP) {
    panels.style.zoom = zoom;
    if (panels.scrollWidth <= panels.clientWidth && panels.getBoundingClientRect().height <= room) return;
  }
}
if (onSlide) {
  addEventListener("load", () => {
    const panels = document.querySelector(".live .panels");
    const resized = new ResizeObserver(() => fitPanels(LARGEST));
    [document.documentElement, document.querySelector(".live-status")].forEach((around) => resized.observe(around));
    new MutationObserver(() => fitPanels(Number(panels.style.zoom))).observe(panels, { childList: true });
  });
}
