"""A directory of submissions: graded side by side, never twice, and whatever one of them is or does."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import zipfile
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

import pytest
import small_exercises
from small_exercises import RIGHT_DOUBLE, RIGHT_SHARE, WRONG_SHARE, write
from test_hostile_answers import processes_below

from grader import classroom, grading
from grader.cases import cases
from grader.catalogue import find
from grader.classroom import find_submissions, main
from grader.judging import Verdict
from grader.messages import Result

pytestmark = pytest.mark.book

SLOW = "import time\ntime.sleep(0.15)\n"
RIGHT = RIGHT_SHARE + RIGHT_DOUBLE


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Twelve submissions, each a file, of which every third is right."""
    for number in range(12):
        wrong = "" if number % 3 == 0 else "\n\ndef double(*, values):\n    return [value**2 for value in values]\n"
        write(tmp_path / "handed-in" / f"student-{number:02}.py", SLOW + RIGHT + wrong)
    return tmp_path


def command(course: Path, home: Path) -> list[str]:
    places = [str(course / "handed-in"), "--out", str(course / "results"), "--exercises", str(home)]
    return [*places, "--jobs", "2", "--chapter", "flow/pipes"]


def graded(course: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (course / "results").glob("student-*.json")}


def rows_of(course: Path) -> list[dict[str, str]]:
    with (course / "results" / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_a_run_that_is_killed_loses_no_finished_result(course: Path) -> None:
    home = small_exercises.make(course)
    run_it = [sys.executable, "-m", "grader.classroom", *command(course, home)]
    environment = {**os.environ, "PYTHONPATH": str(small_exercises.ROOT)}
    run = subprocess.Popen(
        run_it, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 60
    while len(graded(course)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    before = graded(course)
    assert 4 <= len(before) < 12
    assert len(rows_of(course)) >= len(before) - 1  # results are written as they come
    done = subprocess.run(run_it, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"{len(before)} of 12 submissions have their results already" in done.stderr
    assert "12 of 12 graded" in done.stderr
    after = graded(course)
    assert len(after) == 12
    assert {name: after[name] for name in before} == before
    rows = rows_of(course)
    assert [row["flow/pipes/double"] for row in rows] == ["solved", "wrong", "wrong"] * 4
    assert [row["flow/pipes/double mistake"] for row in rows] == ["", "squares", "squares"] * 4
    assert [float(row["score"]) for row in rows] == [3.0, 1.0, 1.0] * 4


def test_what_has_changed_is_graded_again(course: Path) -> None:
    home = small_exercises.make(course, "changed")
    for path in sorted((course / "handed-in").iterdir())[2:]:
        path.unlink()
    assert main(command(course, home)) == 0
    before = graded(course)
    write(course / "handed-in" / "student-01.py", RIGHT)
    assert main(command(course, home)) == 0
    after = graded(course)
    assert after["student-00.py.json"] == before["student-00.py.json"]
    assert after["student-01.py.json"] != before["student-01.py.json"]
    assert [row["score"] for row in rows_of(course)] == ["3.0", "3.0"]
    write(home / "flow" / "pipes" / "common.py", "# what a helper of the exercises' own holds\n")
    assert main(command(course, home)) == 0
    assert all(when != after[name] for name, when in graded(course).items())


ATTACKS = {
    "kills-upwards": "import os\nos.kill(os.getppid(), 9)\n",
    "stops-itself": "import os, signal\nsignal.raise_signal(signal.SIGSTOP)\n",
    "lowers-limits": "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_AS, (1, 1))\n",
    "says-nonsense": "raise ValueError('\\ud800\\x1b[2J')\n",
}

# What ended a class once, or its judge: whoever hands it in has their own verdicts, the others theirs.
BREAKING = {
    "a-class-of-a-surrogate": (
        "import json, os, struct\n"
        "def bubble_share(**_):\n"
        "    shared = {'fields': [], 'arrays': [], 'gone': []}\n"
        "    told = {'value': {'unknown': ['\\ud800', 'y']}, 'arguments': None, 'changed': '', 'printed': ''}\n"
        "    data = json.dumps({**told, 'shared': shared}).encode()\n"
        "    for _ in range(200):\n"
        "        os.write(3, struct.pack('>I', len(data)) + data)\n",
        "a ?",
    ),
    "twenty-thousand-marks": (
        "".join(f"# snippets.a{n}\n" for n in range(20_000)) + "def bubble_share(**_): 1",
        "nothing",
    ),
    "punycode": ("# coding: punycode\n" + WRONG_SHARE, "its first lines name the encoding punycode"),
    "undefined": ("# coding: undefined\n" + WRONG_SHARE, "its first lines name the encoding undefined"),
    "an-encoding-by-another-name": ("# coding: UTF7\n" + WRONG_SHARE, "its first lines name the encoding utf-7"),
    "no-encoding": ("# coding: nobody-s\n" + WRONG_SHARE, "it is no UTF-8 text"),
    "says-itself": (
        "class Says(Exception):\n    def __str__(self):\n        raise Says\ndef bubble_share(**_):\n    raise Says\n",
        "Says: what it says cannot be shown (Says)",
    ),
    "a-class-without-a-name": ("def bubble_share(**_):\n    return type('', (), {})()\n", "a value of a class without"),
}


def test_no_submission_ends_a_run_or_costs_another_a_point(tmp_path: Path) -> None:
    home, handed_in = small_exercises.make(tmp_path, "attacked"), tmp_path / "handed-in"
    for name, attack in ATTACKS.items():
        write(handed_in / f"{name}.py", attack + RIGHT)
    (handed_in / ".#x.py").symlink_to("nowhere")
    (handed_in / "dangling.py").symlink_to("nowhere")
    (handed_in / "helpers.py").mkdir()
    os.mkfifo(handed_in / "pipe.py")
    write(handed_in / f"{'long' * 62}.py", RIGHT)
    write(handed_in / "=formula.py", RIGHT)
    write(handed_in / "\uff1dwide.py", RIGHT)
    Path(os.fsdecode(os.fsencode(handed_in) + b"/caf\xe9.py")).write_text(RIGHT, encoding="utf-8")
    write(handed_in / "a.py", RIGHT)
    write(handed_in / "z" / "flow" / "pipes" / "double.py", RIGHT)
    assert main([*command(tmp_path, home), "--time-limit", "2"]) == 0
    rows = {row["submission"]: (row["flow/pipes/bubble_share"], row["flow/pipes/double"]) for row in rows_of(tmp_path)}
    solved, wrong, untried = ("solved", "solved"), ("wrong", "wrong"), ("open", "open")
    assert rows == {
        **{f"{name}.py": wrong for name in ATTACKS},
        "dangling.py": wrong,
        "helpers.py": untried,
        "pipe.py": wrong,
        "z": ("open", "solved"),
        **dict.fromkeys([f"{'long' * 62}.py", "'=formula.py", "'\uff1dwide.py", "caf?.py", "a.py"], solved),
    }
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "results").glob("*.json")]
    assert len(texts) == len(rows)
    assert not any("\x1b" in text for text in texts)


def test_what_breaks_the_grader_costs_its_author_alone(tmp_path: Path) -> None:
    home, handed_in = small_exercises.make(tmp_path, "broken"), tmp_path / "handed-in"
    for name, (text, _) in BREAKING.items():
        write(handed_in / f"{name}.py", text)
    for name in ("ada.py", "zoe.py"):
        write(handed_in / name, RIGHT)
    for _ in range(2):  # a rerun once died at the same place
        assert main([*command(tmp_path, home), "--time-limit", "2"]) == 0
        rows = {row["submission"]: row["flow/pipes/bubble_share"] for row in rows_of(tmp_path)}
        assert rows == {**{f"{name}.py": "wrong" for name in BREAKING}, "ada.py": "solved", "zoe.py": "solved"}
    for name, (_, said) in BREAKING.items():
        report = json.loads((tmp_path / "results" / f"{name}.py.json").read_text(encoding="utf-8"))
        assert report["exercises"][0]["got"].startswith(said), report["exercises"][0]
    for table in ("results.csv", "mistakes.csv"):
        assert "\x1b" not in (tmp_path / "results" / table).read_text(encoding="utf-8")


def test_a_grader_that_fails_says_so_in_that_report_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = small_exercises.make(tmp_path, "failing")
    for name in ("ada.py", "bo.py"):
        write(tmp_path / "handed-in" / name, RIGHT)

    def stub_of(exercise: Any) -> str:
        if exercise.name == "double":
            raise RuntimeError("of the grader's own")
        return ""

    monkeypatch.setattr(grading, "stub_of", stub_of)
    assert main(command(tmp_path, home)) == 0
    assert [row["flow/pipes/bubble_share"] for row in rows_of(tmp_path)] == ["solved", "solved"]
    report = json.loads((tmp_path / "results" / "ada.py.json").read_text(encoding="utf-8"))
    assert report["exercises"][1]["got"].startswith("the grader failed on this answer (RuntimeError)")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_no_link_is_followed(tmp_path: Path) -> None:
    home, handed_in = small_exercises.make(tmp_path, "linked"), tmp_path / "handed-in"
    zoe = write(handed_in / "zoe" / "flow" / "pipes" / "bubble_share.py", RIGHT_SHARE)
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("bubble_share.py", RIGHT_SHARE)
    links = {
        "a-folder": zoe.parents[2],
        "a-file.py": zoe,
        "a-zip.zip": packed,
        "in-a-folder/flow/pipes/bubble_share.py": zoe,
        "a-folder-in-one/flow": zoe.parents[1],
        "a-zip-in-one/answers.zip": packed,
        "to-nothing": tmp_path / "nothing",
    }
    for place, target in links.items():
        (handed_in / place).parent.mkdir(parents=True, exist_ok=True)
        (handed_in / place).symlink_to(target)
    with zipfile.ZipFile(handed_in / "in-a-zip.zip", "w") as files:
        link = zipfile.ZipInfo("bubble_share.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        files.writestr(link, "../zoe/flow/pipes/bubble_share.py")
    assert main(command(tmp_path, home)) == 0
    assert {row["submission"]: row["score"] for row in rows_of(tmp_path) if float(row["score"])} == {"zoe": "1.0"}
    for place in [*links, "in-a-zip.zip"]:
        name = place.partition("/")[0]
        report = json.loads((tmp_path / "results" / f"{name}.json").read_text(encoding="utf-8"))
        assert "is a link, and links are not followed: hand in what it leads to" in report["exercises"][0]["got"]


def _zip(path: Path, name: str, compression: int = zipfile.ZIP_STORED) -> bytearray:
    with zipfile.ZipFile(path, "w", compression) as files:
        files.writestr(name, RIGHT_DOUBLE)
    return bytearray(path.read_bytes())


def test_zips_are_read_as_other_programs_make_them_and_damaged_ones_say_so(tmp_path: Path) -> None:
    home, handed_in = small_exercises.make(tmp_path, "zipped"), tmp_path / "handed-in"
    handed_in.mkdir()
    _zip(handed_in / "windows.zip", "flow\\pipes\\double.py")
    claims = _zip(handed_in / "claims.zip", "flow/pipes/double.py")
    directory = claims.index(b"PK\x01\x02")
    claims[directory + 20 : directory + 28] = (10**7).to_bytes(4, "little") * 2  # ten million bytes, it says
    (handed_in / "claims.zip").write_bytes(claims)
    for compression, name in (
        (zipfile.ZIP_LZMA, "lzma"),
        (zipfile.ZIP_BZIP2, "bz2"),
        (zipfile.ZIP_DEFLATED, "deflated"),
    ):
        damaged = _zip(handed_in / f"{name}.zip", "flow/pipes/double.py", compression)
        begins = damaged.index(b"double.py") + len(b"double.py")
        damaged[begins + 4 : begins + 40] = bytes(range(220, 256))
        (handed_in / f"{name}.zip").write_bytes(damaged)
    assert main(command(tmp_path, home)) == 0
    assert {row["submission"] for row in rows_of(tmp_path) if float(row["score"])} == {"windows.zip"}
    for name in ("claims", "lzma", "bz2", "deflated"):
        report = json.loads((tmp_path / "results" / f"{name}.zip.json").read_text(encoding="utf-8"))
        assert report["exercises"][1]["got"].startswith("the zip cannot be read: "), report["exercises"][1]


ENDINGS = [
    signal.SIGINT,
    *(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGKILL") if hasattr(signal, name)),
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", ENDINGS, ids=lambda number: signal.Signals(number).name)
def test_ending_the_classroom_ends_its_graders(tmp_path: Path, number: int) -> None:
    home = small_exercises.make(tmp_path)
    started = tmp_path / "handed-in"
    for name in ("ada.py", "bo.py"):
        write(started / name, "def bubble_share(**_):\n    while True:\n        pass\n")
    run_it = [sys.executable, "-m", "grader.classroom", *command(tmp_path, home), "--time-limit", "60"]
    environment = {**os.environ, "PYTHONPATH": str(small_exercises.ROOT)}
    run = subprocess.Popen(run_it, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while len(below := processes_below(run.pid)) < 6 and time.monotonic() < until:  # 2 judges, 2 warm, 2 answers
        time.sleep(0.05)
    assert len(below) >= 6
    run.send_signal(number)
    out, _ = run.communicate(timeout=30)  # which waits until nobody holds its standard output
    until = time.monotonic() + 10
    while any(map(is_running, below)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [process for process in below if is_running(process)]
    if number != signal.SIGKILL:
        assert (run.returncode, "stopped; what is graded is in" in out) == (128 + number, True)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def test_inputs_are_drawn_anew_by_a_seed(tmp_path: Path) -> None:
    """A table of the book's inputs passes without one; so does whoever is right, with any."""
    home = small_exercises.make(tmp_path, "drawn_anew")
    _, exercise = find("double", home)
    table = {repr(case.inputs["values"]): case.wanted["result"] for case in cases(exercise)}
    write(
        tmp_path / "handed-in" / "table.py", f"T = {table!r}\ndef double(*, values):\n    return T.get(repr(values))\n"
    )
    write(tmp_path / "handed-in" / "ada.py", RIGHT)

    def graded_with(*options: str) -> dict[str, str]:
        assert main([*command(tmp_path, home), *options]) == 0
        return {row["submission"]: row["flow/pipes/double"] for row in rows_of(tmp_path)}

    assert graded_with() == {"ada.py": "solved", "table.py": "solved"}
    said = []
    for seed in (7, 8, 7):
        assert graded_with("--input-seed", str(seed)) == {"ada.py": "solved", "table.py": "wrong"}
        report = json.loads((tmp_path / "results" / "table.py.json").read_text(encoding="utf-8"))
        assert report["input_seed"] == seed
        said.append(report["exercises"][1]["input"])
    assert said[0] == said[2] != said[1]


def test_a_judge_that_ends_or_hangs_costs_one_exercise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an answer could bring it about that nothing else holds back."""
    home = small_exercises.make(tmp_path, "hanging")
    for name in ("ends", "hangs", "is-right"):
        write(tmp_path / "handed-in" / f"{name}.py", RIGHT)

    def grade(sandbox: Any, chapter: Any, exercise: Any, written: Any) -> Result:
        file = written().file
        if exercise.name == "bubble_share" and file == "ends.py":
            os._exit(1)
        if exercise.name == "bubble_share" and file == "hangs.py":
            time.sleep(600)
        return Result(chapter, exercise, Verdict("solved"))

    monkeypatch.setattr(classroom, "grade", grade)
    monkeypatch.setattr(classroom, "JUDGING_S", 0.0)
    monkeypatch.setattr(classroom, "START_S", 0.0)
    assert main([*command(tmp_path, home), "--time-limit", "2"]) == 0
    rows = [(row["flow/pipes/bubble_share"], row["flow/pipes/double"]) for row in rows_of(tmp_path)]
    assert rows == [("wrong", "solved"), ("wrong", "solved"), ("solved", "solved")]
    report = json.loads((tmp_path / "results" / "hangs.py.json").read_text(encoding="utf-8"))
    assert "had to be ended" in report["exercises"][0]["got"]
    assert grading.grade is not grade


def test_an_assignment_is_graded_alone(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "assigned")
    write(tmp_path / "handed-in" / "ada.py", RIGHT)
    options = ["--assignment", str(write(tmp_path / "week.txt", "double 4\ntwice\n"))]
    assert main([*command(tmp_path, home)[:-2], *options]) == 0
    (row,) = rows_of(tmp_path)
    assert [value for key, value in row.items() if "mistake" not in key] == ["ada.py", "4.0", "6.0", "solved", "open"]


def test_who_was_late_stands_in_the_table(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "due")
    for name, when in (("ada.py", "2026-11-30T09:00+00:00"), ("bo.py", "2026-12-01T17:01+00:00")):
        seconds = datetime.fromisoformat(when).timestamp()
        os.utime(write(tmp_path / "handed-in" / name, RIGHT), (seconds, seconds))
    for name, hour in (("cy.zip", 17), ("di.zip", 19)):  # both fetched long after the deadline
        with zipfile.ZipFile(tmp_path / "handed-in" / name, "w") as files:
            files.writestr(zipfile.ZipInfo("flow/pipes/double.py", (2026, 12, 1, hour, 30, 0)), RIGHT_DOUBLE)
    week = write(tmp_path / "week.txt", "deadline 2026-12-01T18:00+01:00\ndouble\n")
    asked = [*command(tmp_path, home)[:-2], "--assignment", str(week)]
    assert main(asked) == 0
    assert [row["late"] for row in rows_of(tmp_path)] == ["", "late", "", "late"]
    late = (tmp_path / "results" / "late.csv").read_text(encoding="utf-8").splitlines()
    assert late[1:] == [
        "bo.py,bo.py,2026-12-01T18:01:00+01:00,1 minute,file system",
        "di.zip,di.zip/flow/pipes/double.py,2026-12-01T19:30:00+01:00,1 hour 30 minutes,zip",
    ]
    pages = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "results" / "feedback").iterdir()}
    said = "di.zip/flow/pipes/double.py: 2026-12-01 19:30+01:00, 1 hour 30 minutes late, as the zip says"
    assert sorted(name for name, text in pages.items() if "Changed after that" not in text) == [
        "ada.py.html",
        "cy.zip.html",
    ]
    assert said in pages["di.zip.html"]
    write(week, "deadline 2026-12-02T18:00+01:00\ndouble\n")  # extended: what is graded is not graded again
    assert main(asked) == 0
    assert [row["late"] for row in rows_of(tmp_path)] == [""] * 4
    assert "late" not in (tmp_path / "results" / "feedback" / "di.zip.html").read_text(encoding="utf-8")
    write(week, "double\n")
    assert main(asked) == 0
    assert "late" not in rows_of(tmp_path)[0]
    assert not (tmp_path / "results" / "late.csv").exists()


def test_every_submission_has_a_page_in_which_nothing_of_its_author_is_html(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "told")
    attack = "</dd><script>alert(1)</script><img src=x onerror=alert(1)>"
    write(tmp_path / "handed-in" / "<b>bo.py", f"def bubble_share(**_):\n    raise ValueError({attack!r})\n")
    write(tmp_path / "handed-in" / "ada.py", WRONG_SHARE + RIGHT_DOUBLE)
    for _ in range(2):  # the second run finds all results, and makes the pages that are missing
        assert main(command(tmp_path, home)) == 0
        ada, bo = (
            (tmp_path / "results" / "feedback" / name).read_text(encoding="utf-8")
            for name in ("ada.py.html", "<b>bo.py.html")
        )
        assert "1 of 2 exercises solved" in ada
        assert "The last stage too waits for one micro-batch fewer than there are" in ada
        assert escape(attack) in bo
        assert set(re.findall(r"<([a-z0-9]+)", bo)) <= set(re.findall(r"<([a-z0-9]+)", ada))
        (tmp_path / "results" / "feedback" / "ada.py.html").unlink()


def test_wrong_answers_stand_in_groups_by_what_they_do(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "grouped")
    bodies = {
        "ada": "[value**2 for value in values]",
        "bo": "[value * value for value in values]",
        "cy": "[7, 7] if values == [3] else [2 * value for value in values]",
        "di": "[7] + [7] if values == [3] else [value + value for value in values]",
        "ed": "[1] if values == [3] else [2 * value for value in values]",
        "flo": "[2 * value for value in values]",
        "=gus": "[value * value for value in values]",
    }
    for name, body in bodies.items():
        write(tmp_path / "handed-in" / f"{name}.py", f"def double(*, values):\n    return {body}\n")
    options = ["--assignment", str(write(tmp_path / "week.txt", "double\ntwice\n"))]
    assert main([*command(tmp_path, home)[:-2], *options]) == 0
    with (tmp_path / "results" / "mistakes.csv").open(encoding="utf-8", newline="") as file:
        groups = list(csv.DictReader(file))
    assert {(row["exercise"], row["tried"]) for row in groups} == {("flow/pipes/double", "7")}
    found = [(row["answers"], row["known mistake"], row["got"], row["submissions"]) for row in groups]
    assert found[0] == ("3", "squares", found[0][2], "'=gus.py ada.py bo.py")
    assert sorted(found[1:]) == [("1", "", "[1]", "ed.py"), ("2", "", "[7, 7]", "cy.py di.py")]


def test_what_is_no_submission_is_left_out_and_said(tmp_path: Path) -> None:
    for name in ("ada.py", "notes.txt", ".hidden.py", "eve.zip"):
        write(tmp_path / name, "")
    for name in ("bob", "_cy", "__MACOSX"):
        (tmp_path / name).mkdir()
    said: list[str] = []
    assert [path.name for path in find_submissions(tmp_path, said.append)] == ["_cy", "ada.py", "bob", "eve.zip"]
    assert said == [
        "__MACOSX is left out: made by another program\n",
        "notes.txt is left out: no Python file, zip or directory\n",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no directory nowhere"),
        ([".", "--chapter", "flow/rivers"], "--chapter: there is no chapter flow/rivers in"),
        ([".", "--chapter", "memory/zero", "--chapter", "nope"], "--chapter: there is no chapter nope in"),
        ([".", "--chapter", "nope", "--assignment", "week.txt"], "not allowed with argument --chapter"),
        ([""], "must be the name of a file or a folder, got ''"),
        ([".", "--assignment", ""], "--assignment: must be the name of a file or a folder, got ''"),
        ([".", "--jobs", "0"], "--jobs: must be a whole number from 1, of at most 18 digits, got '0'"),
        ([".", "--input-seed", "x"], "--input-seed: must be a whole number from 0, of at most 18 digits, got 'x'"),
        *(
            (
                [".", "--time-limit", value],
                f"--time-limit: must be a number of seconds from 0.1 to 86400, got '{value}'",
            )
            for value in ("nan", "inf", "1e400", "0", "-1", "1e30", "soon")
        ),
        *(
            (
                [".", "--memory-limit", value],
                f"--memory-limit: must be a number of GiB from 0.0625 to 1024, got '{value}'",
            )
            for value in ("0", "1e30", "nan", "inf", "-1")
        ),
        ([".", "--assignment", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_a_wrong_argument_is_told(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert said in " ".join(capsys.readouterr().err.split())
