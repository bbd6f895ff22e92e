"""The page's door: it grades as pytest does, with what a page has, and loses nothing that a reader wrote."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_texts import IN_PAGES, one_of_each, texts_in_pages, wanted
from sampling import sampled

from exercises import in_page
from exercises.catalogue import Chapter, chapter_of, chapters
from exercises.messages import Result, message
from exercises.needs import needs
from exercises.page_files import files_for_page
from exercises.sandbox import Sandbox

ROOT = Path(__file__).parents[2]
Graded = dict[str, dict[str, Any]]

# A Python that can import what is in the archive and the standard library, and nothing else.
ALONE = """
import json, sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
sys.path.insert(0, sys.argv[1])
from exercises import in_page
graded = {
    f"{address} {name} {kind}": in_page.grade(address, name, text, lambda: None)
    for address, exercises in json.load(sys.stdin).items()
    for name, kinds in exercises.items()
    for kind, text in kinds.items()
}
loaded = {name.split(".")[0] for name in sys.modules if not name.startswith("_sysconfigdata")}
strange = loaded - set(sys.stdlib_module_names)
print(json.dumps([graded, sorted(strange)]))
"""


CHAPTERS = chapters()
# An exercise of each of today's chapters; at night all of all.
ASKED = {address: one_of_each()[address] for address in sampled(IN_PAGES, 4)}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "book.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in files_for_page().items():
            archive.write(file, name)
    return path


@pytest.fixture(scope="module")
def alone(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Graded, list[str]]:
    """An exercise of each of today's chapters graded by CPython with the archive's files and the standard library."""
    book = tmp_path_factory.mktemp("book")
    with zipfile.ZipFile(archive) as files:
        files.extractall(book)
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(book)]
    done = subprocess.run(command, input=json.dumps(texts_in_pages(ASKED)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    graded, strange = json.loads(done.stdout)
    return graded, strange


def test_the_pages_offer_what_needs_no_package_that_a_page_lacks() -> None:
    without = {
        chapter.address: [name for name in chapter.exercises if not needs(chapter, name)] for chapter in CHAPTERS
    }
    assert {address: sorted(names) for address, names in without.items() if names} == {
        address: sorted(names) for address, names in IN_PAGES.items()
    }
    assert "memory/zero" in IN_PAGES
    assert "zero1_step" not in IN_PAGES["memory/zero"]
    assert "background/linear_algebra" not in IN_PAGES


def test_a_page_has_what_grading_needs_and_no_packages_but_hypothesis(alone: tuple[Graded, list[str]]) -> None:
    graded, strange = alone
    ours = {"__main__", "answers", "exercises", "graders", "snippets"}
    assert set(strange) - ours == {"_hypothesis_globals", "hypothesis", "sortedcontainers"}
    assert {tuple(key.split()[:2]) for key in graded} == {(at, name) for at, names in ASKED.items() for name in names}


@pytest.mark.parametrize("address", ASKED)
def test_the_page_knows_an_answer_for_what_it_is(address: str, alone: tuple[Graded, list[str]]) -> None:
    """Stub, solution and a mistake of an exercise; at night all of all."""
    for key, verdict in alone[0].items():
        if key.startswith(f"{address} "):
            assert (verdict["status"], verdict["mistake"]) == wanted(key.split()[2]), verdict


@pytest.mark.parametrize("address", sampled(ASKED, 2))
def test_messages_are_those_of_pytest(address: str, alone: tuple[Graded, list[str]], tmp_path: Path) -> None:
    """Of one exercise: what the child process of pytest finds, told as ``pytest -v`` does; at night of all."""
    path, chapter = tmp_path / "answers.py", chapter_of(ROOT / "exercises" / address)
    with Sandbox() as sandbox:
        for name, texts in texts_in_pages({address: ASKED[address]})[address].items():
            for kind, text in texts.items():
                path.write_text(text, encoding="utf-8")
                verdict = sandbox.judge(chapter.folder, chapter.exercises[name], path)
                told = message(Result(chapter, chapter.exercises[name], verdict), everything=True)
                said = alone[0][f"{address} {name} {kind}"]["message"]
                assert said == told.replace(str(path), "answers.py"), (name, kind)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.folder.name)
def test_a_stub_begins_with_what_its_function_needs(chapter: Chapter) -> None:
    whole = (chapter.folder / "stub.py").read_text(encoding="utf-8")
    for name in chapter.exercises:
        text = in_page.stub(chapter.address, name)
        assert text.count("raise NotImplementedError") == 1
        assert text.rstrip().split("\n\n\n")[-1] in whole
        exec(compile(text, "stub.py", "exec", dont_inherit=True), {})


def test_what_the_build_is_told() -> None:
    told = in_page.described()
    assert [chapter["address"] for chapter in told] == [chapter.address for chapter in CHAPTERS]
    zero = next(chapter for chapter in told if chapter["address"] == "memory/zero")
    assert zero["page"] == "chapters/memory/22-zero.md"
    assert [exercise["number"] for exercise in zero["exercises"]] == [1, 2, 3, 4]
    assert [exercise["in_page"] for exercise in zero["exercises"]] == [True, False, True, True]
    assert all(len(exercise["hints"]) == 3 for exercise in zero["exercises"])
    assert json.loads(json.dumps(told)) == told


PLACE = ("parallelism/pipeline", "cut_layers")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("x = 1", ""),
        ("def f(:\n    pass", "line 1\n    def f(:\n"),
        ("def f():\n    return 1 / 0\n\nf()", 'File "answers.py", line 2, in f\n    return 1 / 0\n'),
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
    told = in_page.run(*PLACE, source)["error"]
    assert error in told if error else told == ""
    assert "in_page.py" not in told


def test_run_prints_as_it_goes_and_runs_as_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    source = "import sys\nprint(__name__)\nprint('aside', file=sys.stderr)\n1 / 0\n"
    assert "ZeroDivisionError" in in_page.run(*PLACE, source)["error"]
    assert capsys.readouterr() == ("__main__\n", "aside\n")


def test_dataclasses_find_their_module(capsys: pytest.CaptureFixture[str]) -> None:
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nA(1)"
    )
    assert in_page.run(*PLACE, source) == {"error": ""}


@pytest.mark.parametrize(
    ("source", "status", "said"),
    [
        ("def cut_layers(layer_s, *, stages):\n    print('hello')\n    return []\n", "wrong", "hello"),
        ("def cut_layers(layer_s, *, stages):\n    while True:\n        print('x' * 10000)\n", "wrong", "1 000 000"),
        ("while True:\n    print('x' * 10000)\n", "wrong", "1 000 000"),
        ("def cut_layers(:\n", "wrong", "answers.py, line 1: invalid syntax"),
        ("import math\nmath.sqrt = None\ndef cut_layers(**inputs):\n    pass\n", "wrong", "math.sqrt is replaced"),
        ("cut_layers = 3\n", "wrong", "cut_layers is no function"),
        ("", "open", "open:     cut_layers"),
    ],
)
def test_grade_tells_what_a_reader_did(source: str, status: str, said: str) -> None:
    told = in_page.grade(*PLACE, source, lambda: None)
    assert told["status"] == status
    assert said in told["message"]


def graded(chapter: str, name: str, source: str) -> dict[str, str]:
    return in_page.grade(chapter, name, source, lambda: None)


def test_nothing_that_a_text_replaces_stays_replaced() -> None:
    """The worker goes on, whereas pytest grades each answer in a process of its own."""
    spoiler = (
        "import builtins, math, sys\nimport exercises.judging as judging\nfrom exercises.judging import Verdict\n"
        "def cheat(*given, **named):\n    return Verdict('solved')\n"
        "judging._first_broken.__code__ = (lambda exercise, function: None).__code__\n"
        "judging.judge = cheat\nbuiltins.sum = math.sqrt = None\nVerdict.__init__ = cheat\n"
        "del sys.modules['math'], judging.same\n"
    )
    wrong = "def cut_layers(layer_s, *, stages):\n    return [1] * len(layer_s)\n"
    before = in_page.grade(*PLACE, wrong, lambda: None)
    assert before["mistake"] == "gives_each_stage_one_layer"
    for spoil in (in_page.run, graded):
        spoil(*PLACE, spoiler)
        assert in_page.grade(*PLACE, wrong, lambda: None) == before


def test_signs_of_life_come_before_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    in_page.warm_up(*PLACE)
    source = (
        "import builtins\ndef cut_layers(layer_s, *, stages):\n    builtins.events.append('call')\n    return [1]\n"
    )
    import builtins

    builtins.events = events  # type: ignore[attr-defined]
    try:
        in_page.grade(*PLACE, source, lambda: events.append("beat"))
    finally:
        del builtins.events  # type: ignore[attr-defined]
    calls = [number for number, event in enumerate(events) if event == "call"]
    assert calls
    assert all(events[number - 1] == "beat" for number in calls)


@pytest.mark.parametrize("address", ["nowhere/never", "..", "parallelism"])
def test_a_wrong_address_is_named(address: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: in_page.run(address, "f", ""),
        lambda: in_page.grade(address, "f", "", lambda: None),
        lambda: in_page.stub(address, "f"),
        lambda: in_page.export(address, {}),
        lambda: in_page.take_in(address, ""),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="chapter must be"):
            call()


def test_a_wrong_name_is_named() -> None:
    for call in (lambda: in_page.run(PLACE[0], "g", ""), lambda: in_page.stub(PLACE[0], "g")):
        with pytest.raises(ValueError, match="name must be an exercise of parallelism/pipeline"):
            call()
    with pytest.raises(ValueError, match="sources must be"):
        in_page.export(PLACE[0], {"g": ""})
