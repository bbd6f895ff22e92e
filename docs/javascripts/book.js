// What is wider than the screen scrolls in a box of its own; the keyboard has to reach it.
function letKeyboardScroll() {
  for (const box of document.querySelectorAll(".math-display, .panels, .jp-RenderedText > pre, .jp-RenderedHTML, .md-typeset__scrollwrap")) {
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

// Where storage is forbidden, nothing is kept.
function storage(method, ...values) {
  try {
    return localStorage[method](...values);
  } catch {}
}

// What a chapter keeps of its reading, the home page's board, an assignment, the planner, the exam, traces and reports of errors have scripts of their own.
for (const [name, place] of [["chapter.js", "#what-to-remember"], ["board.js", ".own-board"], ["assignment.js", ".own-assignment"], ["planner.js", ".planner"], ["exam.js", ".exam"], ["traces.js", ".traces"], ["report.js", ".report"]]) {
  const script = new URL(name, document.currentScript.src);
  document$.subscribe(async () => {
    const element = document.querySelector(place);
    if (element) (await import(script).catch(() => {}))?.show(element); // without it nothing is kept or shown
  });
}

// A quiz answers at once. The press names its right options; the reasons are copied from the fold below it.
{
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // Makes buttons of a question's options; returns what presses the one of a letter, or none.
  const makeQuestion = (item, right, answer) => {
    const list = item.querySelector("ul");
    const verdict = make("p", { role: "status" });
    const buttons = [...list.children].map((option) => {
      const button = make("button", { value: option.textContent[1] }, option.textContent.slice(0, 3));
      option.firstChild.data = option.firstChild.data.slice(4); // without "(a) "
      option.append(make("label", {}, button, make("span", {}, ...option.childNodes)));
      return button;
    });
    list.remove();
    item.append(make("fieldset", {}, make("legend", {}, ...item.childNodes), list, verdict));
    return (letter) => {
      const pressed = buttons.find((button) => button.value === letter);
      for (const button of buttons) button.ariaPressed = button === pressed;
      verdict.textContent = "";
      if (!pressed) return " ";
      const wrong = [...answer.nextElementSibling.children].find((reason) => reason.textContent[1] === letter);
      const reason = (wrong || answer).cloneNode(true);
      reason.firstChild.replaceWith(wrong ? wrong.firstChild.data.slice(3) : ""); // without "(a)" or "1 (b)."
      verdict.className = letter === right ? "right" : "wrong";
      verdict.append(make("strong", {}, `(${letter}) is ${verdict.className}.`), ...reason.childNodes);
      return letter;
    };
  };

  const startQuiz = (quiz) => {
    const { right } = quiz.dataset;
    const key = `quiz ${location.pathname} ${right}`; // with other answers it is another quiz
    const answers = quiz.nextElementSibling.querySelectorAll(":scope > p");
    const again = make("button", { className: "quiz-again" }, "Start again");
    const press = [...quiz.children].map((item, i) => {
      item.addEventListener("click", ({ target }) => target.matches("button") && choose(i, target.value));
      return makeQuestion(item, right[i], answers[i]);
    });
    const kept = storage("getItem", key) ?? "";
    const chosen = [];
    const choose = (i, letter) => {
      chosen[i] = press[i](letter);
      again.hidden = !chosen.join("").trim();
      storage(again.hidden ? "removeItem" : "setItem", key, chosen.join(""));
    };
    again.addEventListener("click", () => {
      press.forEach((_, i) => choose(i, " "));
      quiz.querySelector("button").focus();
    });
    press.forEach((_, i) => choose(i, kept[i]));
    quiz.after(again);
  };

  document$.subscribe(() => document.querySelectorAll(".quiz:not(:has(button))").forEach(startQuiz));
}

// Live figures: their script, and Python with it, comes when a knob is first touched or a link names a setting.
const scripts = new URL("live/", document.currentScript.src);

let figures; // once loaded, so that a turned knob waits for nothing

async function live(element, work) {
  try {
    figures ??= await import(new URL("figure.js", scripts));
  } catch {
    const note = element?.querySelector(".live-note");
    element?.removeAttribute("aria-busy");
    note?.classList.add("problem");
    note?.replaceChildren("What draws this could not be loaded: reload the page when there is a connection.");
    return;
  }
  work(figures);
}

// Shows a slider's value while the hand moves it, whatever the picture waits for.
function showStop(slider) {
  const shown = slider.dataset.stops.split("|")[slider.value];
  slider.parentElement.querySelector("[type=text]").value = shown;
  slider.setAttribute("aria-valuetext", shown);
}

// What a figure shows before Python runs is fetched when it comes into sight.
const inSight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      inSight.unobserve(target);
      live(undefined, (figures) => figures.prepare(target)); // says nothing where it fails: a turn will
    }
  }
});
document$.subscribe(() => document.querySelectorAll(".live").forEach((figure) => inSight.observe(figure)));

for (const kind of ["pointerdown", "input", "change", "click", "reset", "submit"]) {
  document.addEventListener(kind, (event) => {
    const element = event.target.closest?.(".live");
    const inside = element && event.target.closest(".knobs, .live-tools a");
    if (inside) {
      if (kind === "submit" || (kind === "click" && inside.matches("a") && !(event.ctrlKey || event.metaKey))) {
        event.preventDefault();
      }
      if (["input", "change", "reset"].includes(kind)) {
        element.ariaBusy = "true"; // until the picture shows it
      }
      if (kind === "input" && event.target.type === "range") {
        showStop(event.target);
      }
      live(element, (figures) => figures.handle(kind, element, inside.matches("a") ? inside : event.target));
    }
  });
}

function followLink() {
  if (location.hash.startsWith("#live:")) {
    live(document.querySelector(".live"), (figures) => figures.follow());
  }
}
document$.subscribe(followLink);
window.addEventListener("hashchange", followLink);

// In-page exercises: what this browser keeps is shown at once; editor and Python come when asked for.
const STATES = { open: "○ open", draft: "◐ begun", tried: "✗ tried", solved: "✓ solved" };
const passing = new Map(); // answers of this page, which the browser's storage may not have taken

function keptOf(place) {
  const id = `${place.closest("[data-chapter]").dataset.chapter}/${place.closest("[data-name]").dataset.name}`;
  try {
    return passing.get(id) ?? JSON.parse(localStorage.getItem(`one-gradient:${id}`)) ?? {};
  } catch {
    return {};
  }
}

function showExercises() {
  for (const place of document.querySelectorAll(".exercise-status")) {
    const { state = "open", changed } = keptOf(place);
    place.dataset.state = state;
    place.textContent = STATES[state] + (changed && state !== "draft" ? ", changed since" : "");
  }
  for (const count of document.querySelectorAll(".exercise-count")) {
    const places = [...count.closest("[data-chapter]").querySelectorAll(".exercise-status")];
    count.textContent = `${places.filter((place) => place.dataset.state === "solved").length} of ${places.length}`;
  }
  for (const box of document.querySelectorAll(".exercise[data-chapter]")) {
    const { text = "" } = keptOf(box);
    box.querySelector(".exercise-paper").textContent = text; // for print
    box.querySelector("[data-do=open]")?.replaceChildren(text ? "Go on here" : "Solve it here");
  }
}
document$.subscribe(showExercises);
window.addEventListener("storage", showExercises);
document.addEventListener("exercise-kept", ({ detail: [id, entry] }) => {
  passing.set(id, entry);
  showExercises();
});

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-do]");
  if (button) {
    try {
      (await import(new URL("exercise.js", scripts))).act(button);
    } catch {
      const place = button.parentNode.querySelector("span");
      place.textContent = "This could not be loaded: reload the page when there is a connection.";
    }
  }
});

// The search comes when it is asked for: by its button, or by the keys that Material gives it.
const searchScript = new URL("search.js", document.currentScript.src);

let early; // what is typed before the search is there

async function openSearch() {
  early = "";
  try {
    const search = await import(searchScript);
    search.open(early);
  } catch {
    alert("The search could not be loaded: reload the page when there is a connection.");
  } finally {
    early = undefined;
  }
}
// Words that the search found are marked on the page that it opens.
document$.subscribe(async () => {
  if (globalThis.Highlight && location.search.startsWith("?found=")) (await import(searchScript)).mark();
});

document.addEventListener("click", ({ target }) => target.closest?.("[data-search]") && openSearch());
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
  if (early !== undefined && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    early += event.key;
  } else if (["/", "f", "s"].includes(event.key) && !writing && document.querySelector("[data-search]") && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    openSearch();
  }
});
