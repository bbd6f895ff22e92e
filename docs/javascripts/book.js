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

// A quiz answers at once. The press names its right options in `data-right`; the reasons are copied from the fold of
// answers, which stays for those who want them all, and for paper.
{
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // Where storage is forbidden, nothing is kept.
  const stored = (key, value) => {
    try {
      if (value) localStorage.setItem(key, value);
      return localStorage.getItem(key) || "";
    } catch {
      return "";
    }
  };

  // Makes buttons of a question's options, and returns what presses the one of a letter, or, for a blank, none.
  const makeQuestion = (item, right, answer) => {
    const list = item.querySelector("ul");
    const verdict = make("p", { role: "status" });
    const buttons = [...list.children].map((option) => {
      const value = option.textContent[1]; // of "(a) …"
      option.firstChild.replaceData(0, 4, "");
      const button = make("button", { type: "button", value, textContent: `(${value})` });
      option.append(make("label", {}, button, make("span", {}, ...option.childNodes)));
      return button;
    });
    list.remove();
    item.append(make("fieldset", {}, make("legend", {}, ...item.childNodes), list, verdict));
    return (letter) => {
      const pressed = buttons.find((button) => button.value === letter);
      const word = letter === right ? "right" : "wrong";
      for (const button of buttons) button.ariaPressed = button === pressed;
      item.dataset.verdict = pressed ? word : "";
      verdict.textContent = "";
      if (pressed) {
        const wrong = [...answer.nextElementSibling.children].find((reason) => reason.textContent[1] === letter);
        const reason = (wrong || answer).cloneNode(true);
        reason.firstChild.replaceWith(wrong ? wrong.firstChild.data.slice(3) : ""); // no "(a)", no "1 (b)."
        verdict.append(make("strong", { textContent: `(${letter}) is ${word}.` }), ...reason.childNodes);
      }
    };
  };

  const startQuiz = (quiz) => {
    const { right } = quiz.dataset;
    const key = `quiz ${location.pathname} ${right}`; // with other answers it is another quiz
    const answers = quiz.nextElementSibling.querySelectorAll(":scope > p");
    const choose = [...quiz.children].map((item, i) => makeQuestion(item, right[i], answers[i]));
    const chosen = choose.map((_, i) => stored(key)[i] ?? " ");
    const again = make("button", { type: "button", className: "quiz-again", textContent: "Start again" });
    const set = (i, letter) => {
      choose[i](letter);
      chosen[i] = letter;
      again.hidden = !chosen.join("").trim();
    };
    quiz.addEventListener("click", ({ target }) => {
      if (target.value) {
        set([...quiz.children].indexOf(target.closest(".quiz > li")), target.value);
        stored(key, chosen.join(""));
      }
    });
    again.addEventListener("click", () => {
      chosen.forEach((_, i) => set(i, " "));
      stored(key, chosen.join(""));
      quiz.querySelector("button").focus();
    });
    chosen.forEach((letter, i) => set(i, letter));
    quiz.after(again);
  };

  document$.subscribe(() => document.querySelectorAll(".quiz:not(:has(button))").forEach(startQuiz));
}
