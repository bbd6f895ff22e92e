"""How pytest grades: each exercise is an item, an untouched stub is open, and a board tells what is next.

``exercises/conftest.py`` has these hooks for the book's exercises; ``pytest -p grader.plugin FOLDER`` grades others.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from grader.answer_files import Written, answers_of, is_untouched, prepare, read, submitted
from grader.assignment import Assignment, assigned, due
from grader.board import board
from grader.catalogue import HOME, Chapter, chapter_of, chapters, declares, find
from grader.confining import Limits
from grader.exercise import Exercise
from grader.grading import grade
from grader.hints import next_hint
from grader.judging import Verdict
from grader.messages import Result, failure, labelled
from grader.options import gibibytes, limits_of, named, seconds, seed
from grader.report import write
from grader.sandbox import Sandbox
from grader.source import solution_of

RESULT = "verdict"  # the property of a test's report that carries its verdict, from a worker to the board too
NEWS = pytest.StashKey[list[str]]()
SANDBOX = pytest.StashKey[Sandbox]()
ASSIGNED = pytest.StashKey[Assignment]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("exercises")
    group.addoption("--hint", metavar="NAME", nargs="?", const="", help="print the next hint to an exercise")
    group.addoption("--solution", metavar="NAME", nargs="?", const="", help="print a solution, once yours passes")
    group.addoption("--give-up", action="store_true", help="with --solution: print it although yours does not pass")
    submission = "grade this file, folder or zip instead of answers/"
    group.addoption("--submission", metavar="PATH", type=named, help=submission)
    assignment = "grade the exercises that this file names, one a line"
    group.addoption("--assignment", metavar="FILE", type=named, help=assignment)
    group.addoption("--report", metavar="FILE", type=named, help="write the results to this JSON file")
    group.addoption("--report-format", choices=["book", "gradescope"], default="book", help="its layout")
    group.addoption("--time-limit", type=seconds, default=Limits.time_s, metavar="S", help="seconds for each exercise")
    group.addoption("--memory-limit", type=gibibytes, default=1.0, metavar="GIB", help="GiB for each exercise")
    group.addoption(
        "--input-seed", type=seed, metavar="N", help="draw the inputs of the exercises anew, by this number"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[NEWS] = []
    if path := config.getoption("--assignment"):
        try:
            config.stash[ASSIGNED] = assigned(Path(path), _home(config))
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"--assignment: {error}") from None
    submission = config.getoption("--submission")
    if submission and Path(submission).is_symlink():
        raise pytest.UsageError(f"--submission must not be a link, got {submission}: name what it leads to")
    if submission and not Path(submission).exists():
        raise pytest.UsageError(f"--submission: there is no {submission}")


def pytest_unconfigure(config: pytest.Config) -> None:
    if SANDBOX in config.stash:
        config.stash[SANDBOX].close()


# Hints and solutions, instead of grading.


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Print a hint or a solution instead of grading."""
    hint, wanted = config.getoption("--hint"), config.getoption("--solution")
    if hint is None and wanted is None:
        return None
    name = hint or wanted or config.getoption("keyword")
    if not name:
        raise pytest.UsageError("which exercise? pytest exercises --hint NAME, with the option at the end")
    try:
        chapter, exercise = find(name, _home(config))
    except KeyError as error:
        raise pytest.UsageError(str(error.args[0])) from None
    text, status = (next_hint(chapter, exercise), 0) if hint is not None else _solution(config, chapter, exercise)
    print(text)
    return status


def _home(config: pytest.Config) -> Path:
    """Return the folder of exercises that the arguments lie in, by default the book's."""
    asked = Path(config.args[0].partition("::")[0]).resolve()
    return next((path for path in (asked, *asked.parents) if _is_home(path)), HOME)


def _is_home(path: Path) -> bool:
    return path.is_dir() and any(map(declares, path.glob("*/*/*.py")))


def _solution(config: pytest.Config, chapter: Chapter, exercise: Exercise) -> tuple[str, int]:
    """Return a solution, or what has to happen before it is shown."""
    if not config.getoption("--give-up"):
        with Sandbox(_limits(config)) as sandbox, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # hypothesis wants to draw later than this
            status = grade(sandbox, chapter, exercise, lambda: _written(config, chapter, exercise)).verdict.status
        if status != "solved":
            how = "open" if status == "open" else "not right yet"
            return (
                f"{exercise.name} is {how}. Hints: pytest exercises --hint {exercise.name}\n"
                f"To see the solution all the same: pytest exercises --give-up --solution {exercise.name}"
            ), 1
    return solution_of(exercise), 0


def _limits(config: pytest.Config) -> Limits:
    return limits_of(config.getoption("--time-limit"), config.getoption("--memory-limit"))


def _written(config: pytest.Config, chapter: Chapter, exercise: Exercise) -> Written | None:
    if not (submission := config.getoption("--submission")):
        return read(answers_of(chapter) / f"{exercise.name}.py")
    names = [name for one in chapters(_home(config)) for name in one.exercises]
    return submitted(Path(submission).resolve(), chapter, exercise.name, names)


# What is graded.


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Collect exercises, and nothing else where they are: doctests there are the book's."""
    others = yield
    if file_path.suffix == ".py" and declares(file_path):
        return [ExerciseFile.from_parent(parent, path=file_path)]
    return [] if any(map(declares, file_path.parent.glob("*.py"))) else others


class ExerciseFile(pytest.File):
    """A module that declares an exercise."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield its only item."""
        chapter = chapter_of(self.path.parent)
        yield ExerciseItem.from_parent(self, name=self.path.stem, chapter=chapter)


class ExerciseItem(pytest.Item):
    """An exercise, which passes if its answer is right, and is skipped while there is none."""

    def __init__(self, *, chapter: Chapter, **more: Any) -> None:
        super().__init__(**more)
        self.chapter, self.exercise = chapter, chapter.exercises[self.name]

    def runtest(self) -> None:
        """Grade the answer."""
        config, chapter, exercise = self.config, self.chapter, self.exercise
        if SANDBOX not in config.stash:
            config.stash[SANDBOX] = Sandbox(_limits(config))
        result = grade(config.stash[SANDBOX], chapter, exercise, lambda: _written(config, chapter, exercise))
        about = {"folder": str(chapter.folder), "exercise": self.name, "weight": exercise.weight}
        verdict = dataclasses.asdict(result.verdict)
        self.user_properties.append((RESULT, json.dumps({**about, "seconds": result.seconds, "verdict": verdict})))
        if result.verdict.status == "open":
            pytest.skip(f"open: {self.name}")
        if result.verdict.status == "wrong":
            everything = config.get_verbosity() > 0
            pytest.fail("\n" + failure(result, everything=everything), pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Say where the exercise is, and what it is called."""
        return self.path, None, self.name


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Take the exercise of a name alone, or those of an assignment, and make the files that are missing."""
    mine = [item for item in items if isinstance(item, ExerciseItem)]
    if ASSIGNED in config.stash:
        weighed = {exercise.name: exercise for _, exercise in config.stash[ASSIGNED].asked}
        for item in mine:
            item.exercise = weighed.get(item.name, item.exercise)
        _keep(config, items, [item for item in mine if item.name in weighed])
    for item in mine:
        item.exercise = dataclasses.replace(item.exercise, seed=config.getoption("--input-seed"))
    if only := [item for item in mine if item.name == config.getoption("keyword")]:
        _keep(config, items, only)
    yield
    if not config.getoption("--submission") and not config.getoption("collectonly"):
        names: dict[str, list[str]] = {}
        for item in filter(items.__contains__, mine):
            names.setdefault(item.chapter.address, []).append(item.name)
        folders = {item.chapter.address: item.chapter for item in mine}
        config.stash[NEWS] += filter(None, (prepare(folders[address], asked) for address, asked in names.items()))


def _keep(config: pytest.Config, items: list[pytest.Item], wanted: list[ExerciseItem]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
    items[:] = wanted


# What is told.


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the board below everything else, and write the report."""
    results = [
        _result(str(value))
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
        for name, value in report.user_properties
        if name == RESULT and report.when == "call"
    ]
    if not results:
        return
    terminalreporter.section("board")
    for news in config.stash[NEWS]:
        terminalreporter.line(labelled("new", news))
    is_open = is_untouched if not config.getoption("--submission") else lambda chapter, name: False
    for line, colour in board(results, is_open=is_open):
        terminalreporter.line(line, **{colour: True} if colour else {})
    deadline = config.stash[ASSIGNED].deadline if ASSIGNED in config.stash else None
    if deadline:
        terminalreporter.line(labelled("due", due(deadline, datetime.now(UTC))))
    if path := config.getoption("--report"):
        write(Path(path), results, config.getoption("--report-format"), deadline, config.getoption("--input-seed"))


def _result(text: str) -> Result:
    record = json.loads(text)
    chapter = chapter_of(Path(record["folder"]))
    exercise = dataclasses.replace(chapter.exercises[record["exercise"]], weight=record["weight"])
    return Result(chapter, exercise, Verdict(**record["verdict"]), record["seconds"])
