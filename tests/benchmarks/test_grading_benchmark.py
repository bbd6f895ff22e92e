"""The grading benchmark runs, and a run that is killed loses nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from exercises.catalogue import chapters
from exercises.sandbox import Sandbox

from benchmarks import grading


def test_generated_submissions_are_graded(tmp_path: Path) -> None:
    chapter = chapters()[0]
    grading.write_submission(tmp_path, [chapter], random.Random(1))
    answers = tmp_path / chapter.address / "answers.py"
    with Sandbox() as sandbox:
        statuses = {sandbox.judge(chapter.folder, one, answers).status for one in chapter.exercises.values()}
    assert statuses <= {"solved", "wrong", "open"}
    assert answers.read_text(encoding="utf-8").count("import") == len(chapter.exercises)


def test_the_shares_are_of_something() -> None:
    assert sum(grading.SHARES) == 10
    assert len(grading.CHOICES) == len(grading.SHARES)


@pytest.mark.parametrize("fork", [True, False])
def test_a_judgement_takes_time(fork: bool) -> None:
    assert grading.judgement_s(chapters()[:1], fork=fork, repetitions=1) > 0
