"""The page's door: it grades as pytest does, with what a page has, and loses nothing that a reader wrote."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_texts import IN_PAGES, exercise_at, one_of_each, texts_in_pages, wanted
from sampling import ROOT, sampled

from grader import cases as cases_kept
from grader import page
from grader.cases import Case, take
from grader.catalogue import chapter_of
from grader.judging import judge
from grader.messages import Result, message
from grader.source import answer_of, solution_of, stub_of
from press.site import runtime
from press.site.exercise_records import ExerciseRecords

Graded = dict[str, dict[str, Any]]

# A Python that can import what is in the archive and the standard library, and nothing else.
ALONE = """
import json, sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
sys.path.insert(0, sys.argv[1])
from grader import page
graded = {}
for address, exercises in json.load(sys.stdin).items():
    for name, kinds in exercises.items():
        page.warm_up(address, name, "")
        for kind, text in kinds.items():
            graded[f"{address} {name} {kind}"] = page.grade(address, name, text, lambda: None)
loaded = {name.split(".")[0] for name in sys.modules if not name.startswith("_sysconfigdata")}
strange = loaded - set(sys.stdlib_module_names)
print(json.dumps([graded, sorted(strange)]))
"""

# An exercise of each of today's chapters; at night all of all.
ASKED = {address: one_of_each()[address] for address in sampled(IN_PAGES, 4)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "ring_all_reduce_rounds",
            "def ring_all_reduce_rounds(*, ranks, length):\n    return [[(0, 1, 0, length, True)]]\n",
        ),
        ("two_way_ring_rounds", "def two_way_ring_rounds(*, ranks, length):\n    return [[(0, 1, 0, length, True)]]\n"),
        ("six_rank_rounds", "def six_rank_rounds(*, length):\n    return [[(0, 1, 0, length, True)]]\n"),
    ],
)
def test_a_wrong_schedule_is_drawn_step_by_step(name: str, text: str) -> None:
    start, end = page.grade("collectives/ring_and_tree", name, text, lambda: None)["pictures"]
    assert "at the start" in start
    assert "AB</text>" in end
    assert "framed: not ABC" in end


ORDERS = "def one_f_one_b_order(*, stages, micro_batches, stage):\n    return "
GPIPE = "[(kind, i) for kind in 'FB' for i in range(micro_batches)]\n"


@pytest.mark.parametrize(
    ("text", "pictures"),
    [
        (ORDERS + GPIPE, 1),
        (ORDERS + GPIPE + "\nopen = 1\n", 0),  # it could have changed what draws
        (ORDERS + "[]\n", 0),  # there is nothing to draw
        (ORDERS + "[('B', 0)]\n", 0),
        (ORDERS + "None\n", 0),
        ("x = 1\n", 0),
        ("import nothing\n", 0),
    ],
)
def test_what_a_wrong_answer_does_is_drawn_where_it_can_be(text: str, pictures: int) -> None:
    chapter, name = "parallelism/pipeline", "one_f_one_b_order"
    graded = page.grade(chapter, name, text, lambda: None)
    assert graded["status"] != "solved"
    assert len(graded["pictures"]) == pictures
    assert all(drawn.startswith("<svg") and "your orders" in drawn for drawn in graded["pictures"])
    right = page.grade(chapter, name, solution_of(exercise_at(chapter, name)), lambda: None)
    assert (right["status"], right["pictures"], right["case"]) == ("solved", [], None)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Graded, list[str]]:
    """An exercise of each of today's chapters graded by CPython with its archive's files and the standard library."""
    records = ExerciseRecords(ROOT)
    graded: Graded = {}
    strange: set[str] = set()
    for address, texts in texts_in_pages(ASKED).items():
        book = tmp_path_factory.mktemp("book")
        with zipfile.ZipFile(io.BytesIO(runtime.archive(records.page_files(address)))) as files:
            files.extractall(book)
        command = [sys.executable, "-I", "-S", "-c", ALONE, str(book)]
        done = subprocess.run(command, input=json.dumps({address: texts}), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        verdicts, loaded = json.loads(done.stdout)
        graded |= verdicts
        strange |= set(loaded)
    return graded, sorted(strange)


def test_a_page_has_what_grading_needs_and_no_package_besides(alone: tuple[Graded, list[str]]) -> None:
    """A lie in what an exercise takes would end here."""
    graded, strange = alone
    assert set(strange) - {"__main__", "answer"} <= {"exercises", "grader", "snippets"}
    assert {tuple(key.split()[:2]) for key in graded} == {(at, name) for at, names in ASKED.items() for name in names}


@pytest.mark.parametrize("address", ASKED)
def test_the_page_knows_an_answer_for_what_it_is(address: str, alone: tuple[Graded, list[str]]) -> None:
    """Stub, solution and a mistake of an exercise; at night all of all."""
    for key, verdict in alone[0].items():
        if key.startswith(f"{address} "):
            assert (verdict["status"], verdict["mistake"]) == wanted(key.split()[2]), verdict


@pytest.mark.parametrize("address", sampled(ASKED, 2))
def test_messages_are_those_of_pytest(address: str, alone: tuple[Graded, list[str]]) -> None:
    """Of one exercise; at night of all."""
    chapter = chapter_of(ROOT / "exercises" / address)
    for name, texts in texts_in_pages({address: ASKED[address]})[address].items():
        for kind, text in texts.items():
            function = vars(page._executed(text, "answer", f"{name}.py"))[name]
            verdict = judge(exercise_at(address, name), function)
            told = message(Result(chapter, exercise_at(address, name), verdict), everything=True, commands=False)
            assert (
                alone[0][f"{address} {name} {kind}"]["message"].partition("\n\nTraceback")[0]
                == told.partition("\n\nTraceback")[0]
            ), (name, kind)


PLACE = ("memory/memory_equation", "largest_micro_batch")


@pytest.fixture
def few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases_kept, "_CASES", cases_kept._Cases())
    exercise = exercise_at(*PLACE)
    inputs = dict(exercise.examples[0])
    take(exercise, [Case(inputs, {"result": exercise.expected(**inputs)})])


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("x = 1", ""),
        ("def f(:\n    pass", "line 1\n    def f(:\n"),
        ("def f():\n    return 1 / 0\n\nf()", 'File "largest_micro_batch.py", line 2, in f\n    return 1 / 0\n'),
        ("import sys\nsys.exit(1)", "sys.exit ended the program in line 2."),
        ("raise KeyboardInterrupt", "The program was stopped in line 1."),
        ("raise MemoryError", "This needs more memory than a page has."),
        ("def f():\n    f()\nf()", "does every chain of calls end?"),
        ("input()", "There is no keyboard to read from"),
        ("import no_such_package", "A page has Python's standard library"),
        ("while True:\n    print('x' * 10000)", "The program was stopped in line 2: at most 1 000 000 characters"),
        ("x = 1\0", "null bytes"),
    ],
)
def test_run_says_what_went_wrong(source: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = page.run(*PLACE, source)["error"]
    assert error in told if error else told == ""
    assert "page.py" not in told


def test_run_prints_as_it_goes_and_runs_as_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    source = "import sys\nprint(__name__)\nprint('aside', file=sys.stderr)\n1 / 0\n"
    assert "ZeroDivisionError" in page.run(*PLACE, source)["error"]
    assert capsys.readouterr() == ("__main__\n", "aside\n")


def test_run_runs_the_example_and_says_what_the_docstring_has(capsys: pytest.CaptureFixture[str]) -> None:
    source = (
        'def largest_micro_batch(x):\n    """Double.\n\n    >>> largest_micro_batch(\n    ...     2)\n    4\n    """\n'
    )
    assert page.run(*PLACE, f"{source}    return 2 * x\n") == {"error": ""}
    assert capsys.readouterr().out == ">>> largest_micro_batch(\n...     2)\n4\n"
    page.run(*PLACE, f"{source}    return 3 * x\n")
    assert capsys.readouterr().out == ">>> largest_micro_batch(\n...     2)\n6\nThe docstring says: 4\n"
    assert "line 9" in page.run(*PLACE, f"{source}    x += 1\n    return x.y\n")["error"]


def test_run_of_an_untouched_stub_says_that_it_is_to_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert "still to be written" in page.run(*PLACE, stub_of(exercise_at(*PLACE)))["error"]


def test_dataclasses_find_their_module() -> None:
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nA(1)"
    )
    assert page.run(*PLACE, source) == {"error": ""}


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(
    ("source", "status", "said"),
    [
        ("def largest_micro_batch(**inputs):\n    print('hello')\n    return -1\n", "wrong", "hello"),
        ("def largest_micro_batch(**inputs):\n    while True:\n        print('x' * 10000)\n", "wrong", "1 000 000"),
        ("while True:\n    print('x' * 10000)\n", "wrong", "more is printed"),
        ("def largest_micro_batch(:\n", "wrong", "largest_micro_batch.py, line 1: invalid syntax"),
        ("def largest_micro_batch(**inputs):\n    1 + 1\n", "wrong", "does every way through end in a `return`?"),
        ("def largest_micro_batch(**inputs):\n\n    return 1 / 0\n", "wrong", "division by zero (line 3)"),
        ("largest_micro_batch = 3\n", "wrong", "largest_micro_batch is no function"),
        ("", "open", "open:     largest_micro_batch"),
    ],
)
def test_grade_tells_what_a_reader_did(source: str, status: str, said: str) -> None:
    told = page.grade(*PLACE, source, lambda: None)
    assert told["status"] == status
    assert said in " ".join(told["message"].split()) or said in told["message"]


@pytest.mark.usefixtures("few_cases")
def test_signs_of_life_come_before_each_call() -> None:
    events: list[str] = []
    source = "def largest_micro_batch(**inputs):\n    return 3\n"
    assert page.grade(*PLACE, source, lambda: events.append("beat"))["status"] == "solved"
    assert events == ["beat"]


@pytest.mark.parametrize("address", IN_PAGES)
def test_solutions_leave_no_trace(address: str) -> None:
    """So that a reader who tries and tries again does not wait for Python to start each time."""
    for name in IN_PAGES[address]:
        assert page.leaves_no_trace(answer_of(exercise_at(address, name))), name


@pytest.mark.parametrize(
    "source",
    [
        "import js",
        "from grader import cases",
        "import math\nmath.sqrt = None",
        "import math\ndel math.sqrt",
        "import functools as f\n[*map(setattr, [f], 'x', [1])]",
        "exec('1')",
        "f = (lambda: 0).__globals__",
        "def f():\n    yield\nf().gi_frame.f_back",
        "match abs:\n    case object(__self__=module):\n        pass",
        "__builtins__",
        "__import__('js')",
    ],
)
def test_a_text_that_could_reach_the_judge_is_known(source: str) -> None:
    assert not page.leaves_no_trace(source)


def packed(**files: str) -> str:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return b64encode(content.getvalue()).decode()


def encoded(text: str | bytes) -> str:
    return b64encode(text.encode() if isinstance(text, str) else text).decode()


RIGHT = "def largest_micro_batch(**inputs):\n    return 3\n"
ADDRESS = PLACE[0]


def test_what_is_exported_is_taken_in_again() -> None:
    texts = {"largest_micro_batch": RIGHT, "peak_and_live": "x = (\n"}
    exported = page.export(ADDRESS, texts)
    with zipfile.ZipFile(io.BytesIO(b64decode(exported))) as files:
        assert files.namelist() == [f"answers/{ADDRESS}/{name}.py" for name in texts]
    assert page.take_in(ADDRESS, "answers.zip", exported) == {"texts": texts, "notice": ""}


@pytest.mark.parametrize(
    ("file", "content", "names"),
    [
        ("largest_micro_batch.py", encoded(RIGHT), ["largest_micro_batch"]),
        ("largest_micro_batch.py", encoded("x = (\n"), ["largest_micro_batch"]),
        ("answers.py", encoded(f"{RIGHT}\ndef peak_and_live(events):\n    return 0, []\n"), None),
        ("all.zip", packed(**{f"answers/{ADDRESS}/largest_micro_batch.py": RIGHT}), ["largest_micro_batch"]),
        ("all.zip", packed(**{f"{ADDRESS}/largest_micro_batch.py": RIGHT}), ["largest_micro_batch"]),
        ("all.zip", packed(**{"answers/a/b/largest_micro_batch.py": RIGHT}), []),
    ],
)
def test_files_that_are_taken_in(file: str, content: str, names: list[str] | None) -> None:
    told = page.take_in(ADDRESS, file, content)
    assert sorted(told["texts"]) == (names if names is not None else ["largest_micro_batch", "peak_and_live"])
    assert told["notice"] == ("" if told["texts"] else f"{file} answers no exercise of this chapter.")


def test_a_stub_is_nothing_new() -> None:
    assert page.take_in(ADDRESS, "peak_and_live.py", encoded(stub_of(exercise_at(ADDRESS, "peak_and_live")))) == {
        "texts": {},
        "notice": "",
    }


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("answers.py", encoded("def f(:\n"), "Python cannot read it (line 1: invalid syntax)"),
        ("answers.py", encoded("(" * 30_000), "Python cannot read it"),
        ("answers.py", encoded("x = 1\n" * 100_000), "it has 600,000 bytes, and at most 100,000 are taken"),
        ("peak_and_live.py", encoded(b"\xff\xfe\x00"), "it is no text in UTF-8"),
        ("peak_and_live.py", encoded("x\0"), "it has NUL characters"),
        ("all.zip", encoded("no zip"), "it is no zip file"),
        ("all.zip", packed(**{f"{ADDRESS}/peak_and_live.py": "#" * 200_000}), "an answer in it has more than 100,000"),
    ],
)
def test_files_that_are_refused(file: str, content: str, why: str) -> None:
    told = page.take_in(ADDRESS, file, content)
    assert told["texts"] == {}
    assert told["notice"].startswith(f"{file} is not taken in: ")
    assert why in told["notice"]


@pytest.mark.parametrize("address", ["nowhere/never", "..", "parallelism", "../exercises/memory"])
def test_a_wrong_address_is_named(address: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: page.warm_up(address, "f", ""),
        lambda: page.grade(address, "f", "", lambda: None),
        lambda: page.export(address, {"f": ""}),
        lambda: page.take_in(address, "f.py", ""),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="chapter must be"):
            call()


def test_a_wrong_name_is_named() -> None:
    for call in (lambda: page.warm_up(ADDRESS, "g", ""), lambda: page.export(ADDRESS, {"g": ""})):
        with pytest.raises(ValueError, match="name must be an exercise of memory/memory_equation"):
            call()


def test_the_archive_has_each_exercise_and_its_cases(tmp_path: Path) -> None:
    records = ExerciseRecords(ROOT)
    for address, names in IN_PAGES.items():
        files = records.page_files(address)
        for name in names:
            assert f"exercises/{address}/{name}.py" in files
            assert f"exercises/{address}/{name}.cases.json" in files
    assert "exercises/memory/zero/zero1_step.py" not in records.page_files("memory/zero")
