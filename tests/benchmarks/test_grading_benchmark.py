"""The grading benchmark runs, and a run that is killed loses nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks import grading
from grader.catalogue import chapters
from grader.sandbox import Sandbox


def test_generated_submissions_are_graded(tmp_path: Path) -> None:
    chapter = chapters()[0]
    grading.write_submission(tmp_path, [chapter], random.Random(1))
    with Sandbox() as sandbox:
        for name, exercise in chapter.exercises.items():
            text = (tmp_path / chapter.address / f"{name}.py").read_text(encoding="utf-8")
            assert sandbox.judge(exercise, text, f"{name}.py").status in ("solved", "wrong", "open")


def test_the_shares_are_of_something() -> None:
    assert sum(grading.SHARES) == 10
    assert len(grading.CHOICES) == len(grading.SHARES)


@pytest.mark.parametrize("fork", [True, False])
def test_a_judgement_takes_time(fork: bool) -> None:
    assert grading.judgement_s(chapters()[:1], fork=fork, repetitions=1) > 0


def test_a_process_for_each_rank_has_its_price() -> None:
    asked = [chapter for chapter in chapters() if chapter.address == "collectives/ring_and_tree"]
    rows = [{"exercise": name, "status": "solved", "seconds": 0.1} for name in ("ring_all_reduce", "six_rank_rounds")]
    assert len(grading.rank_program_rows(asked, [{"exercises": rows}])) == 6
    assert grading.rank_program_rows(asked, [{"exercises": rows[:1]}]) == []
