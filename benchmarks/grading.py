"""Measures how fast a class is graded: submissions of all exercises, of which one run is killed half-way.

    python -m benchmarks.grading                        # 200 submissions on 2 cores
    python -m benchmarks.grading --submissions 8        # to see that it works
    python -m benchmarks.grading --submissions 10 --chapter collectives/ring_and_tree

A submission has, for each exercise, the solution (half of them), a known mistake (three tenths) or the untouched stub
(two tenths), drawn with a fixed seed. Printed are submissions and judgements per second; the time of one judgement in
the warm, forked process and in a new process for each (what a system without fork does); what was left to do after
the kill; and, where rank programs are among the exercises, what a process for each rank costs: their times in the class
beside the others', and alone beside the same judgement with all ranks in the judge's process.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from grader.catalogue import Chapter, chapters
from grader.exercise import Exercise
from grader.judging import judge
from grader.sandbox import Sandbox
from grader.source import answer_of, stub_of

ROOT = Path(__file__).resolve().parents[1]
CHOICES, SHARES = ("solution", "mistake", "stub"), (5, 3, 2)


def write_submission(directory: Path, asked: Sequence[Chapter], draw: random.Random) -> None:
    """Write the answers of one student: to each exercise one of the texts that the book has for it."""
    for chapter in asked:
        for name, exercise in chapter.exercises.items():
            path = directory / chapter.address / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written(exercise, draw), encoding="utf-8")


def written(exercise: Exercise, draw: random.Random) -> str:
    """Return the solution, the solution with a known mistake in it, or the stub."""
    kind = draw.choices(CHOICES, SHARES)[0]
    if kind == "stub":
        return stub_of(exercise)
    changes = [mistake.wrong for mistake in exercise.mistakes if isinstance(mistake.wrong, Mapping)]
    return answer_of(exercise, draw.choice(changes).items() if kind == "mistake" and changes else ())


def classroom(directory: Path, asked: Sequence[Chapter], jobs: int) -> subprocess.Popen[bytes]:
    """Start grading a directory."""
    command = [sys.executable, "-m", "grader.classroom", str(directory / "submissions"), "--jobs", str(jobs)]
    command += [word for chapter in asked for word in ("--chapter", chapter.address)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*command, "--out", str(directory / "results")],
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def results(directory: Path) -> dict[str, int]:
    """Return when each result was written."""
    return {path.name: path.stat().st_mtime_ns for path in (directory / "results").glob("*.json")}


def killed_half_way(directory: Path, asked: Sequence[Chapter], submissions: int, jobs: int) -> tuple[float, int]:
    """Grade, kill the run half-way, go on, and return the seconds of both and the results that the first run left."""
    began = time.monotonic()
    run = classroom(directory, asked, jobs)
    while len(results(directory)) < submissions // 2:
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    kept = results(directory)
    if classroom(directory, asked, jobs).wait() != 0:
        raise RuntimeError("the second run failed")
    after = results(directory)
    if len(after) != submissions or any(after[name] != when for name, when in kept.items()):
        raise RuntimeError("a finished result was lost or graded again")
    return time.monotonic() - began, len(kept)


def judgement_s(asked: Sequence[Chapter], *, fork: bool, repetitions: int) -> float:
    """Return the median time of judging a solution, over the chapters' first exercises."""
    taken = []
    with Sandbox(fork=fork) as sandbox:
        for chapter in asked:
            exercise = next(iter(chapter.exercises.values()))
            text = answer_of(exercise)
            sandbox.judge(exercise, text, "answer.py")
            taken += [timed_s(partial(sandbox.judge, exercise, text, "answer.py")) for _ in range(repetitions)]
    return statistics.median(taken)


def is_rank_program(exercise: Exercise) -> bool:
    """Say whether an exercise's answers run on every rank of the simulated machine, each in a process."""
    return inspect.isgeneratorfunction(exercise.solution)


def rank_program_rows(asked: Sequence[Chapter], reports: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return what a process for each rank costs: in the class, and alone beside all ranks in one process."""
    programs = [exercise for chapter in asked for exercise in chapter.exercises.values() if is_rank_program(exercise)]
    names = {exercise.name for exercise in programs}
    solved = [row for report in reports for row in report["exercises"] if row["status"] == "solved"]
    theirs = [row["seconds"] for row in solved if row["exercise"] in names]
    others = [row["seconds"] for row in solved if row["exercise"] not in names]
    if not theirs or not others:
        return []
    alone, together = [], []
    with Sandbox() as sandbox:
        for exercise in programs:
            text = answer_of(exercise)
            sandbox.judge(exercise, text, "answer.py")
            alone.append(timed_s(partial(sandbox.judge, exercise, text, "answer.py")))
            together.append(timed_s(partial(judge, exercise, exercise.solution)))
    ratios = sorted(one / other for one, other in zip(alone, together, strict=True))
    return [
        ("rank programs among the exercises", str(len(programs))),
        ("in the class, a right rank program", median_and_most(theirs)),
        ("in the class, another right answer", median_and_most(others)),
        ("alone, a right rank program, a process for each rank", f"{statistics.median(alone):.2f} s (median)"),
        ("the same, all ranks in the judge's process", f"{statistics.median(together):.2f} s (median)"),
        ("the ratio of both", f"{ratios[0]:.1f} to {ratios[-1]:.1f}"),
    ]


def median_and_most(times_s: Sequence[float]) -> str:
    """Return the median of times and the longest."""
    return f"{statistics.median(times_s):.2f} s (median), {max(times_s):.2f} s (most)"


def timed_s(function: Callable[[], object]) -> float:
    """Return how long a call takes."""
    began = time.monotonic()
    function()
    return time.monotonic() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="How fast a class is graded.")
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--chapter", action="append", help="this one only, collectives/ring_and_tree; repeatable")
    options = parser.parse_args(arguments)
    asked = [chapter for chapter in chapters() if not options.chapter or chapter.address in options.chapter]
    draw = random.Random(0)
    exercises = sum(len(chapter.exercises) for chapter in asked)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for number in range(options.submissions):
            write_submission(directory / "submissions" / f"student-{number:03}", asked, draw)
        taken_s, kept = killed_half_way(directory, asked, options.submissions, options.jobs)
        reports = [json.loads(path.read_text()) for path in (directory / "results").glob("*.json")]
    solved = sum(row["status"] == "solved" for report in reports for row in report["exercises"])
    judgements = options.submissions * exercises
    forked_s, spawned_s = (judgement_s(asked, fork=fork, repetitions=1) for fork in (True, False))
    rows = [
        ("submissions × exercises", f"{options.submissions} × {exercises} ({solved / judgements:.0%} solved)"),
        ("processes at a time", str(options.jobs)),
        ("graded in, one kill and restart included", f"{taken_s:.0f} s"),
        ("submissions per minute", f"{60 * options.submissions / taken_s:.1f}"),
        ("judgements per second", f"{judgements / taken_s:.1f}"),
        ("results that the killed run left, all of them kept", str(kept)),
        ("a right answer, in a fork of the warm process", f"{forked_s:.2f} s (median)"),
        ("the same, in a new process", f"{spawned_s:.2f} s ({spawned_s / forked_s:.1f}×)"),
        *rank_program_rows(asked, reports),
    ]
    for label, value in rows:
        print(f"| {label} | {value} |")


if __name__ == "__main__":
    main()
