"""What an answer can do to a grader, and what its author is told: in time, and without harm to the next exercise."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_exercises

from exercises.catalogue import chapter_of
from exercises.child import GRACE_S, Limits
from exercises.judging import Verdict
from exercises.sandbox import Sandbox

pytestmark = pytest.mark.book

LIMITS = Limits(time_s=2.0)
RIGHT = "def double(*, values):\n    return [2 * value for value in values]\n"
HEAD = "def bubble_share(*, stages, micro_batches):\n"
TIME = "still running"
# what the answer does, and what its author is told
HOSTILE = {
    "endless loop": (f"{HEAD}    while True:\n        pass\n", TIME),
    "endless loop that catches everything": (
        f"{HEAD}    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass\n",
        TIME,
    ),
    "endless call of C": (f"{HEAD}    return sum(iter(int, 1))\n", TIME),
    "threads": (
        f"import threading, time\n{HEAD}    while True:\n"
        "        threading.Thread(target=time.sleep, args=(60,)).start()\n",
        "can't start new thread",
    ),
    "processes": (f"import os\n{HEAD}    while True:\n        os.fork()\n", "an answer may not start processes"),
    "sys.exit": (f"import sys\n{HEAD}    sys.exit(0)\n", "the program is ended by sys.exit (line 3)"),
    "os._exit": (f"import os\n{HEAD}    os._exit(0)\n", "the process ended before there was one (exit status 0)"),
    "crash": (f"import os\n{HEAD}    os.abort()\n", "killed by signal 6"),
    "gigabyte": (f"{HEAD}    for _ in range(10**7):\n        print('x' * 100)\n", "more is printed"),
    "a tenth of it at once": (f"{HEAD}    print('x' * 10**8)\n", "more is printed"),
    "gigabyte past sys.stdout": (
        f"import os\n{HEAD}    for _ in range(1000):\n        os.write(1, b'x' * 10**6)\n    return 'so much'\n",
        "'so much'",
    ),
    "memory": (f"{HEAD}    return len([0] * 10**10)\n", "MemoryError"),
    "recursion": (f"{HEAD}    return bubble_share(stages=1, micro_batches=1)\n", "RecursionError"),
    "replaced comparison": (
        f"import exercises.judging\n{HEAD}    exercises.judging.same = lambda *arguments: True\n",
        "exercises.judging.same is replaced",
    ),
    "replaced judge": (
        "import sys\n"
        "judging = sys.modules['exercises.judging']\n"
        "judging.judge = lambda *arguments: judging.Verdict('solved')\n" + HEAD + "    return 1\n",
        "exercises.judging.judge is replaced",
    ),
    "replaced code": (
        "from exercises import judging\n"
        "def yes(one, other, relative_tolerance):\n    return True\n"
        "judging.same.__code__ = yes.__code__\n" + HEAD + "    return 1\n",
        "exercises.judging.same is replaced",
    ),
    "replaced builtin": (f"import builtins\n{HEAD}    builtins.len = lambda x: 0\n", "builtins.len is replaced"),
    "written file": (f"{HEAD}    open(__file__, 'w').write('')\n", "an answer may not write files"),
    "killed parent": (
        f"import os\n{HEAD}    os.kill(os.getppid(), 9)\n",
        "an answer may not stop processes",
    ),
    "forged result": (
        f"import os\n{HEAD}    for number in range(3, 50):\n        try:\n"
        '            os.write(number, b\'{"status": "solved"}\')\n        except OSError:\n            pass\n',
        "the process ended before there was one",
    ),
}
BROKEN_FILES = {
    "import error": ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module' (line 1)"),
    "syntax error": ("def bubble_share(:\n", "answers.py, line 1: "),
    "not text": ("\0", "answers.py"),
    "sys.exit at import": ("import sys\nsys.exit(3)\n", "the program is ended by sys.exit (line 2)"),
    "endless import": ("while True:\n    pass\n", TIME),
    "no function": ("bubble_share = 3\n", "bubble_share is no function"),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_exercises.make(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


def judged(sandbox: Sandbox, home: Path, name: str, source: str) -> Verdict:
    path = small_exercises.answer(home, source)
    chapter = chapter_of(home / "flow" / "pipes")
    return sandbox.judge(chapter.folder, chapter.exercises[name], path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_ends_in_a_message(sandbox: Sandbox, home: Path, name: str) -> None:
    source, told = HOSTILE[name]
    began = time.monotonic()
    verdict = judged(sandbox, home, "bubble_share", source + RIGHT)
    # a child that has to be killed has had its time and its grace; the rest is for a machine that is busy
    assert time.monotonic() - began < LIMITS.time_s + GRACE_S + 30
    assert (verdict.status, verdict.asked[:9]) == ("wrong", "the share")
    assert told in verdict.got, verdict
    assert len(verdict.got) < 300
    at_import = "replaced judge", "replaced code"
    if name not in at_import:
        assert judged(sandbox, home, "double", source + RIGHT).status == "solved"
    assert judged(sandbox, home, "double", RIGHT).status == "solved"


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_a_file_that_cannot_be_imported_ends_in_a_message(sandbox: Sandbox, home: Path, name: str) -> None:
    source, told = BROKEN_FILES[name]
    verdict = judged(sandbox, home, "bubble_share", source)
    assert verdict.status == "wrong"
    assert told in verdict.got, verdict
    assert judged(sandbox, home, "double", RIGHT).status == "solved"


def test_an_input_changed_in_place_is_named(sandbox: Sandbox, home: Path) -> None:
    source = "def double(*, values):\n    values[:] = [2 * value for value in values]\n    return values\n"
    verdict = judged(sandbox, home, "double", source)
    assert (verdict.given, verdict.got) == ("values = [3]", "values is changed: work on a copy")


def test_an_endless_loop_names_its_input(sandbox: Sandbox, home: Path) -> None:
    source = "def double(*, values):\n    while values and values[0] == 3:\n        pass\n    return values\n"
    verdict = judged(sandbox, home, "double", source)
    assert (verdict.given, verdict.expected, verdict.got) == ("values = [3]", "a result within 2 s", TIME)


def test_without_fork_a_new_process_does_the_same(home: Path) -> None:
    with Sandbox(LIMITS, fork=False) as sandbox:
        assert judged(sandbox, home, "double", RIGHT).status == "solved"
        verdict = judged(sandbox, home, "double", "import os\ndef double(*, values):\n    os._exit(3)\n")
        assert verdict.got == "the process ended before there was one (exit status 3)"


def test_what_an_answer_prints_is_kept_and_cut(sandbox: Sandbox, home: Path) -> None:
    source = "def double(*, values):\n    print('x' * 9000)\n    return 1\n"
    assert judged(sandbox, home, "double", source).printed == "x" * 4000
