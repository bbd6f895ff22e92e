"""Grades a directory of submissions on all cores: ``python -m grader.classroom SUBMISSIONS``.

Every entry of the directory, a ``.py`` or ``.zip`` file or a directory, is one submission. Its results are written to a
file of their own as soon as it is graded, so that a run that was stopped goes on where it was. A submission that has
changed since is graded again, and all are if an exercise or the grader has. ``results.csv`` has a line for each,
``mistakes.csv`` one for each way in which an exercise went wrong, and ``late.csv`` one for each file that was changed
after the deadline; ``feedback/`` has a page for each submission, to hand out.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from multiprocessing import connection
from pathlib import Path
from typing import Any

from grader.answer_files import MOST_BYTES, submitted
from grader.assignment import Assignment, assigned, span
from grader.cases import cases
from grader.catalogue import HOME, chapters
from grader.cleaning import shown_name, writable
from grader.confining import GRACE_S, ROOT, Limits
from grader.feedback import MOST_LATE, feedback_page
from grader.grading import grade
from grader.judging import Verdict
from grader.lateness import Change, files_of, late_changes
from grader.messages import Result
from grader.options import at_least_one, gibibytes, limits_of, named_path, seconds, seed
from grader.report import as_json, as_report
from grader.sandbox import JUDGING_S, START_S, Sandbox
from grader.whole_files import write_whole

Report = dict[str, Any]
Tell = Callable[[str], None]


@dataclass
class _Job:
    """A submission that is being graded, by a process that sends a verdict for each exercise."""

    path: Path
    verdicts: list[tuple[Verdict, float]] = field(default_factory=list)
    process: Any = None
    receiving: Any = None
    until: float = 0.0


class Class:
    """Grades submissions, each in a process of its own, in which the judge is; answers have theirs besides."""

    def __init__(self, assignment: Assignment, home: Path, out: Path, limits: Limits, seed: int | None = None) -> None:
        self.asked = [(chapter, dataclasses.replace(exercise, seed=seed)) for chapter, exercise in assignment.asked]
        self.deadline, self.seed = assignment.deadline, seed
        self.home, self.out, self.limits = home, out, limits
        self.all_names = [name for chapter in chapters(home) for name in chapter.exercises]
        self.longest_s = limits.time_s + GRACE_S + JUDGING_S + START_S
        self._late: dict[Path, list[Change]] = {}
        self._graders = _digest_of_graders(home, [(e.name, e.weight, seed) for _, e in self.asked], limits)

    def grade(self, submissions: Sequence[Path], jobs: int, tell: Tell) -> dict[str, Report]:
        """Grade what has no result yet, ``jobs`` at a time, and return all results by name."""
        digests = {path: self.digest(path) for path in submissions}
        self._late = {path: late_changes(path, self.deadline) for path in submissions} if self.deadline else {}
        reports = {path: kept for path in submissions if (kept := _kept(self._result(path), digests[path]))}
        if reports:
            tell(f"{len(reports)} of {len(submissions)} submissions have their results already\n")
        for path, report in reports.items():
            self._write_feedback(path, report)
        waiting = [path for path in submissions if path not in reports]
        for _, exercise in self.asked if waiting else ():
            cases(exercise)  # drawn here, once
        began, before = time.monotonic(), len(reports)
        for path, verdicts in self._graded(waiting, jobs):
            reports[path] = self._report(path, digests[path], verdicts)
            self._write_feedback(path, reports[path])
            self._write_tables({one: reports[one] for one in submissions if one in reports})
            tell(_progress(len(reports), len(submissions), len(reports) - before, began))
        self._write_tables({path: reports[path] for path in submissions})
        if count := sum(map(bool, self._late.values())):
            tell(f"{count} of {len(submissions)} submissions have files of after the deadline: late.csv\n")
        return {shown_name(path.name): reports[path] for path in submissions}

    def _graded(self, waiting: list[Path], jobs: int) -> Iterator[tuple[Path, list[tuple[Verdict, float]]]]:
        """Yield each submission's verdicts when it has all."""
        running: list[_Job] = []
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    running.append(self._started(_Job(waiting.pop(0))))
                left_s = max(0.0, min(job.until for job in running) - time.monotonic())
                ready = connection.wait([job.receiving for job in running], left_s)
                for job in [job for job in running if job.receiving in ready or job.until < time.monotonic()]:
                    self._take(job)
                    if len(job.verdicts) == len(self.asked):
                        running.remove(job)
                        _end(job)
                        yield job.path, job.verdicts
        finally:
            for job in running:
                _end(job)

    def _started(self, job: _Job) -> _Job:
        """Start a process that grades what a job still lacks."""
        job.receiving, sending = multiprocessing.Pipe(duplex=False)
        left = [exercise.name for _, exercise in self.asked[len(job.verdicts) :]]
        arguments = (sending, job.path, self.home, left, self.all_names, self.limits, self.seed)
        job.process = _CONTEXT.Process(target=_grade_all, args=arguments)
        job.process.start()
        sending.close()
        job.until = time.monotonic() + self.longest_s
        return job

    def _take(self, job: _Job) -> None:
        """Take the next verdict; where there is none, say so, and go on with the exercise after it."""
        try:
            if not job.receiving.poll():
                raise EOFError
            job.verdicts.append(job.receiving.recv())
            job.until = time.monotonic() + self.longest_s
        except (EOFError, OSError):
            asked = self.asked[len(job.verdicts)][1].asked
            got = "the process of the judge ended, or had to be ended, while it judged this answer"
            job.verdicts.append((Verdict("wrong", asked, "", "a result that can be judged", got), 0.0))
            _end(job)
            self._started(job)

    def _report(self, path: Path, digest: str, verdicts: list[tuple[Verdict, float]]) -> Report:
        """Write a submission's results, and return them."""
        results = [
            Result(chapter, exercise, verdict, seconds)
            for (chapter, exercise), (verdict, seconds) in zip(self.asked, verdicts, strict=True)
        ]
        of_all = as_report(results, self.deadline, self.seed)
        report = {"submission": shown_name(path.name), "digest": digest, **of_all}
        write_whole(self._result(path), as_json(report))
        return report

    def _write_tables(self, reports: Mapping[Path, Report]) -> None:
        late = [bool(self._late[path]) for path in reports] if self.deadline else None
        write_whole(self.out / "results.csv", table(list(reports.values()), late))
        write_whole(self.out / "mistakes.csv", writable(mistakes_table(list(reports.values()))))

        if self.deadline:
            changes = [(shown_name(path.name), self._late[path]) for path in reports]
            write_whole(self.out / "late.csv", writable(late_table(changes, self.deadline)))
        else:
            (self.out / "late.csv").unlink(missing_ok=True)  # of a run that had a deadline

    def _write_feedback(self, path: Path, report: Report) -> None:
        page = feedback_page(report, self.deadline, self._late.get(path, ()))
        write_whole(self.out / "feedback" / self._result(path).with_suffix(".html").name, writable(page))

    def _result(self, path: Path) -> Path:
        """Return where a submission's results are; a name may be as long as names can be, or no text."""
        name = shown_name(path.name)
        if name != path.name or len(name.encode()) > 200:
            digest = hashlib.sha256(os.fsencode(path.name)).hexdigest()
            name = f"{re.sub(r'[^a-zA-Z0-9_. -]', '_', name[:50])}-{digest[:16]}"
        return self.out / f"{name}.json"

    def digest(self, submission: Path) -> str:
        """Return a digest of a submission and of all that judging depends on."""
        found = hashlib.sha256(self._graders.encode())
        for path in sorted(files_of(submission)):
            found.update(b"\0".join([os.fsencode(path.relative_to(submission)), _contents(path)]))
        return found.hexdigest()


_CONTEXT: Any = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")


def _grade_all(
    sending: connection.Connection,
    path: Path,
    home: Path,
    names: list[str],
    all_names: list[str],
    limits: Limits,
    seed: int | None,
) -> None:
    """Grade exercises of a submission, and send the verdicts; what is not answered is open."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_class, daemon=True).start()
    by_name = {name: (chapter, chapter.exercises[name]) for chapter in chapters(home) for name in chapter.exercises}
    with Sandbox(limits) as sandbox:
        for name in names:
            chapter, exercise = by_name[name]
            exercise = dataclasses.replace(exercise, seed=seed)
            result = grade(sandbox, chapter, exercise, partial(submitted, path, chapter, name, all_names))
            sending.send((result.verdict, result.seconds))


def _end_with_the_class() -> None:
    """End this process, and with it those of its answers, when the one that started it is gone, however it ended."""
    parent = multiprocessing.parent_process()
    assert parent
    connection.wait([parent.sentinel])
    os._exit(1)


def _end(job: _Job) -> None:
    job.process.kill()
    job.process.join()
    job.receiving.close()


def _contents(path: Path) -> bytes:
    try:
        if path.is_symlink():
            return os.fsencode(os.readlink(path))
        return (
            path.read_bytes() if path.is_file() and path.stat().st_size <= 8 * MOST_BYTES else str(path.stat()).encode()
        )
    except OSError as error:
        return str(error).encode()


def _digest_of_graders(home: Path, weights: list[tuple[str, float, int | None]], limits: Limits) -> str:
    """Return a digest of the exercises, of the modules that they may use, of the grader and of what it is asked."""
    found = hashlib.sha256(repr((weights, limits, sys.version_info[:2])).encode())
    for folder in (home, ROOT / "snippets", ROOT / "grader"):
        for path in sorted(path for kind in ("*.py", "*.json") for path in folder.rglob(kind)):
            found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def _kept(path: Path, wanted: str) -> Report | None:
    """Return the result of an earlier run, if it is of the same submission and graders."""
    try:
        report: Report = json.loads(path.read_text(encoding="utf-8"))
        return report if report["digest"] == wanted else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _progress(done: int, total: int, graded: int, began: float) -> str:
    """Return a line of progress: a bar, the count, and the time that is left."""
    left_s = (time.monotonic() - began) / max(graded, 1) * (total - done)
    bar = "#" * (20 * done // total)
    return f"[{bar:<20}] {done} of {total} graded, {left_s:.0f} s left"


def table(reports: Sequence[Report], late: Sequence[bool] | None = None) -> str:
    """Return the CSV: a line for each submission with its score, and for each exercise its status and mistake.

    Where there is a deadline, ``late`` says of each whether it came after it.

    >>> row = {"chapter": "memory/zero", "exercise": "owners", "status": "wrong", "mistake": "keeps_the_order"}
    >>> ada = {"submission": "ada", "score": 0.0, "possible": 1.0, "exercises": [row]}
    >>> print(table([ada]).replace("\\r", ""), end="")
    submission,score,possible,memory/zero/owners,memory/zero/owners mistake
    ada,0.0,1.0,wrong,keeps_the_order
    """
    text = io.StringIO()
    writer = csv.writer(text)
    columns = dict.fromkeys(_column(row) for report in reports for row in report["exercises"])
    of_exercises = [f"{column}{also}" for column in columns for also in ("", " mistake")]
    writer.writerow(["submission", "score", "possible", *(["late"] if late else []), *of_exercises])
    for number, report in enumerate(reports):
        rows = {_column(row): (row["status"], row["mistake"]) for row in report["exercises"]}
        cells = [cell for column in columns for cell in rows.get(column, ("", ""))]
        was_late = ["late" if late[number] else ""] if late else []
        writer.writerow([_no_formula(report["submission"]), report["score"], report["possible"], *was_late, *cells])
    return text.getvalue()


def late_table(changes: Sequence[tuple[str, Sequence[Change]]], deadline: datetime) -> str:
    """Return the CSV of what was changed after the deadline, by submission: at most 20 files of each, the last first.

    >>> deadline = datetime.fromisoformat("2026-12-01T18:00+01:00")
    >>> change = Change("ada.zip/owners.py", datetime.fromisoformat("2026-12-01T19:30:00+01:00"), "zip")
    >>> print(late_table([("ada.zip", [change]), ("bo.py", [])], deadline).replace("\\r", ""), end="")
    submission,file,changed,after the deadline,says
    ada.zip,ada.zip/owners.py,2026-12-01T19:30:00+01:00,1 hour 30 minutes,zip
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["submission", "file", "changed", "after the deadline", "says"])
    for name, late in changes:
        for change in late[:MOST_LATE]:
            when = change.when.isoformat(timespec="seconds")
            cells = [name, change.file, when, span(change.when - deadline), change.said_by]
            writer.writerow([*map(_no_formula, cells)])
    return text.getvalue()


def mistakes_table(reports: Sequence[Report]) -> str:
    """Return the CSV of what went wrong in the class: for each exercise its wrong answers in groups, the largest first.

    Answers whose mistake is known stand together; of the others those that first go wrong on the same input, with the
    same result there, and of which the same is true over all inputs.

    >>> row = {"chapter": "memory/zero", "exercise": "owners", "status": "wrong", "mistake": "keeps_the_order"}
    >>> row |= {"says": "Sort first.", "pattern": "", "input": "[1, 2]", "expected": "[0]", "got": "[1]"}
    >>> reports = [{"submission": name, "exercises": [row]} for name in ("ada", "bo")]
    >>> print(mistakes_table(reports).replace("\\r", ""), end="")
    exercise,tried,answers,known mistake,what is true of it,input,expected,got,submissions
    memory/zero/owners,2,2,keeps_the_order,Sort first.,"[1, 2]",[0],[1],ada bo
    """
    text = io.StringIO()
    writer = csv.writer(text)
    what = ["known mistake", "what is true of it", "input", "expected", "got", "submissions"]
    writer.writerow(["exercise", "tried", "answers", *what])
    for exercise in dict.fromkeys(_column(row) for report in reports for row in report["exercises"]):
        answers = [(r["submission"], row) for r in reports for row in r["exercises"] if _column(row) == exercise]
        tried = sum(row["status"] != "open" for _, row in answers)
        groups: dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]] = {}
        for name, row in answers:
            if row["status"] == "wrong":
                groups.setdefault(_behaviour(row), []).append((name, row))
        for group in sorted(groups.values(), key=len, reverse=True):
            names, first = " ".join(name for name, _ in group), group[0][1]
            true = first["says"] or first["pattern"]
            cells = [first["mistake"], true, first["input"], first["expected"], first["got"], names]
            writer.writerow([exercise, tried, len(group), *map(_no_formula, cells)])
    return text.getvalue()


def _behaviour(row: dict[str, Any]) -> tuple[str, ...]:
    """Return by what a wrong answer is grouped with others."""
    return (row["mistake"],) if row["mistake"] else (row["pattern"], row["input"], row["got"])


def _no_formula(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; some read the wide signs of Japanese keyboards too."""
    return f"'{cell}" if cell[:1] in {*"=+-@", *"\uff1d\uff0b\uff0d\uff20"} else cell


def _column(row: dict[str, Any]) -> str:
    return f"{row['chapter']}/{row['exercise']}"


def find_submissions(directory: Path, tell: Tell) -> list[Path]:
    """Return a directory's submissions: its Python files, zips and directories; say which others there are.

    A link that could be one of them is a submission too, whose report says that links are not followed.
    """
    entries = sorted(path for path in directory.iterdir() if not path.name.startswith("."))
    wanted = [path for path in entries if _is_submission(path)]
    for path in [path for path in entries if path not in wanted]:
        why = "made by another program" if path.name in _MADE else "no Python file, zip or directory"
        tell(f"{shown_name(path.name)} is left out: {why}\n")
    return wanted


_MADE = ("__MACOSX", "__pycache__")


def _is_submission(path: Path) -> bool:
    if path.name in _MADE:
        return False
    return path.suffix in (".py", ".zip") or path.is_dir() or (path.is_symlink() and not path.suffix)


def _teller() -> Tell:
    """Return what shows progress: one line that changes in a terminal, a line for each step elsewhere."""
    if sys.stderr.isatty():
        return lambda line: print(
            f"\r{line:<79}" if not line.endswith("\n") else line, end="", file=sys.stderr, flush=True
        )
    return lambda line: print(line.rstrip(), file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grader.classroom", description=(__doc__ or "").split("\n\n")[1])
    of_directory = "the directory; each file or directory in it is a submission"
    parser.add_argument("submissions", type=named_path, help=of_directory)
    out = "where results go (default: %(default)s)"
    parser.add_argument("--out", type=named_path, default=Path("results"), help=out)
    jobs = "how many at a time (default: cores)"
    parser.add_argument("--jobs", type=at_least_one, default=os.cpu_count() or 1, metavar="N", help=jobs)
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--chapter", action="append", help="grade this one only, collectives/ring_and_tree; repeatable")
    names = "grade the exercises that it names, one a line"
    asked.add_argument("--assignment", type=named_path, metavar="FILE", help=names)
    time_limit = "seconds for each exercise"
    parser.add_argument("--time-limit", type=seconds, default=Limits.time_s, metavar="S", help=time_limit)
    parser.add_argument("--memory-limit", type=gibibytes, default=1.0, metavar="GIB", help="GiB for each exercise")
    parser.add_argument("--exercises", type=named_path, default=HOME, metavar="PATH", help="exercises of your own")
    input_seed = "draw the inputs of the exercises anew, by this number"
    parser.add_argument("--input-seed", type=seed, metavar="N", help=input_seed)
    return parser


def _assignment(options: argparse.Namespace, home: Path) -> Assignment:
    """Return the assignment that the options name.

    Raises:
        ValueError: there are none, or a chapter is unknown.
    """
    if options.assignment:
        return assigned(options.assignment, home)
    all_chapters = chapters(home)
    known = [chapter.address for chapter in all_chapters]
    for address in options.chapter or []:
        if address not in known:
            raise ValueError(f"--chapter: there is no chapter {address} in {home}, but {', '.join(known)}")
    wanted = [chapter for chapter in all_chapters if not options.chapter or chapter.address in options.chapter]
    if not wanted:
        raise ValueError(f"--exercises: there are no exercises in {home}")
    return Assignment([(chapter, exercise) for chapter in wanted for exercise in chapter.exercises.values()])


_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a signal that ends programs end this one as Ctrl+C does: with what it has started."""

    def stop(number: int, _frame: Any) -> None:
        raise KeyboardInterrupt(number)

    before = {number: signal.signal(number, stop) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade a class."""
    parser, tell = _parser(), _teller()
    options = parser.parse_args(arguments)
    home = options.exercises.resolve()
    if not options.submissions.is_dir():
        parser.error(f"no directory {options.submissions}")
    try:
        assignment = _assignment(options, home)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    limits = limits_of(options.time_limit, options.memory_limit)
    submissions, began = find_submissions(options.submissions.resolve(), tell), time.monotonic()
    try:
        with _ended_by_signals():
            of_class = Class(assignment, home, options.out, limits, options.input_seed)
            reports = of_class.grade(submissions, options.jobs, tell)
    except KeyboardInterrupt as stop:
        print(f"\nstopped; what is graded is in {options.out}, and the next run goes on with the others")
        return 128 + (stop.args[0] if stop.args else signal.SIGINT)
    print(f"\n{len(reports)} submissions in {time.monotonic() - began:.1f} s: {options.out / 'results.csv'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
