// The search: Pagefind's script, and the pieces of its index that a query needs, come with the first query.
const site = new URL("../", import.meta.url);
const MOST_PAGES = 8;
const MOST_SECTIONS = 4;
let pagefind; // a promise
let failures = 0; // a browser does not ask again for a script that it could not load, but for one of another address

async function load() {
  const again = failures ? `?${failures}` : "";
  const loaded = await import(new URL(`search/pagefind.js${again}`, site));
  await loaded.options({ baseUrl: site.pathname, bundlePath: new URL("search/", site).pathname, excerptLength: 24 });
  await loaded.init();
  return loaded;
}

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// Pagefind's excerpts are HTML of the book's own text, with <mark>.
const excerpt = (html) => make("p", {}, ...new DOMParser().parseFromString(html, "text/html").body.childNodes);

function shown(page) {
  const sections = page.sub_results.filter(({ title }) => title !== page.meta.title).slice(0, MOST_SECTIONS);
  const found = sections.map(({ url, title, excerpt: html }) =>
    make("li", {}, make("a", { href: url }, title), excerpt(html)),
  );
  const link = make("a", { href: page.url }, page.meta.title);
  return make("li", {}, link, ...(found.length ? [make("ol", {}, ...found)] : [excerpt(page.excerpt)]));
}

let dialog, input, status, list;

function build() {
  input = make("input", { type: "search", placeholder: "a word, a function, a name", autocomplete: "off", spellcheck: false });
  input.setAttribute("aria-label", "Search the book");
  status = make("p", { role: "status" });
  list = make("ol", { className: "search-results" });
  const close = make("button", { type: "button", className: "search-close" }, "Close");
  dialog = make("dialog", { className: "search md-typeset" }, make("div", {}, input, close), status, list);
  dialog.setAttribute("aria-label", "Search");
  document.body.append(dialog);
  input.addEventListener("input", find);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target.closest("a")) dialog.close(); // beside it, or to what was found
  });
  dialog.addEventListener("keydown", walk);
}

async function find() {
  const query = input.value.trim();
  if (!query) {
    status.textContent = "";
    list.replaceChildren();
    return;
  }
  try {
    const engine = await (pagefind ??= load());
    if (query !== input.value.trim()) return; // another letter has been typed since
    const found = await engine.debouncedSearch(query, {}, 120);
    if (!found) return;
    const pages = await Promise.all(found.results.slice(0, MOST_PAGES).map((result) => result.data()));
    if (query !== input.value.trim()) return;
    list.replaceChildren(...pages.map(shown));
    const count = found.results.length;
    const most = count > MOST_PAGES ? `, the best ${MOST_PAGES} shown` : "";
    status.textContent = count ? `${count} ${count === 1 ? "page" : "pages"}${most}` : `Nothing is found for “${query}”.`;
  } catch {
    pagefind = undefined;
    failures += 1;
    list.replaceChildren();
    status.textContent = "The search could not be loaded: try again when there is a connection.";
  }
}

// Up and down go from the field through what is found, and back.
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [input, ...list.querySelectorAll("a")];
  const here = stops.indexOf(document.activeElement);
  if (event.key === "Escape") {
    event.preventDefault(); // else it would empty the field first
    dialog.close();
  } else if (event.key === "Enter" && here === 0 && stops[1]) {
    stops[1].click();
  } else if (step && here >= 0) {
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, here + step))].focus();
  }
}

export function open() {
  if (!dialog) build();
  if (!dialog.isConnected) document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
  input.focus();
  input.select();
}
