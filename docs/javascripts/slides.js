// Shows the deck of a chapter. The deck is made by press/site/slides.py, reveal.js and its notes come before this file.
"use strict";

Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0.02,
  center: false,
  display: "flex",
  hash: true,
  pdfSeparateFragments: false,
  plugins: [RevealNotes],
  scrollActivationWidth: null,
  slideNumber: "c/t",
  transition: "none",
});
