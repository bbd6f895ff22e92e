"""An exercise of a built page in Chromium, worked on as a reader does, and what is written into it."""

from __future__ import annotations

from typing import Any

from browser_fixtures import until
from page_texts import exercise_at

from grader.source import stub_of

PIPELINE = "parallelism/18-pipeline/"
NAME, OTHER = "cut_layers", "peak_activations"


def stub() -> str:
    """Return what the editor of the exercise starts with."""
    return stub_of(exercise_at("parallelism/pipeline", NAME))


RIGHT = """\
def cut_layers(layer_s, *, stages):
    def parts(pace):
        sizes, room = [], 0
        for time in layer_s:
            if not sizes or time > room:
                sizes, room = [*sizes, 0], pace
            sizes[-1] += 1
            room -= time
        return sizes

    pace = max(layer_s)
    while len(parts(pace)) > stages:
        pace += 1
    sizes = parts(pace)
    while len(sizes) < stages:
        at = next(i for i, size in enumerate(sizes) if size > 1)
        sizes[at : at + 1] = [1, sizes[at] - 1]
    return sizes
"""
WRONG = "def cut_layers(layer_s, *, stages):\n    return [1] * (stages - 1) + [len(layer_s) - stages + 1]\n"


RESTS = """([name, most_s]) => new Promise((rests, fail) => {
    const stop = document.querySelector(`#exercise-${name} button:nth-child(3)`);
    const look = () => {
        if (stop.getAttribute('aria-disabled') === 'true') {
            watch.disconnect();
            clearTimeout(timer);
            rests();
        }
    };
    const watch = new MutationObserver(look);
    const timer = setTimeout(() => fail(new Error(`${name} still runs after ${most_s} s`)), most_s * 1000);
    watch.observe(stop, {attributes: true});
    look();
})"""


class OpenExercise:
    """An exercise of a page, worked on as a reader does."""

    def __init__(self, page: Any, name: str = NAME, chapter: str = "parallelism/pipeline") -> None:
        self.page, self.name, self.chapter = page, name, chapter
        self.box = page.locator(f"#exercise-{name}")
        self.editor = self.box.locator(".cm-content")
        self.note = self.box.locator(".exercise-note").first
        self.result = self.box.locator(".exercise-result")
        self.printed = self.box.locator(".exercise-printed")

    def open(self) -> OpenExercise:
        if not self.editor.count():
            self.box.locator("[data-do=open]").click()
        self.editor.wait_for()
        return self

    def write(self, text: str) -> None:
        self.editor.press("Control+a")
        self.page.keyboard.insert_text(text)

    def press(self, button: str) -> None:
        self.box.get_by_role("button", name=button, exact=True).click()

    def wait(self, *, within_s: float = 90) -> str:
        """Wait until nothing runs, and return what the exercise then says."""
        self.page.evaluate(RESTS, [self.name, within_s])
        return str(self.note.inner_text())

    def graded(self) -> tuple[str, str]:
        """Wait until nothing runs, and return what became of the answer, and the grader's message."""
        self.page.evaluate(RESTS, [self.name, 90])
        return tuple(self.result.evaluate("result => [result.dataset.state, result.textContent]"))

    def run(self, text: str) -> str:
        self.write(text)
        self.press("Run")
        return self.wait()

    def grade(self, text: str) -> str:
        self.write(text)
        self.press("Grade")
        return self.wait()

    @property
    def text(self) -> str:
        return "\n".join(self.editor.locator(".cm-line").all_text_contents())

    @property
    def state(self) -> str:
        return str(self.box.locator(".exercise-status").get_attribute("data-state"))

    def kept(self) -> Any:
        """Wait until what is written is kept, and return it."""
        key = f"one-gradient:{self.chapter}/{self.name}"
        read = "const kept = JSON.parse(localStorage.getItem(key))"
        kept = f"([key, text]) => {{ {read}; return kept?.text === text && kept }}"
        return until(self.page, kept, [key, self.text])
