"""Answers of a reader's own invention: right ones of another shape pass; of wrong ones their author is told why.

``odd_answers/<part>/<chapter>/<exercise>/<what>.py`` is a whole answer. Its first line begins with ``# Right`` or
``# Wrong``; ``# Known mistake: …`` is what its author must be told, ``# Message: …`` what must occur in the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sampling import changed_files, sampled

from grader.catalogue import find
from grader.judging import Verdict
from grader.sandbox import Sandbox

HOME = Path(__file__).parent / "odd_answers"


@dataclass(frozen=True)
class OddAnswer:
    """An answer and what is to become of it."""

    path: Path

    @property
    def exercise(self) -> str:
        """What it answers, with its chapter."""
        return "/".join(self.path.relative_to(HOME).parts[1:3])

    @property
    def has_changed(self) -> bool:
        """Whether it, or the exercise, is among the changed files."""
        own = self.path.relative_to(HOME.parents[2]).as_posix()
        asked = self.path.parent.relative_to(HOME).with_suffix(".py").as_posix()
        return bool({own, f"exercises/{asked}"} & changed_files())

    @property
    def name(self) -> str:
        """What it answers, and what is odd about it."""
        return "/".join(self.path.with_suffix("").parts[-2:])

    def said(self, label: str) -> list[str]:
        """Return what stands behind a label in its first lines."""
        lead = f"# {label}: "
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return [line.removeprefix(lead) for line in lines if line.startswith(lead)]


ANSWERS = [OddAnswer(path) for path in sorted(HOME.glob("*/*/*/*.py"))]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


TODAY = sampled(ANSWERS, 25, changed=lambda answer: answer.has_changed)


@pytest.mark.parametrize("answer", TODAY, ids=lambda answer: answer.name)
def test_an_odd_answer(answer: OddAnswer, sandbox: Sandbox) -> None:
    _, exercise = find(answer.exercise)
    verdict = sandbox.judge(exercise, answer.path.read_text(encoding="utf-8"), answer.path.name)
    if answer.said("Right"):
        assert verdict.status == "solved", verdict
        return
    assert answer.said("Wrong")
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


def test_there_are_odd_answers_of_every_chapter() -> None:
    chapters = {answer.path.parents[1] for answer in ANSWERS}
    assert {path.relative_to(HOME) for path in chapters} >= {
        path.parent.relative_to(HOME.parents[2] / "exercises")
        for path in (HOME.parents[2] / "exercises").glob("*/*/__init__.py")
    }
