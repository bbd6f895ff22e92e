// What a chapter keeps of its reading in this browser: the guess at its question, which is shown again beside the answer,
// and that it was read. Where storage is forbidden, a guess lives as long as the page. Loaded by chapters alone.

function storage(method, ...values) {
  try {
    return localStorage[method](...values);
  } catch {}
}

// A chapter is read when what to remember of it has been seen; the board on the home page says so.
const remembered = new IntersectionObserver((entries) => {
  if (entries.some(({ isIntersecting }) => isIntersecting)) {
    remembered.disconnect();
    storage("setItem", `read ${location.pathname}`, new Date().toISOString());
  }
});

const guesses = new Map(); // for as long as the page lives, if the browser keeps nothing
const key = () => `guess ${location.pathname}`;
const kept = () => guesses.get(key()) ?? storage("getItem", key()) ?? "";

// Reads "1,000", "2e3" or "0.4 s": a number in this unit, or none.
const numberIn = (text, unit) => {
  const plain = text.trim();
  const bare = unit && plain.endsWith(unit) ? plain.slice(0, -unit.length) : plain;
  return bare.trim() ? Number(bare.replace(/[\s,_]+(?=\d{3}(?!\d))/g, "")) : NaN;
};

const compared = ({ number, unit, right }, guess) => {
  if (right) return guess === right ? "Your guess was right." : "Your guess was another one.";
  const ratio = numberIn(guess, unit) / number;
  if (!Number.isFinite(ratio) || ratio <= 0) return "";
  if (ratio > 0.9 && ratio < 1.1) return "Your guess is within 10% of the last row.";
  const factor = Number(Math.max(ratio, 1 / ratio).toPrecision(2)).toLocaleString("en");
  return `Your guess is ${factor} times too ${ratio > 1 ? "large" : "small"} by the last row.`;
};

// Shows what is kept on a chapter's page, and marks it as read when this heading is seen.
export function show(heading) {
  remembered.disconnect();
  remembered.observe(heading);
  showGuess();
}

function showGuess() {
  const guess = kept();
  for (const place of document.querySelectorAll(".guess")) {
    for (const input of place.querySelectorAll("input")) {
      if (input.type === "radio") input.checked = input.value === guess;
      else if (input !== document.activeElement) input.value = guess;
    }
    const { unit } = place.dataset;
    const unread = unit && guess && Number.isNaN(numberIn(guess, unit));
    const safe = storage("getItem", key()) === guess;
    const where = safe ? "It is kept in this browser, and stands beside the answer." : "It stands beside the answer until you leave.";
    place.querySelector("p").textContent = guess && (unread ? `Please write a number, in ${unit}.` : where);
  }
  for (const box of document.querySelectorAll(".answer")) {
    const { unit } = box.dataset;
    const isNumber = unit && !Number.isNaN(numberIn(guess, unit));
    const own = box.querySelector(".own-guess td");
    own.none ??= [...own.childNodes];
    const written = isNumber && !guess.trim().endsWith(unit) ? `${guess.trim()} ${unit}` : guess;
    own.replaceChildren(...(guess ? [written] : own.none));
    box.querySelector("p").textContent = guess && compared(box.dataset, guess);
  }
}
window.addEventListener("storage", showGuess);
document.addEventListener("input", ({ target }) => {
  if (target.closest?.(".guess")) {
    guesses.set(key(), target.value);
    storage(target.value ? "setItem" : "removeItem", key(), target.value);
    showGuess();
  }
});
