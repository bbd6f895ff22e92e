// What another page needs to show a live figure: the address of the figure alone as it stands now, and a frame with it.
// Loaded when a reader asks for it.

const PREFIX = "#live:";
const COPIED_MS = 2500;
const WIDE_PX = 720; // a page as wide as this has room for panels beside one another

// Opens the panel of a figure, or closes it.
export function toggle(figure, link) {
  const open = figure.querySelector(".live-embedding");
  if (open) {
    open.remove();
  } else {
    figure.querySelector("figcaption").before(panelOf(figure, link));
  }
  link.ariaExpanded = String(!open);
}

function panelOf(figure, link) {
  const address = element("input", { readOnly: true });
  const frame = element("textarea", { readOnly: true, rows: 4, spellcheck: false });
  const fill = () => {
    address.value = addressOf(figure, link);
    frame.value = frameOf(figure, address.value);
  };
  fill();
  const panel = element(
    "div",
    { className: "live-embedding", role: "region", ariaLabel: `Embed figure ${figure.dataset.name}` },
    element("label", {}, "The figure alone, at this setting", address),
    copyButton(address),
    element("label", {}, "A frame with it, for the HTML of a page or a slide", frame),
    copyButton(frame),
  );
  const follow = () => (panel.isConnected ? fill() : figure.removeEventListener("drawn", follow));
  figure.addEventListener("drawn", follow);
  return panel;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// The address holds the settings of this figure, without those of the page's other figures.
function addressOf(figure, link) {
  const { hash } = new URL(figure.querySelector(".live-link").href);
  const all = hash.startsWith(PREFIX) ? [...new URLSearchParams(hash.slice(PREFIX.length))] : [];
  const own = new URLSearchParams(all.filter(([key]) => key.startsWith(`${figure.dataset.name}.`)));
  return link.href + (own.size ? PREFIX + own : "");
}

function frameOf(figure, address) {
  const { title, height, narrowHeight } = figure.dataset;
  const fits = `clamp(${height}px, (${WIDE_PX}px - 100vw) * 999, ${narrowHeight}px)`; // one or the other, by the page's width
  const frame = { src: address, title, width: "100%", height, loading: "lazy", style: `border: 0; height: ${fits}` };
  const attributes = Object.entries(frame).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `<iframe ${attributes.join(" ")}></iframe>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function copyButton(field) {
  const button = element("button", { type: "button" }, "Copy");
  const status = element("span", { role: "status" });
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = "Copied";
    } catch {
      status.textContent = "It is selected: press Ctrl+C or ⌘C";
    }
    setTimeout(() => status.replaceChildren(), COPIED_MS);
  });
  return element("p", {}, button, status);
}
