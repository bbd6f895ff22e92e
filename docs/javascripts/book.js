// What is wider than the screen scrolls in a box of its own; the keyboard has to reach it.
function letKeyboardScroll() {
  for (const box of document.querySelectorAll(".math-display, .panels, .output-text, .output-html, .md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) {
      box.setAttribute("tabindex", "0");
    } else {
      box.removeAttribute("tabindex");
    }
  }
}

document$.subscribe(() => {
  document.fonts.ready.then(letKeyboardScroll);
});
window.addEventListener("resize", letKeyboardScroll);
// A printed page shows what is folded.
window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("article details:not([open])")) {
    fold.open = true;
    fold.dataset.printed = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-printed]")) {
    fold.open = false;
    delete fold.dataset.printed;
  }
});

// Live figures: their script, and Python with it, comes when a knob is first touched or a link names a setting.
const scripts = new URL("live/", document.currentScript.src);

async function live(work) {
  try {
    work(await import(new URL("figure.js", scripts)));
  } catch (error) {
    console.warn(`The live figures' script could not be loaded: ${error.message}`);
  }
}

for (const kind of ["pointerdown", "input", "change", "click", "reset", "submit"]) {
  document.addEventListener(kind, (event) => {
    const element = event.target.closest?.(".live");
    const inside = element && event.target.closest(".knobs, .live-tools a");
    if (inside) {
      if (kind === "submit" || (kind === "click" && inside.matches("a") && !(event.ctrlKey || event.metaKey))) {
        event.preventDefault();
      }
      live((figures) => figures.handle(kind, element, inside.matches("a") ? inside : event.target));
    }
  });
}

function followLink() {
  if (location.hash.startsWith("#live:")) {
    live((figures) => figures.follow());
  }
}
document$.subscribe(followLink);
window.addEventListener("hashchange", followLink);
