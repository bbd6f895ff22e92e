"""Answers of a reader's own invention: right ones of another shape pass; of wrong ones their author is told why.

``odd_answers/<part>/<chapter>/<exercise>.py`` has the answers to one exercise, each a whole answer below a line
``# %% name``. Its first line begins with ``# Right: `` or ``# Wrong: ``; ``# Known mistake: …`` is what its author must
be told, a whole sentence of the exercise's, ``# Message: …`` what must occur in the message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sampling import ROOT, changed_files, sampled

from grader.catalogue import find
from grader.judging import Verdict
from grader.sandbox import Sandbox

HOME = Path(__file__).parent / "odd_answers"


@dataclass(frozen=True)
class OddAnswer:
    """An answer and what is to become of it.

    Attributes:
        exercise: what it answers, ``memory/zero/owners``.
        name: what is odd about it.
        text: all of it, without the line that names it.
    """

    exercise: str
    name: str
    text: str

    @property
    def has_changed(self) -> bool:
        """Whether the file that it stands in, or the exercise, is among the changed files."""
        own = (HOME / f"{self.exercise}.py").relative_to(ROOT).as_posix()
        return bool({own, f"exercises/{self.exercise}.py"} & changed_files())

    def said(self, label: str) -> list[str]:
        """Return what stands behind a label in its lines."""
        lead = f"# {label}: "
        return [line.removeprefix(lead) for line in self.text.splitlines() if line.startswith(lead)]


def answers_in(text: str, exercise: str) -> list[OddAnswer]:
    """Return the answers of a file; its first line names the first.

    Raises:
        ValueError: something stands above the first name, a name is empty or stands twice, or an answer does not say
            in its first line whether it is right.
    """
    above, *pieces = re.split(r"^# %%(.*)$\n?", text, flags=re.MULTILINE)
    place = f"odd_answers/{exercise}.py"
    if above:
        raise ValueError(f"{place} must begin with a line '# %% name', got {above.splitlines()[0]!r}")
    names = [name.strip() for name in pieces[::2]]
    if not all(names):
        raise ValueError(f"{place}: a line '# %% name' must have a name, answer {names.index('') + 1} has none")
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"{place}: names must be different, got {twice[0]!r} more than once")
    answers = [OddAnswer(exercise, *pair) for pair in zip(names, map(_whole, pieces[1::2]), strict=True)]
    for answer in answers:
        if not answer.text.startswith(("# Right: ", "# Wrong: ")):
            first = answer.text.splitlines()[0]
            raise ValueError(f"{place}: {answer.name} must begin with '# Right: ' or '# Wrong: ', got {first!r}")
    return answers


def _whole(piece: str) -> str:
    """Return an answer without the empty lines that part it from the next."""
    return piece.rstrip("\n") + "\n"


def all_answers() -> Iterator[OddAnswer]:
    for path in sorted(HOME.glob("*/*/*.py")):
        exercise = path.relative_to(HOME).with_suffix("").as_posix()
        yield from answers_in(path.read_text(encoding="utf-8"), exercise)


ANSWERS = list(all_answers())


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


TODAY = sampled(ANSWERS, 25, changed=lambda answer: answer.has_changed)


@pytest.mark.parametrize("answer", TODAY, ids=lambda answer: f"{Path(answer.exercise).name}/{answer.name}")
def test_an_odd_answer(answer: OddAnswer, sandbox: Sandbox) -> None:
    _, exercise = find(answer.exercise)
    verdict = sandbox.judge(exercise, answer.text, f"{answer.name}.py")
    if answer.said("Right"):
        assert verdict.status == "solved", verdict
        return
    assert verdict.status == "wrong", verdict
    assert all((verdict.asked, verdict.given, verdict.expected, verdict.got)), verdict
    assert max(map(len, (verdict.expected, verdict.got, verdict.pattern))) < 400, verdict
    if known := answer.said("Known mistake"):
        assert [verdict.says] == known, verdict
    for text in answer.said("Message"):
        assert text in words_of(verdict), verdict


def words_of(verdict: Verdict) -> str:
    """Return all that is said of an answer."""
    return " ".join([verdict.expected, verdict.got, verdict.says, verdict.pattern])


def test_an_answer_is_read_with_line_numbers_of_its_own() -> None:
    first, second = "# Right: an array.\nimport numpy\n\n\ndef f(): ...\n", "# Wrong: it rounds.\n1 / 0\n"
    answers = answers_in(f"# %% array\n{first}\n\n# %% rounds\n{second}", "memory/zero/owners")
    assert answers == [
        OddAnswer("memory/zero/owners", "array", first),
        OddAnswer("memory/zero/owners", "rounds", second),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import numpy\n# %% a\n# Right: it.\n", "must begin with a line '# %% name', got 'import numpy'"),
        ("# %% a\n# Right: it.\n\n# %%\n# Wrong: it.\n", "a line '# %% name' must have a name, answer 2 has none"),
        ("# %% a\n# Right: it.\n\n# %% a\n# Wrong: it.\n", "names must be different, got 'a' more than once"),
        ("# %% a\nimport numpy\n", "a must begin with '# Right: ' or '# Wrong: ', got 'import numpy'"),
        ("# %% a\n\n# %% b\n# Right: it.\n", "a must begin with '# Right: ' or '# Wrong: ', got ''"),
        ("# %% a", "a must begin with '# Right: ' or '# Wrong: ', got ''"),
    ],
)
def test_a_file_of_answers_that_cannot_be_read_says_where_and_why(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^odd_answers/memory/zero/owners\.py:? {re.escape(message)}$"):
        answers_in(text, "memory/zero/owners")


def test_a_known_mistake_is_the_sentence_of_one_that_the_exercise_has() -> None:
    known = [(answer, says) for answer in ANSWERS for says in answer.said("Known mistake")]
    assert known
    for answer, says in known:
        _, exercise = find(answer.exercise)
        assert says in [mistake.says for mistake in exercise.mistakes], (answer.exercise, answer.name)


def test_there_are_odd_answers_of_every_chapter() -> None:
    chapters = {path.relative_to(HOME).parent for path in HOME.glob("*/*/*.py")}
    home = ROOT / "exercises"
    assert chapters >= {path.relative_to(home).parent for path in home.glob("*/*/__init__.py")}
