"""The page's door: it grades as pytest does, with what a page has, and loses nothing that a reader wrote."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from page_texts import IN_PAGES, exercise_at, graded, one_of_each, texts_in_pages, wanted
from sampling import ROOT, sampled

from grader import cases as cases_kept
from grader import page
from grader.cases import Case, take
from grader.catalogue import chapter_of
from grader.judging import judge
from grader.messages import Result, message
from grader.seeing import NOT_TOLD, Seen
from grader.source import solution_of, stub_of
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
        page.warm_up(address, name)
        for kind, text in kinds.items():
            told = []
            page.show(address, name, text, lambda part: told.append(part) if part else None)
            graded[f"{address} {name} {kind}"] = page.grade(address, name, told)
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
    start, end = drawn("collectives/ring_and_tree", name, text)
    assert "at the start" in words_of(start)
    assert "AB" in words_of(end)
    assert any("framed: not ABC" in words for words in words_of(end))


def drawn(chapter: str, name: str, text: str) -> list[dict[str, Any]]:
    """Return what is drawn of a wrong answer, as the page asks for it."""
    verdict = graded(chapter, name, text)
    assert verdict["status"] != "solved"
    return page.draw(chapter, name, text, verdict["case"]) if verdict["case"] is not None else []


def words_of(drawing: dict[str, Any]) -> list[str]:
    return [words for _, _, words in drawing["shapes"] if words]


ORDERS = "def one_f_one_b_order(*, stages, micro_batches, stage):\n    return "
GPIPE = "[(kind, i) for kind in 'FB' for i in range(micro_batches)]\n"


@pytest.mark.parametrize(
    ("text", "pictures"),
    [
        (ORDERS + GPIPE, 1),
        (ORDERS + "[]\n", 0),  # there is nothing to draw
        (ORDERS + "[('B', 0)]\n", 0),
        (ORDERS + "None\n", 0),
        ("x = 1\n", 0),
        ("import nothing\n", 0),
    ],
)
def test_what_a_wrong_answer_does_is_drawn_where_it_can_be(text: str, pictures: int) -> None:
    found = drawn("parallelism/pipeline", "one_f_one_b_order", text)
    assert len(found) == pictures
    for drawing in found:
        assert any("your orders" in words for words in words_of(drawing))
        assert json.loads(json.dumps(drawing))["width"] > 0  # data, as the page gets it
        assert {tag for tag, _, _ in drawing["shapes"]} <= {"rect", "line", "path", "text"}
        assert not any("style" in attributes for _, attributes, _ in drawing["shapes"])


def test_what_is_right_is_not_drawn() -> None:
    place = ("parallelism/pipeline", "one_f_one_b_order")
    right = graded(*place, solution_of(exercise_at(*place)))
    assert (right["status"], right["case"]) == ("solved", None)


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
ADDRESS = PLACE[0]
RIGHT = "def largest_micro_batch(**inputs):\n    return 3\n"


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
        ("import no_such_package", "What needs more, pytest grades in a terminal."),
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
    told = graded(*PLACE, source)
    assert told["status"] == status
    assert said in " ".join(told["message"].split()) or said in told["message"]


NEEDS = "def largest_micro_batch(**inputs):\n    import no_such_package.part\n    return no_such_package.part.three()\n"


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"import no_such_package as np\n{RIGHT}", 1),
        (f"from math import pi\nfrom no_such_package.part import three\n{RIGHT}", 2),
        (NEEDS, 2),
    ],
)
def test_an_answer_that_needs_what_a_page_lacks_is_open_and_told_where_to_go(source: str, line: int) -> None:
    told = graded(*PLACE, source)
    assert (told["status"], told["case"], told["mistake"]) == ("open", None, "")
    assert told["says"].startswith(f"A page has no module no_such_package (line {line}): it has Python's standard")
    assert "This does not count as a try." in told["says"]
    assert told["says"].endswith("type pytest exercises/memory/memory_equation -k largest_micro_batch.")
    assert told["message"].endswith(f"No module named 'no_such_package' (line {line})")


def test_so_is_a_program_of_ranks() -> None:
    place = ("collectives/ring_and_tree", "reduce_scatter")
    text = stub_of(exercise_at(*place)).partition("raise NotImplementedError")[0]
    told = graded(*place, f"{text}import no_such_package\n    yield\n")
    assert (told["status"], told["says"][:33]) == ("open", "A page has no module no_such_pack")


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(
    "source",
    [
        f"try:\n    import no_such_package\nexcept ImportError:\n    three = 4\n{RIGHT}".replace(
            "return 3", "return three"
        ),
        RIGHT.replace("return 3", "raise ModuleNotFoundError('of my own')"),
        RIGHT.replace("return 3", "return \"ModuleNotFoundError: No module named 'numpy' (line 1)\""),
        f"from math import no_such_name\n{RIGHT}",
    ],
)
def test_an_answer_that_is_wrong_for_another_reason_is_wrong(source: str) -> None:
    told = graded(*PLACE, source)
    assert told["status"] == "wrong"
    assert "A page has no module" not in told["says"]


# In which lines an answer does not end -------------------------------------------------------------------------------

HEAD = "def largest_micro_batch(**inputs):\n"
TURN = "def turn(n):\n    m = n + 1\n    return m\n"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "LOOK_AFTER_S", 0.05)
    monkeypatch.setattr(page, "LOOK_S", 0.05)


@pytest.mark.usefixtures("few_cases", "quick")
@pytest.mark.parametrize(
    ("source", "number", "told"),
    [
        (f"{HEAD}    n = 1\n    while True:\n        pass\n", 0, ["[3, 4]"]),
        (f"{HEAD}    n = 1\n    while n: n += 1\n    return n\n", 0, ["[3, 3]"]),
        (f"{TURN}{HEAD}    n = 1\n    while n:\n        n = turn(n)\n    return n\n", 0, ["[6, 7]"]),  # the outer loop
        (f"def turn(n):\n    while n:\n        n += 1\n{HEAD}    return turn(1)\n", 0, ["[2, 3]"]),  # the inner one
        (f"import itertools\n{HEAD}    return [n for n in itertools.count() if n < 0]\n", 0, ["[3, 3]"]),
        ("n = 1\nwhile n:\n    n += 1\n", -1, ["[2, 3]"]),
        (f'{HEAD}    """Loop.\n\n    >>> largest_micro_batch()\n    """\n    while 1:\n        pass\n', -1, ["[6, 7]"]),
        (f"{HEAD}    return 3\n", 0, []),
        (f"{HEAD}    return 1 / 0\n", 0, []),
        (f"{HEAD}    import time\n    time.sleep(0.2)\n    return 3\n", 0, []),
        ("import time\ntime.sleep(0.2)\n", -1, []),
    ],
)
def test_the_lines_of_what_does_not_end_are_told(source: str, number: int, told: list[str]) -> None:
    lines: list[str] = []
    page.where(*PLACE, source, number, lines.append)
    assert lines == told


@pytest.mark.usefixtures("few_cases", "quick")
def test_they_are_told_of_an_answer_that_will_not_be_stopped() -> None:
    source = f"{HEAD}    for n in range(10**6):\n        try: n += 1\n        except BaseException: pass\n"
    lines: list[str] = []
    page.where(*PLACE, source, 0, lines.append)
    assert lines == ["[2, 3]"]
    assert sys.gettrace() is None


@pytest.mark.usefixtures("few_cases")
def test_signs_of_life_come_before_each_call() -> None:
    told: list[str] = []
    page.show(*PLACE, "def largest_micro_batch(**inputs):\n    return 3\n", told.append)
    assert [next(iter(json.loads(part))) if part else "" for part in told] == ["loaded", "", "seen", "printed"]


# What an answer's Python tells may be forged -------------------------------------------------------------------------

SEEN = {"observation": {"dict": [["result", 3]]}, "expected": "", "got": "", "trace": "", "changed": "", "kind": ""}
LOADED = '{"loaded": true}'


def seen(**changes: Any) -> str:
    return json.dumps({"seen": {**SEEN, **changes}})


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(
    "told",
    [
        [],
        [LOADED],
        [LOADED, seen(), seen()],
        [seen()],
        ["no json"],
        ["[]"],
        ['{"loaded": true, "seen": 1}'],
        [LOADED, seen(observation={"dict": [[1, 2]]})],
        [LOADED, seen(observation=[1])],
        [LOADED, seen(observation={"__proto__": 1})],
        [LOADED, seen(observation={"object": ["os:system", []]})],
        [LOADED, seen(more="field")],
        [LOADED, json.dumps({"seen": "x"})],
        [LOADED, "[" * 100_000],
        [LOADED, seen(observation={"int": "zz"})],
        [LOADED, json.dumps({"verdict": {"status": "solved"}})],
        ['{"status": "solved"}'],
        ['{"fault": 1}'],
    ],
)
def test_what_is_no_data_is_a_wrong_answer(told: list[str]) -> None:
    verdict = page.grade(*PLACE, told)
    assert verdict["status"] == "wrong"
    assert "what the answer's Python sends is no data" in " ".join(verdict["message"].split())


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(
    "value", [{"float": "nan"}, {"float": "inf"}, 10**300, "3", True, {"unknown": ["\ud800", "<b>"]}]
)
def test_a_strange_value_is_judged_as_what_it_is(value: Any) -> None:
    verdict = page.grade(*PLACE, [LOADED, seen(observation={"dict": [["result", value]]})])
    assert verdict["status"] == "wrong"
    assert verdict["expected"]
    json.dumps(verdict, ensure_ascii=False).encode()  # no half of a character


HUGE = {"int": "0x" + "f" * 10**6}
FORGED_NUMBERS = {
    "a fraction of texts": '{"fraction": ["1e999999999", null]}',
    "a fraction of a text": '{"fraction": ["1e999999999", 3]}',
    "a small fraction": json.dumps({"fraction": [1, HUGE]}),
    "a fraction of fractions": json.dumps({"fraction": [{"fraction": [1, HUGE]}, 3]}),
    "a fraction below 0": json.dumps({"fraction": [1, 0]}),
    "a whole number": json.dumps(HUGE),
    "many digits": "9" * 10**7,
    "a large float": "1e999999999",
    "a complex number": json.dumps({"complex": [HUGE, HUGE]}),
    "a list of them": json.dumps([{"fraction": [HUGE, 3]}] * 100),
    "a range": json.dumps({"range": [0, 10**30, 1]}),
}


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize("field", ["observation", "result"])
@pytest.mark.parametrize("kind", FORGED_NUMBERS)
def test_a_forged_number_is_wrong_and_takes_no_time(kind: str, field: str) -> None:
    number = FORGED_NUMBERS[kind]
    value = number if field == "result" else f'{{"dict": [["result", {number}]]}}'
    began = time.monotonic()
    sent = json.dumps({"seen": {**SEEN, "observation": {"dict": [["result", 2]]}, field: "VALUE"}})
    verdict = page.grade(*PLACE, [LOADED, sent.replace('"VALUE"', value)])
    assert verdict["status"] == "wrong"
    assert len(json.dumps(verdict)) < 10_000
    assert time.monotonic() - began < 5


# What the last call returned, which rules of mistakes are about -------------------------------------------------------


@pytest.mark.parametrize("result", [3, None, (1, "two"), [0.5], {"a": Fraction(1, 3)}, NOT_TOLD])
def test_a_result_comes_to_the_judge_as_it_was(result: Any) -> None:
    seen = Seen({"design": "x"}, changed="sizes", result=result)
    sent = json.loads(json.dumps(page._as_data(seen)))
    assert ("result" in sent) == (result is not NOT_TOLD)
    assert page._from_data(sent) == seen


def test_of_a_result_that_cannot_be_sent_nothing_is_told_and_the_rest_comes() -> None:
    nest: list[Any] = []
    nest.append(nest)
    back = page._from_data(page._as_data(Seen({"design": "x"}, result=nest)))
    assert back == Seen({"design": "x"}, result=NOT_TOLD)


SWAPPED = """
def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for workers in range(1, slots + 1):
        for factor in range(1, slots // workers + 1):
            made, taken = [], []
            for i, time in enumerate(batches_s):
                asked = taken[i - workers * factor] if i >= workers * factor else 0
                made.append(max(asked, made[i - workers] if i >= workers else 0) + time)
                taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
            if taken[-1] + step_s <= deadline_s:
                return factor, workers
"""


def test_a_rule_is_recognised_by_what_the_page_tells() -> None:
    place, told = ("foundations/data_pipeline", "choose_loader"), []
    page.show(*place, SWAPPED, lambda part: told.append(part) if part else None)
    verdict = page.grade(*place, told)
    assert "The order is workers, then prefetch factor." in verdict["says"]
    parts = [json.loads(part) for part in told]
    for part in parts:
        part.get("seen", {}).pop("result", None)
    without = page.grade(*place, [json.dumps(part) for part in parts])
    assert (without["status"], without["mistake"], without["got"]) == ("wrong", "", verdict["got"])


@pytest.mark.usefixtures("few_cases")
def test_what_is_said_of_an_answer_has_a_largest_size() -> None:
    verdict = page.grade(
        *PLACE, [LOADED, seen(observation=None, got="x" * 10**7), json.dumps({"printed": "y" * 10**7})]
    )
    assert len(verdict["got"]) == page.MOST_CHARACTERS
    assert len(verdict["printed"]) <= 4000


@pytest.mark.usefixtures("few_cases")
def test_a_verdict_is_not_changed_by_one_before() -> None:
    forged = ["no json", LOADED, seen(observation={"object": ["grader.page:judge_shown", []]})]
    before = graded(*PLACE, RIGHT)
    page.grade(*PLACE, forged)
    assert graded(*PLACE, RIGHT) == before
    assert before["status"] == "solved"


@pytest.mark.usefixtures("few_cases")
def test_an_answer_whose_python_was_ended_is_told_the_input_that_it_was_at() -> None:
    ended = ["a result within 10 s", "still running: it was stopped"]
    at_import = page.grade(*PLACE, [], ended)
    assert (at_import["given"], at_import["got"]) == ("import of largest_micro_batch.py", ended[1])
    in_call = page.grade(*PLACE, [LOADED], ended)
    assert " = " in in_call["given"]
    assert (in_call["expected"], in_call["got"]) == tuple(ended)


def packed(files: dict[str, str], *, flags: int = 0, damaged: bool = False) -> str:
    """Return a zip in base64, with these flags on its entries, or with bytes that cannot be unpacked."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files.items():
            made.writestr(name, text)
    data = bytearray(content.getvalue())
    for header, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(header) + place] |= flags
    if damaged:
        start = 30 + len(next(iter(files)))
        data[start : start + 4] = b"\xff" * 4
    return b64encode(data).decode()


def encrypted() -> str:
    return packed({f"{ADDRESS}/peak_and_live.py": "x = 1\n"}, flags=1)


def encoded(text: str | bytes) -> str:
    return b64encode(text.encode() if isinstance(text, str) else text).decode()


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
        ("all.zip", packed({f"answers/{ADDRESS}/largest_micro_batch.py": RIGHT}), ["largest_micro_batch"]),
        ("all.zip", packed({f"{ADDRESS}/largest_micro_batch.py": RIGHT}), ["largest_micro_batch"]),
        ("all.zip", packed({"answers/a/b/largest_micro_batch.py": RIGHT}), []),
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
        ("all.zip", encrypted(), "it is encrypted: pack it without a password"),
        (
            "all.zip",
            packed({f"{ADDRESS}/peak_and_live.py": "#" * 99}, damaged=True),
            "it is no zip file that can be read",
        ),
        ("all.zip", encoded("no zip"), "it is no zip file that can be read"),
        ("all.zip", packed({f"{ADDRESS}/peak_and_live.py": "#" * 200_000}), "an answer in it has more than 100,000"),
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
        lambda: page.warm_up(address, "f"),
        lambda: page.grade(address, "f", []),
        lambda: page.export(address, {"f": ""}),
        lambda: page.take_in(address, "f.py", ""),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="chapter must be"):
            call()


def test_a_wrong_name_is_named() -> None:
    for call in (lambda: page.warm_up(ADDRESS, "g"), lambda: page.export(ADDRESS, {"g": ""})):
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
