"""Grades a directory of submissions on all cores: ``python -m exercises.classroom SUBMISSIONS``.

Every entry of the directory, a ``.py`` file or a directory, is one submission. Its results are written to a file of
their own as soon as it is graded, so that a run that was stopped goes on where it was. A submission or grader that has
changed since is graded again. ``results.csv`` has a line for each.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from exercises.answer_files import submitted
from exercises.catalogue import HOME, Chapter, chapters
from exercises.child import Limits
from exercises.judging import Verdict
from exercises.messages import Result
from exercises.report import as_report, write_atomically
from exercises.sandbox import Sandbox

Report = dict[str, Any]


def grade_submission(submission: Path, asked: Sequence[Chapter], sandbox: Sandbox) -> Report:
    """Grade all exercises of a submission; what it does not answer is open."""
    results = []
    for chapter in asked:
        path = submitted(submission, chapter.folder)
        for exercise in chapter.exercises.values():
            began = time.perf_counter()
            open_one = Verdict("open", exercise.asked)
            verdict = sandbox.judge(chapter.folder, exercise, path) if path else open_one
            results.append(Result(chapter, exercise, verdict, time.perf_counter() - began))
    return as_report(results)


def grade_all(
    submissions: Sequence[Path],
    asked: Sequence[Chapter],
    out: Path,
    *,
    jobs: int,
    limits: Limits,
    tell: Callable[[str], None],
) -> dict[str, Report]:
    """Grade what has no result yet, ``jobs`` at a time, and return all results by name."""
    digests = {path.name: digest(path, asked, limits) for path in submissions}
    done = {path.name: kept for path in submissions if (kept := _kept(out, path.name, digests[path.name]))}
    left = [path for path in submissions if path.name not in done]
    if done:
        tell(f"{len(done)} of {len(submissions)} submissions have their results already\n")
    mine = threading.local()
    sandboxes: list[Sandbox] = []

    def work(path: Path) -> Report:
        if not hasattr(mine, "sandbox"):
            mine.sandbox = Sandbox(limits)
            sandboxes.append(mine.sandbox)
        report = {"submission": path.name, "digest": digests[path.name]}
        report |= grade_submission(path, asked, mine.sandbox)
        write_atomically(out / f"{path.name}.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
        return report

    began = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        tasks = {pool.submit(work, path): path for path in left}
        try:
            for task in as_completed(tasks):
                done[tasks[task].name] = task.result()
                tell(_progress(len(done), len(submissions), len(done) + len(left) - len(submissions), began))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            for sandbox in sandboxes:
                sandbox.close()
    return {path.name: done[path.name] for path in submissions}


def _progress(done: int, total: int, graded: int, began: float) -> str:
    """Return a line of progress: a bar, the count, and the time that is left."""
    left_s = (time.monotonic() - began) / max(graded, 1) * (total - done)
    bar = "#" * (20 * done // total)
    return f"[{bar:<20}] {done} of {total} graded, {left_s:.0f} s left"


def digest(submission: Path, asked: Sequence[Chapter], limits: Limits) -> str:
    """Return a digest of a submission, of the graders and of the limits."""
    found = hashlib.sha256(repr(limits).encode())
    graders = [chapter.folder / name for chapter in asked for name in ("test_answers.py", "mutants.py")]
    for path in [*_files(submission), *graders]:
        found.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def _files(submission: Path) -> Iterator[Path]:
    yield from [submission] if submission.is_file() else sorted(submission.rglob("*.py"))


def _kept(out: Path, name: str, wanted: str) -> Report | None:
    """Return the result of an earlier run, if it is of the same submission and graders."""
    try:
        report: Report = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if report.get("digest") == wanted else None


def table(reports: dict[str, Report]) -> str:
    """Return the CSV: a line for each submission, a column for each exercise, and the score.

    >>> rows = [{"chapter": "memory/zero", "exercise": "zero1_step", "status": "solved"}]
    >>> print(table({"ada": {"score": 1.0, "possible": 1.0, "exercises": rows}}).replace("\\r", ""), end="")
    submission,score,possible,memory/zero/zero1_step
    ada,1.0,1.0,solved
    """
    text = io.StringIO()
    writer = csv.writer(text)
    columns = dict.fromkeys(_column(row) for report in reports.values() for row in report["exercises"])
    writer.writerow(["submission", "score", "possible", *columns])
    for name, report in reports.items():
        statuses = {_column(row): row["status"] for row in report["exercises"]}
        cells = [statuses.get(column, "") for column in columns]
        # A name that begins like a formula would be one to a spreadsheet.
        shown = f"'{name}" if name[:1] in "=+-@" else name
        writer.writerow([shown, report["score"], report["possible"], *cells])
    return text.getvalue()


def _column(row: dict[str, Any]) -> str:
    return f"{row['chapter']}/{row['exercise']}"


def find_submissions(directory: Path) -> list[Path]:
    """Return a directory's submissions: its Python files and its directories."""
    entries = sorted(directory.iterdir())
    return [
        path for path in entries if not path.name.startswith((".", "_")) and (path.is_dir() or path.suffix == ".py")
    ]


def _teller() -> Callable[[str], None]:
    """Return what shows progress: one line that changes in a terminal, a line for each step elsewhere."""
    if sys.stderr.isatty():
        return lambda line: print(
            f"\r{line:<79}" if not line.endswith("\n") else line, end="", file=sys.stderr, flush=True
        )
    return lambda line: print(line.rstrip(), file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m exercises.classroom", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("submissions", type=Path, help="the directory; each file or directory in it is a submission")
    parser.add_argument("--out", type=Path, default=Path("results"), help="where results go (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time (default: cores)")
    parser.add_argument("--chapter", action="append", help="grade this one only, collectives/ring_and_tree; repeatable")
    parser.add_argument(
        "--time-limit", type=float, default=Limits.time_s, metavar="S", help="seconds for each exercise"
    )
    parser.add_argument("--memory-limit", type=float, default=1.0, metavar="GIB", help="GiB for each exercise")
    parser.add_argument("--exercises", type=Path, default=HOME, help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    asked = [c for c in chapters(options.exercises.resolve()) if not options.chapter or c.address in options.chapter]
    if not options.submissions.is_dir() or not asked:
        parser.error(f"no directory {options.submissions}" if asked else "no such chapter")
    limits = Limits(time_s=options.time_limit, memory_bytes=int(options.memory_limit * 2**30))
    submissions = find_submissions(options.submissions.resolve())
    began, tell = time.monotonic(), _teller()
    reports = grade_all(submissions, asked, options.out, jobs=options.jobs, limits=limits, tell=tell)
    write_atomically(options.out / "results.csv", table(reports))
    print(f"\n{len(reports)} submissions in {time.monotonic() - began:.1f} s: {options.out / 'results.csv'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
