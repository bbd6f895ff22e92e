// The search: Pagefind's script, the book's words, and the pieces of the index that a query needs come with the first query.
const site = new URL("../", import.meta.url);
const MOST_PAGES = 8;
const MOST_SECTIONS = 4;
// What a question has besides what it asks for.
const SMALL = new Set("a an and are can do does for how i in is it many much my need of on or the to use versus vs what when where which why with".split(" "));
const WEIGHTS = { title: 5, also: 8 }; // of a page's title and its other names, beside its text
let pagefind; // a promise: the engine and the book's words
let failures = 0; // a browser does not ask again for a script that it could not load, but for one of another address

async function load() {
  const again = failures ? `?${failures}` : "";
  const [engine, answer] = await Promise.all([import(new URL(`search/pagefind.js${again}`, site)), fetch(new URL("search/words.json", site))]);
  const options = { baseUrl: site.pathname, bundlePath: new URL("search/", site).pathname, excerptLength: 24 };
  await engine.options({ ...options, ranking: { metaWeights: WEIGHTS } });
  await engine.init();
  return { engine, words: await answer.json() };
}

// A letter too many, one too few, another one, or two exchanged.
function areOneSlipApart(typed, word) {
  const shorter = Math.min(typed.length, word.length);
  let start = 0;
  while (start < shorter && typed[start] === word[start]) start += 1;
  let end = 0;
  while (end < shorter - start && typed.at(-1 - end) === word.at(-1 - end)) end += 1;
  const [one, other] = [typed, word].map((letters) => letters.slice(start, letters.length - end));
  return (one.length <= 1 && other.length <= 1) || (one.length === 2 && one === [...other].reverse().join(""));
}

// A word of which the book has no beginning becomes the commonest one that is a slip of the finger away.
function mended(word, { common, rare }) {
  if (!/^[a-z]{5,24}$/.test(word) || [...common, ...rare].some((known) => known.startsWith(word))) return word;
  return common.find((known) => areOneSlipApart(word, known)) ?? word;
}

// A question's mark, and what else ends a sentence, belongs to no word.
const wordsOf = (query) => query.toLowerCase().split(/\s+/).map((word) => word.replace(/[?!.,;:]+$/, "") || word);

function asked(query, words) {
  const typed = wordsOf(query);
  const kept = typed.filter((word) => !SMALL.has(word));
  return (kept.length ? kept : typed).map((word) => mended(word, words)).join(" ");
}

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// Pagefind's excerpts are HTML of the book's own text, with <mark>.
const excerpt = (html) => make("p", {}, ...new DOMParser().parseFromString(html, "text/html").body.childNodes);

// The page that opens is told what to mark.
function marking(address, words) {
  const to = new URL(address, site);
  to.searchParams.set("found", words);
  return to.href;
}

function shown(page, words) {
  const sections = page.sub_results.filter(({ title }) => title !== page.meta.title).slice(0, MOST_SECTIONS);
  const found = sections.map(({ url, title, excerpt: html }) =>
    make("li", {}, make("a", { href: marking(url, words) }, title), excerpt(html)),
  );
  const link = make("a", { href: marking(page.url, words) }, page.meta.title);
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
    const { engine, words } = await (pagefind ??= load());
    if (query !== input.value.trim()) return; // another letter has been typed since
    const meant = asked(query, words);
    const found = await engine.debouncedSearch(meant, {}, 120);
    if (!found) return;
    const pages = await Promise.all(found.results.slice(0, MOST_PAGES).map((result) => result.data()));
    if (query !== input.value.trim()) return;
    list.replaceChildren(...pages.map((page) => shown(page, meant)));
    const count = found.results.length;
    const most = count > MOST_PAGES ? `, the best ${MOST_PAGES} shown` : "";
    const slips = meant.split(" ").filter((word) => !wordsOf(query).includes(word));
    const instead = slips.length ? ` for “${meant}”` : "";
    status.textContent = count ? `${count} ${count === 1 ? "page" : "pages"}${instead}${most}` : `Nothing is found for “${query}”.`;
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

// Marks the words that the address says were searched for; an address to be kept has none of it.
export function mark() {
  const words = new URLSearchParams(location.search).get("found").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const sought = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})`, "giu");
  const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  const ranges = [];
  while (words.length && texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(sought)) {
      const where = { startContainer: texts.currentNode, endContainer: texts.currentNode };
      ranges.push(new StaticRange({ ...where, startOffset: index, endOffset: index + word.length }));
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
  history.replaceState(history.state, "", location.pathname + location.hash);
}

// Opens with what was typed while this script was on its way.
export function open(typed = "") {
  if (!dialog) build();
  if (!dialog.isConnected) document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
  input.focus();
  if (typed) {
    input.value = typed;
    find();
  } else {
    input.select();
  }
}
