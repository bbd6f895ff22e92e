"""A book of two chapters with three exercises, small enough to be graded in a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

STUB = '''"""Exercises of chapter 1."""

from __future__ import annotations


def bubble_share(*, stages: int, micro_batches: int) -> float:
    """Return the share of a step that a stage idles.

    Args:
        stages: number of stages.
        micro_batches: number of micro-batches.
    """
    raise NotImplementedError("bubble_share is still to be written")


def double(*, values: list[int]) -> list[int]:
    """Return every value twice as large."""
    raise NotImplementedError("double is still to be written")
'''

SOLUTION = '''"""Solutions of chapter 1."""


def bubble_share(*, stages: int, micro_batches: int) -> float:
    """One micro-batch's way through the others' stages."""
    return (stages - 1) / (micro_batches + stages - 1)


def double(*, values: list[int]) -> list[int]:
    """One by one."""
    return [2 * value for value in values]
'''

MUTANTS = '''"""Wrong answers of chapter 1."""

from exercises.grading import mutant


@mutant("bubble_share", says="The last stage too waits for one micro-batch fewer than there are stages: p − 1, not p.")
def counts_every_stage(*, stages, micro_batches):
    return stages / (micro_batches + stages)


@mutant("bubble_share", says="This compares the bubble with the useful time; it is a share of the whole step.")
def overhead(*, stages, micro_batches):
    return (stages - 1) / micro_batches


@mutant("bubble_share", says="This is right for one input only: compute it from the arguments.")
def constant(*, stages, micro_batches):
    return 0.0


@mutant("double", says="This is the square.")
def squares(*, values):
    return [value**2 for value in values]


@mutant("double", says="The last value is lost.")
def loses_one(*, values):
    return [2 * value for value in values[:-1]]


@mutant("double", says="This is right for one input only.")
def nothing(*, values):
    return []
'''

GRADER = '''"""Grader of chapter 1."""

from fractions import Fraction

from exercises.grading import graded
from exercises.judging import Exercise, Hint


def shares():
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"stages": st.integers(1, 5), "micro_batches": st.integers(1, 6)})


def lists():
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"values": st.lists(st.integers(-9, 9), max_size=4)})


EXERCISES = [
    Exercise(
        name="bubble_share",
        number=1,
        asked="the share of a pipelined step in which a stage idles",
        expected=lambda stages, micro_batches: 1 - Fraction(micro_batches, micro_batches + stages - 1),
        examples=[{"stages": 1, "micro_batches": 1}, {"stages": 2, "micro_batches": 1}],
        inputs=shares,
        hints=(
            Hint("Draw the step of two stages.", "01-pipes.md#what-idles"),
            Hint("Each stage works m of its slots.", "01-pipes.md#what-idles"),
            Hint("There are m + p − 1 slots.", "01-pipes.md#what-idles"),
        ),
        units={"result": "of the step"},
    ),
    Exercise(
        name="double",
        number=2,
        asked="every value twice as large",
        expected=lambda values: [value + value for value in values],
        examples=[{"values": []}, {"values": [3]}],
        inputs=lists,
        hints=(
            Hint("Go through the list.", "01-pipes.md#what-idles"),
            Hint("Multiply.", "01-pipes.md#what-idles"),
            Hint("By 2.", "01-pipes.md#what-idles"),
        ),
        weight=2.0,
    ),
]
test_answer = graded(EXERCISES)
'''


def make(root: Path) -> Path:
    """Write the book, and return its folder of exercises."""
    home = root / "exercises"
    pages = root / "chapters" / "flow"
    pages.mkdir(parents=True)
    for number, name in enumerate(("pipes", "tanks"), start=1):
        folder = home / "flow" / name
        folder.mkdir(parents=True)
        rename = {} if number == 1 else {"bubble_share": "tank_share", "double": "twice", "01-pipes": "02-tanks"}
        for file, text in {
            "stub.py": STUB,
            "solution.py": SOLUTION,
            "mutants.py": MUTANTS,
            "test_answers.py": GRADER,
        }.items():
            for old, new in rename.items():
                text = text.replace(old, new)
            (folder / file).write_text(text, encoding="utf-8")
        page = f"# {number} · {name.capitalize()}\n\n## What idles\n\nA stage.\n"
        (pages / f"{number:02}-{name}.md").write_text(page, encoding="utf-8")
    return home


def answer(home: Path, source: str, *, chapter: str = "pipes") -> Path:
    """Write the reader's answers of a chapter."""
    path = home / "flow" / chapter / "answers.py"
    path.write_text(source, encoding="utf-8")
    return path


def pytest_run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as a reader does, in a terminal of 80 columns."""
    plugins = ["-p", "exercises.conftest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "--import-mode=importlib", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    for name in [name for name in environment if name.startswith("PYTEST_") or name in ("CI", "BUILD_NUMBER")]:
        del environment[name]  # with CI set, pytest prints more
    return subprocess.run(command, cwd=home.parent, env=environment, capture_output=True, text=True, timeout=120)
