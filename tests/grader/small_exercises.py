"""A book of two chapters with two exercises each, small enough to be graded in a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

SHARE = '''"""Exercise: the share of a step that a stage idles."""

from fractions import Fraction

from grader.exercise import Exercise, Mistake


def bubble_share(*, stages: int, micro_batches: int) -> float:
    """Return the share of a step that a stage idles.

    Args:
        stages: number of stages.
        micro_batches: number of micro-batches.

    >>> bubble_share(stages=2, micro_batches=3)
    0.25
    """
    return (stages - 1) / (micro_batches + stages - 1)


EXERCISE = Exercise(
    bubble_share,
    number=1,
    asked="the share of a pipelined step in which a stage idles",
    expected=lambda stages, micro_batches: 1 - Fraction(micro_batches, micro_batches + stages - 1),
    examples=[{"stages": 2, "micro_batches": 1}, {"stages": 4, "micro_batches": 8}],
    inputs=[{"stages": stages, "micro_batches": count} for stages in range(1, 6) for count in range(1, 7)],
    units={"result": "of the step"},
    mistakes=[
        Mistake(
            "counts_every_stage",
            "The last stage too waits for one micro-batch fewer than there are stages: p − 1, not p.",
            {"(stages - 1) /": "stages /", "+ stages - 1": "+ stages"},
        ),
        Mistake("overhead", "This compares it with the useful time.", {"micro_batches + stages - 1": "micro_batches"}),
        Mistake("constant", "This is right for one input only.", lambda **_: 0.5),
    ],
)
'''

DOUBLE = '''"""Exercise: a list twice."""

from grader.exercise import Exercise, Mistake


def double(*, values: list[int]) -> list[int]:
    """Return every value twice as large.

    >>> double(values=[2])
    [4]
    """
    return [2 * value for value in values]


EXERCISE = Exercise(
    double,
    number=2,
    asked="every value twice as large",
    expected=lambda values: [value + value for value in values],
    examples=[{"values": [3]}, {"values": []}, {"values": [1, -2, 5]}],
    inputs=lambda st: {"values": st.lists(st.integers(-9, 9), max_size=4)},
    weight=2.0,
    mistakes=[
        Mistake("squares", "This is the square.", {"2 * value": "value**2"}),
        Mistake("loses_one", "The last value is lost.", {"in values]": "in values[:-1]]"}),
        Mistake("nothing", "This is right for one input only.", lambda **_: [6]),
    ],
)
'''

PAGE = """# {number} · {title}

## What idles

A stage.

## Exercises

### Exercise 1 · A share

[Solve it here](../../exercises/flow/{folder}/{share}.py "exercise: {share}")

<details markdown="1"><summary>Hint 1</summary>

Draw the step. ([where to read](#what-idles))

</details>

### Exercise 2 · A list

[Solve it here](../../exercises/flow/{folder}/{double}.py "exercise: {double}")

<details markdown="1"><summary>Hint 1</summary>

Go through the list. ([where to read](#what-idles))

</details>

<details markdown="1"><summary>Hint 2</summary>

Multiply \\* by 2. ([where to read](#what-idles))

</details>
"""

RIGHT_SHARE = """def bubble_share(*, stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)
"""
WRONG_SHARE = """def bubble_share(*, stages, micro_batches):
    return stages / (micro_batches + stages)
"""
RIGHT_DOUBLE = "def double(*, values):\n    return [2 * value for value in values]\n"


def make(root: Path, home: str = "exercises") -> Path:
    """Write the book, and return its folder of exercises; one that this process imports needs a name of its own."""
    folder = root / home
    for number, (name, share, double) in enumerate(
        (("pipes", "bubble_share", "double"), ("tanks", "tank_share", "twice")), start=1
    ):
        for path, text in ((f"{share}.py", SHARE), (f"{double}.py", DOUBLE)):
            text = text.replace("bubble_share", share).replace("double", double)
            write(folder / "flow" / name / path, text)
        page = PAGE.format(number=number, title=name.capitalize(), folder=name, share=share, double=double)
        write(root / "chapters" / "flow" / f"{number:02}-{name}.md", page)
        for package in (folder / "flow" / name, folder / "flow", folder):
            write(package / "__init__.py", "")
    return folder


def write(path: Path, text: str) -> Path:
    """Write a file, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def answer(home: Path, source: str, name: str = "bubble_share", *, chapter: str = "pipes") -> Path:
    """Write the reader's answer to an exercise."""
    return write(home.parent / "answers" / "flow" / chapter / f"{name}.py", source)


def pytest_run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as a reader does, in a terminal of 80 columns."""
    plugins = ["-p", "grader.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    for name in [name for name in environment if name.startswith("PYTEST_") or name in ("CI", "BUILD_NUMBER")]:
        del environment[name]  # with CI set, pytest prints more
    return subprocess.run(command, cwd=home.parent, env=environment, capture_output=True, text=True, timeout=120)
