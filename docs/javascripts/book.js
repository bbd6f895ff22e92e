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
