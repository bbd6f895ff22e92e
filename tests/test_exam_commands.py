"""The command `exam`: it prints the tasks, makes a form once, grades a file, and prints solutions and certificates."""

from __future__ import annotations

import datetime
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from snippets.command_line import main
from snippets.exam_commands import exam_answer
from snippets.synthesis.conclusion.exam import exam_form, graded_exam
from snippets.synthesis.conclusion.exam_judging import best_answer
from snippets.synthesis.conclusion.exam_sheet import word_rows
from snippets.synthesis.conclusion.exam_tasks import exam_tasks

SEED = 7
BEST = [best_answer(task) for task in exam_tasks(SEED)]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return what runs the command in an empty folder, and returns its status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str]:
        status = main(["exam", "--seed", str(SEED), *words])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return call


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(f"{number}: {answer}" for number, answer in enumerate(BEST, 1)), encoding="utf-8")
    return path


def test_it_prints_the_five_tasks(run: Any) -> None:
    status, shown = run()
    assert status == 0
    assert max(map(len, shown.splitlines())) <= 100
    flat = " ".join(shown.split())
    for task in exam_tasks(SEED):
        assert f"{task.number}. {task.title}" in shown
        for words in (task.statement, task.limits, task.returns, task.form, *(value for _, value in task.given)):
            assert " ".join(words.split()) in flat
        for name, said in task.sheet:
            assert " ".join(f"{name}: {said}".split()) in flat
    for name, said in word_rows():
        assert " ".join(f"{name}: {said}".split()) in flat
    assert shown.endswith("exam --seed 7 --answers exam-7.txt\n")


def test_it_makes_a_form_once_and_never_overwrites_it(run: Any) -> None:
    path = Path("exam-7.txt")
    status, shown = run("--answers", str(path))
    assert (status, path.read_text(encoding="utf-8")) == (0, exam_form(SEED))
    assert "A form for your answers is in exam-7.txt." in shown
    written = exam_form(SEED).replace("\n1:", "\n1: t=8 p=4 zero=1 recompute=full")
    path.write_text(written, encoding="utf-8")
    status, shown = run("--answers", str(path))
    assert "> t=8 p=4 zero=1 recompute=full" in shown
    assert path.read_text(encoding="utf-8") == written


def test_it_grades_what_is_solved_and_what_is_not(run: Any, solved: Path) -> None:
    status, shown = run("--answers", str(solved))
    assert status == 0
    assert shown.endswith("100 of 100 points: passed\n")
    solved.write_text("1: t=3\n2: " + BEST[1], encoding="utf-8")
    status, shown = run("--answers", str(solved))
    assert re.search(r"^1\. Fit and cut: 0 of 20 points$", shown, re.MULTILINE)
    assert "- axes that don't make up the GPUs: " in shown
    assert "No answer yet." in shown
    assert shown.endswith("20 of 100 points: not passed, 80 are a pass\n")
    solved.write_text("1. t=3\nhello\nTask 2: " + BEST[1], encoding="utf-8")
    status, shown = run("--answers", str(solved))
    assert shown.startswith(
        "Not read: line 2, 'hello'. An answer begins with its number, such as 1:\n\n1. Fit and cut: 0"
    )
    assert shown.endswith("20 of 100 points: not passed, 80 are a pass\n")
    solved.write_text("1: t=3\n2: " + BEST[1], encoding="utf-8")
    status, shown = run("--answers", str(solved), "--json")
    record = json.loads(shown)
    assert (record["points"], record["passed"], record["verdicts"][1]["points"]) == (20, False, 20)


def test_a_mark_before_line_1_is_no_letter_of_it(run: Any, solved: Path) -> None:
    answers = solved.read_text(encoding="utf-8")
    plain = run("--answers", str(solved))
    solved.write_text(answers, encoding="utf-8-sig")
    assert run("--answers", str(solved)) == plain
    solved.write_text(exam_form(SEED + 1), encoding="utf-8-sig")
    status, shown = run("--answers", str(solved))
    assert status
    assert f"got those to seed {SEED + 1}" in shown


def test_a_solution_is_shown_after_a_try_and_not_before(run: Any, solved: Path) -> None:
    solved.write_text("1: t=8 p=4", encoding="utf-8")
    status, shown = run("--answers", str(solved), "--solution", "1")
    assert status == 0
    assert shown.startswith(f"The planner's best: {BEST[0]}\n")
    assert "Yours: t=8 p=4\n" in shown
    solved.write_text("1: t=8 p=4\n3: banana\n4: t=3", encoding="utf-8")
    tried = "--solution must be of a task to which your file has an answer that can run"
    for number, sentence in (("2", tried), ("3", tried), ("4", tried), ("6", "must be from 1 to 5")):
        status, shown = run("--answers", str(solved), "--solution", number)
        assert status == 2
        assert sentence in shown


def test_a_certificate_is_an_answers_file_of_its_own(run: Any, solved: Path) -> None:
    status, shown = run("--answers", str(solved), "--certificate", "Ada Lovelace")
    assert status == 0
    assert f"Name: Ada Lovelace\nDate: {datetime.date.today().isoformat()}\nSeed: 7\n" in shown
    solved.write_text(shown, encoding="utf-8")
    assert run("--answers", str(solved))[1].endswith("100 of 100 points: passed\n")
    assert graded_exam(SEED, BEST).passed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--certificate", "Ada"], "--answers must be given with certificate or solution"),
        (["--solution", "1"], "--answers must be given with certificate or solution"),
        (["--answers", "none.txt", "--certificate", "Ada"], "--answers must be a file that there is, got none.txt"),
        (["--answers", "."], "--answers must be a file that can be read, got .: Is a directory"),
        (["--answers", "bytes"], "--answers must be a file of text, got bytes"),
        (["--answers", "other"], "--answers must have the answers to seed 7, got those to seed 8"),
        (["--answers", "twice"], "--answers must answer each task once, got task 2 twice"),
        (["--answers", "bytes/x"], "--answers must be in a folder that there is, got bytes/x"),
        (["--answers", "no/such/x"], "--answers must be in a folder that there is, got no/such/x"),
        (["--answers", "empty", "--certificate", "x" * 81], "--certificate must have at most 80 characters, got 81"),
    ],
)
def test_what_cannot_be_graded_is_refused_in_a_sentence(words: list[str], sentence: str, run: Any) -> None:
    Path("bytes").write_bytes(b"\xff\xfe\x00")
    Path("empty").write_text("", encoding="utf-8")
    Path("other").write_text(exam_form(8), encoding="utf-8")
    Path("twice").write_text("2: a\n2: b", encoding="utf-8")
    status, shown = run(*words)
    assert (status, shown.count("\n")) == (2, 1)
    assert shown.startswith(sentence)


@pytest.mark.parametrize("seed", ["-1", "x", "1.5", "1e12", "9" * 400, "nan"])
def test_a_seed_that_is_none_is_refused(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exam", "--seed", seed]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(("--seed must be", "seed must be"))
    assert printed.err.count("\n") == 1


def test_help_says_what_every_option_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["exam", "--help"]) == 0
    shown = capsys.readouterr().out
    for option in ("--seed", "--answers", "--solution", "--certificate", "--json"):
        assert option in shown
    assert main([]) == 0
    assert re.search(r"^\W*exam\b", capsys.readouterr().out, re.MULTILINE)


def test_answers_are_the_readers_and_stay_out_of_the_repository() -> None:
    root = Path(__file__).parents[1]
    ignored = (root / ".gitignore").read_text(encoding="utf-8").split()
    assert {"/answers/", "/exam-*.txt"} <= set(ignored)
    assert exam_answer(seed=SEED).record["seed"] == SEED
    assert os.sep not in exam_form(SEED)
