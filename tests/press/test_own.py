"""An exercise of a teacher's own: the command's files are graded at once, and nothing is overwritten."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sampling import ROOT

from press.own import exercise_files, main


def test_the_files_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["private/week3/rings/bytes_sent.py"]) == 0
    made = Path("private/week3/rings/bytes_sent.py")
    assert "def bytes_sent(" in made.read_text(encoding="utf-8")
    assert [*map(str, sorted(Path().rglob("__init__.py")))] == [
        "private/__init__.py",
        "private/week3/__init__.py",
        "private/week3/rings/__init__.py",
    ]
    made.write_text("mine", encoding="utf-8")
    assert main([str(made)]) == 1
    assert made.read_text(encoding="utf-8") == "mine"
    assert "number=2" in exercise_files(Path("private/week3/rings/steps.py"))["private/week3/rings/steps.py"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("private/rings/bytes_sent.py", "path must be FOLDER/PART/CHAPTER/NAME.py, got private/rings/bytes_sent.py"),
        ("private/week3/rings/bytes_sent", "path must be FOLDER/PART/CHAPTER/NAME.py"),
        ("private/../rings/bytes_sent.py", "path must be FOLDER/PART/CHAPTER/NAME.py"),
        ("private/week-3/rings/bytes_sent.py", "names that Python can import, got 'week-3'"),
        ("private/week3/rings/lambda.py", "names that Python can import, got 'lambda'"),
        ("exercises/week3/rings/bytes_sent.py", "a folder of your own, not in one that is called exercises"),
    ],
)
def test_another_path_is_refused(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        exercise_files(Path(path))


@pytest.mark.book
def test_what_it_says_to_type_grades_the_new_exercise(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def typed(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = typed("-m", "press.own", "private/week3/rings/bytes_sent.py")
    command = said.rstrip("\n").rpartition("try it out: python ")[2].split()
    assert "0 of 1 solved, 0 tried, 1 open" in typed(*command)
    answer = tmp_path / "answers/week3/rings/bytes_sent.py"
    answer.write_text("def bytes_sent(*, ranks, size_bytes):\n    return ranks * size_bytes\n", encoding="utf-8")
    assert "1 of 1 solved" in typed(*command)
