"""From one text for each exercise to the file that pytest grades and back: graded alike, and nothing lost."""

from __future__ import annotations

import ast
import doctest
import random
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_texts import IN_PAGES, texts_of, wanted
from sampling import examples

from exercises import in_page, statements
from exercises.catalogue import Chapter, chapter_of, chapters
from exercises.statements import names_in, renamed
from exercises.statements import statements as statements_of

ROOT = Path(__file__).parents[2]
ROUNDS = 4
PIPELINE = "parallelism/pipeline"
NAMES = ["one_f_one_b_order", "least_micro_batches", "peak_activations", "cut_layers"]
CHAPTERS = chapters()
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.folder.name)


def executed(text: str) -> dict[str, Any]:
    module = ModuleType("answers")
    exec(compile(text, "answers.py", "exec", dont_inherit=True), vars(module))
    return vars(module)


def graded(chapter: str, name: str, text: str) -> tuple[str, str, str, str]:
    told = in_page.grade(chapter, name, text, lambda: None)
    return told["status"], told["mistake"], told["given"], told["expected"]


def graded_all(chapter: Chapter, text: str) -> dict[str, tuple[str, str, str, str]]:
    return {name: graded(chapter.address, name, text) for name in chapter.exercises}


@pytest.mark.nightly
@each_chapter
def test_solutions_and_stubs_come_back_as_they_were(chapter: Chapter) -> None:
    for file, status in (("solution.py", "solved"), ("stub.py", "open")):
        text = (chapter.folder / file).read_text(encoding="utf-8")
        cut = in_page.take_in(chapter.address, text)
        assert cut["notice"] == ""
        assert list(cut["texts"]) == list(chapter.exercises)
        for name, one in cut["texts"].items():
            assert graded(chapter.address, name, one)[0] == status
        joined = in_page.export(chapter.address, cut["texts"])
        assert joined["notice"] == ""
        assert {told[0] for told in graded_all(chapter, joined["text"]).values()} == {status}
        assert in_page.take_in(chapter.address, joined["text"]) == cut
        assert meaning(joined["text"]) >= meaning(text)
    assert cut["texts"] == {name: in_page.stub(chapter.address, name) for name in chapter.exercises}


def meaning(text: str) -> set[str]:
    """Return what a file defines, apart from imports, its docstring and what tools read."""
    parts = [node for node in ast.parse(text).body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)]
    return {ast.dump(node) for node in parts if "__all__" not in ast.unparse(node)}


@pytest.mark.nightly
@each_chapter
def test_a_file_of_any_answers_is_graded_as_they_are(chapter: Chapter) -> None:
    """Solutions, stubs and mistakes side by side: their helpers have the same names and differ."""
    texts = {name: texts_of(chapter.address, name) for name in IN_PAGES.get(chapter.address, ())}
    draw = random.Random(chapter.address)
    kinds = {name: draw.sample(list(mine), len(mine)) for name, mine in texts.items()}
    for number in range(ROUNDS if texts else 0):
        chosen = {name: mine[number % len(mine)] for name, mine in kinds.items()}
        sources = {name: texts[name][kind] for name, kind in chosen.items()}
        joined = in_page.export(chapter.address, sources)
        cut = in_page.take_in(chapter.address, joined["text"])
        for name, kind in chosen.items():
            assert graded(chapter.address, name, joined["text"])[:2] == wanted(kind), (joined["notice"], chosen)
            assert graded(chapter.address, name, cut["texts"][name])[:2] == wanted(kind), (name, kind)
        again = in_page.export(chapter.address, cut["texts"])
        assert meaning(again["text"]) == meaning(joined["text"])


def export(**texts: str) -> tuple[dict[str, Any], str, str]:
    """Join texts of the pipeline's exercises, and return what the file defines, the notice and the file."""
    joined = in_page.export(PIPELINE, {name: textwrap.dedent(text) for name, text in texts.items()})
    return executed(joined["text"]), joined["notice"], joined["text"]


def test_what_texts_share_stands_once() -> None:
    shared = "import math\n\nSIZE = 3\n\n\ndef helper(x):\n    return math.sqrt(x) + SIZE\n\n\n"
    found, notice, text = export(
        peak_activations=f"{shared}def peak_activations(order):\n    return helper(4)\n",
        cut_layers=f"from math import pi\n{shared}def cut_layers(layer_s, *, stages):\n    return helper(9) + pi\n",
    )
    assert notice == ""
    assert text.count("def helper") == text.count("SIZE = 3") == text.count("import math\n") == 1
    assert text.startswith('"""Exercises of chapter 18')
    assert text.index("from __future__ import annotations") < text.index("import math") < text.index("SIZE")
    assert found["peak_activations"]([]) == 5
    assert found["cut_layers"]([], stages=1) == pytest.approx(9.14159265)


def test_a_helper_that_differs_is_renamed_and_named() -> None:
    one = "def helper(x):\n    return x\n\n\ndef peak_activations(order):\n    return helper(1)\n"
    other = """
        def helper(x):
            return helper(x - 1) if x else 7


        class Uses:
            helper = 5  # not the helper

            def call(self, helper=helper):
                return helper


        def cut_layers(layer_s, *, stages):
            def inner():
                return helper(2)

            return [inner(), Uses().call(), [helper for helper in (3,)], {"helper": 1}["helper"]]
    """
    found, notice, text = export(peak_activations=one, cut_layers=other)
    assert notice == (
        "cut_layers defines helper, which another text defines or uses differently: "
        "in this file it is called helper_cut_layers."
    )
    assert found["peak_activations"]([]) == 1
    assert found["cut_layers"]([], stages=1) == [7, 5, [3], 1]
    assert "# not the helper" in text


def test_a_helper_differs_too_where_what_it_uses_does() -> None:
    helper = "def helper():\n    return BASE\n\n\n"
    found, notice, _ = export(
        peak_activations=f"BASE = 1\n\n\n{helper}def peak_activations(order):\n    return helper()\n",
        cut_layers=f"BASE = 2\n\n\n{helper}def cut_layers(layer_s, *, stages):\n    return helper()\n",
    )
    assert found["peak_activations"]([]) == 1
    assert found["cut_layers"]([], stages=1) == 2
    assert "BASE_cut_layers" in notice
    assert "helper_cut_layers" in notice


def test_a_copy_of_another_exercise_does_not_replace_it() -> None:
    found, notice, _ = export(
        one_f_one_b_order="def peak_activations(order):\n    return 1\n\n\n"
        "def one_f_one_b_order(*, stages, micro_batches, stage):\n    return peak_activations([])\n",
        peak_activations="def peak_activations(order):\n    return 2\n",
    )
    assert found["peak_activations"]([]) == 2
    assert found["one_f_one_b_order"](stages=1, micro_batches=1, stage=0) == 1
    assert "peak_activations_one_f_one_b_order" in notice


def test_pythons_own_names_are_kept_for_texts_that_use_them() -> None:
    found, notice, _ = export(
        peak_activations="def peak_activations(order):\n    return pow(2, 3, 5)\n",
        cut_layers="from math import pow\n\n\ndef cut_layers(layer_s, *, stages):\n    return pow(2, 0.5)\n",
    )
    assert found["peak_activations"]([]) == 3
    assert found["cut_layers"]([], stages=1) == pytest.approx(2**0.5)
    assert "pow_cut_layers" in notice


def test_state_of_one_text_is_not_anothers() -> None:
    text = "seen = []\n\n\ndef {name}({arguments}):\n    seen.append(1)\n    return len(seen)\n"
    found, _, _ = export(
        peak_activations=text.format(name="peak_activations", arguments="order"),
        cut_layers=text.format(name="cut_layers", arguments="layer_s, *, stages"),
    )
    assert [found["peak_activations"]([]) for _ in range(3)] == [1, 2, 3]
    assert found["cut_layers"]([], stages=1) == 1


def test_what_a_text_computes_on_the_way_is_computed_again() -> None:
    """No function reads these names, so that both texts may use them."""
    found, notice, _ = export(
        peak_activations="total = 0\nfor i in range(3):\n    total += i\nA = total\n\n\n"
        "def peak_activations(order):\n    return A\n",
        cut_layers="total = 0\nfor i in range(5):\n    total += i\nB = total\n\n\n"
        "def cut_layers(layer_s, *, stages):\n    return B\n",
    )
    assert notice == ""
    assert (found["peak_activations"]([]), found["cut_layers"]([], stages=1)) == (3, 10)


def test_a_name_that_cannot_be_renamed_is_told() -> None:
    caught = "try:\n    1 / 0\nexcept ZeroDivisionError as problem:\n    pass\n"
    text = caught + "problem = {}\n\n\ndef {}:\n    return problem\n"
    _, notice, file = export(
        peak_activations=text.format("1", "peak_activations(order)"),
        cut_layers=text.format("2", "cut_layers(layer_s, *, stages)"),
    )
    assert notice.endswith("defines or uses differently: rename it in one of them, or both use the same.")
    assert "problem = 1" in file
    assert "problem = 2" in file


UNREADABLE = "def cut_layers(:\n    '''half\n    #| a comment\n"


def test_a_text_that_does_not_parse_is_kept_and_comes_back() -> None:
    solved = texts_of(PIPELINE, "peak_activations")["solution"]
    joined = in_page.export(PIPELINE, {"cut_layers": UNREADABLE, "peak_activations": solved})
    assert "Python cannot read the text of cut_layers (line " in joined["notice"]
    assert graded(PIPELINE, "peak_activations", joined["text"])[0] == "solved"
    assert graded(PIPELINE, "cut_layers", joined["text"])[0] == "open"
    texts = in_page.take_in(PIPELINE, joined["text"])["texts"]
    assert texts["cut_layers"] == UNREADABLE.rstrip()
    assert texts["peak_activations"] == solved


def test_a_file_that_does_not_parse_is_all_in_the_first_text() -> None:
    whole = "def peak_activations(order):\n    return 1\n\n\ndef cut_layers(:\n"
    told = in_page.take_in(PIPELINE, whole)
    assert told["texts"]["one_f_one_b_order"] == whole
    assert told["texts"]["cut_layers"] == in_page.stub(PIPELINE, "cut_layers")
    assert told["notice"].startswith("Python cannot read this file (line 5: ")
    assert told["notice"].endswith("so all of it is in the text of one_f_one_b_order.")


FILE = '''"""My answers."""

from __future__ import annotations

import math  # for sqrt
from fractions import Fraction
from itertools import accumulate, pairwise
import random

# how many
COUNT = 3
TABLE: dict[int, int] = {}
for i in range(COUNT):
    TABLE[i] = i * i
TABLE.update({9: 81})
random.seed(COUNT)


def _helper(x):  # helps
    return math.sqrt(TABLE[x])


def least_micro_batches(*, stages, bubble, chunks=1):
    """Mine."""
    return _helper(9)


def fill(to):
    global LATE
    LATE = to


LATE = None
fill(4)
cut_layers = lambda layer_s, *, stages: [LATE, random.random()]
assert least_micro_batches(stages=1, bubble=Fraction(1, 2)) == 9
print(cut_layers([], stages=1))


def unused():
    return COUNT


# the end
'''


def test_each_text_has_what_it_uses() -> None:
    told = in_page.take_in(PIPELINE, FILE)
    assert told["notice"] == ""
    texts = told["texts"]
    first = texts["least_micro_batches"]
    assert executed(first)["least_micro_batches"](stages=1, bubble=1) == 9
    assert executed(texts["cut_layers"])["cut_layers"]([], stages=1)[0] == 4
    for mine in ("# how many\nCOUNT", "TABLE[i] = i * i", "TABLE.update", "# helps", "assert least", "import math"):
        assert mine in first
        assert mine == "# how many\nCOUNT" or mine not in texts["cut_layers"]
    for others in ("LATE", "fill", "pairwise", "cut_layers"):
        assert others not in first or others == "pairwise"
    for mine in ("random.seed", "fill(4)", "print(cut_layers", "LATE = None"):
        assert mine in texts["cut_layers"]
    assert texts["peak_activations"] == in_page.stub(PIPELINE, "peak_activations")
    everything = "\n".join(texts.values())
    for line in filter(None, (line.strip() for line in FILE.splitlines())):
        assert line.startswith(("from", "import")) or line in everything, line
    assert "# for sqrt" in everything
    assert '"""My answers."""' in first
    assert "def unused" in first


def test_comments_of_a_stub_survive() -> None:
    stub = (ROOT / "exercises" / PIPELINE / "stub.py").read_text(encoding="utf-8")
    stands = 'raise NotImplementedError("cut_layers'
    text = stub.replace(stands, f"# idea: halve\n    {stands}")
    assert text != stub
    texts = in_page.take_in(PIPELINE, f"# top\n{text}# bottom\n")["texts"]
    assert "# idea: halve" in texts["cut_layers"]
    assert "# bottom" in texts["cut_layers"]
    assert "# top" in "".join(texts.values())


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_newlines_of_other_systems(newline: str) -> None:
    text = (ROOT / "exercises" / PIPELINE / "solution.py").read_text(encoding="utf-8")
    assert in_page.take_in(PIPELINE, "\ufeff" + text.replace("\n", newline)) == in_page.take_in(PIPELINE, text)


def test_an_empty_file_is_all_stubs() -> None:
    told = in_page.take_in(PIPELINE, "")
    assert told == {"texts": {name: in_page.stub(PIPELINE, name) for name in NAMES}, "notice": ""}
    stubs = in_page.export(PIPELINE, {})
    assert in_page.take_in(PIPELINE, stubs["text"]) == told
    verdicts = graded_all(chapter_of(ROOT / "exercises" / PIPELINE), stubs["text"])
    assert {verdict[0] for verdict in verdicts.values()} == {"open"}


def functions() -> st.SearchStrategy[list[tuple[str, str, int]]]:
    """Draw for some exercises a helper's name and a number that it adds; names meet by chance."""
    one = st.tuples(st.sampled_from(NAMES), st.sampled_from(["a", "b", "sum", "peak_activations"]), st.integers(0, 2))
    return st.lists(one, unique_by=lambda drawn: drawn[0], min_size=1)


@settings(max_examples=examples(40), deadline=None)
@given(functions(), st.booleans())
def test_every_function_computes_in_the_file_what_it_computes_alone(drawn: Any, shares: bool) -> None:
    texts = {}
    for name, helper, number in drawn:
        base = "BASE" if shares else f"BASE_{name}"
        inner = f"_{helper}" if helper == name else helper
        texts[name] = (
            f"{base} = {number}\n\n\ndef {inner}(x):\n    return x + {base}\n\n\n"
            f"def {name}(x):\n    return {inner}(x) + len([x]) + max(x, {number})\n"
        )
    joined = in_page.export(PIPELINE, texts)
    alone = {name: executed(text)[name](5) for name, text in texts.items()}
    found = executed(joined["text"])
    assert {name: found[name](5) for name in texts} == alone
    cut = in_page.take_in(PIPELINE, joined["text"])["texts"]
    assert {name: executed(cut[name])[name](5) for name in texts} == alone


@pytest.mark.parametrize(
    ("source", "binds", "uses"),
    [
        ("x = y", "x", "y"),
        ("x: T = y", "x", "T y"),
        ("x += 1", "x", "x"),
        ("a.b[c] = d", "", "a c d"),
        ("def f(a, *b, c=d, **e): return a, b, c, e, g", "f", "d g"),
        ("def f():\n    x = 1\n    def g(): return x\n    return g", "f", ""),
        ("def f():\n    global x\n    x = y", "f x", "y"),
        ("class A(B):\n    c = d\n    e = c\n    def f(self): return c", "A", "B d c"),
        ("[a for a in b if c]", "", "b c"),
        ("def f(): return [a for a in a]", "f", "a"),
        ("def f():\n    if (n := 1): pass\n    [m := k for k in n]\n    return n, m", "f", ""),
        ("lambda a: a + b", "", "b"),
        ("try: pass\nexcept E as e: print(e)", "e", "E print e"),
        ("match a:\n    case [b, *c]: pass\n    case {'k': d, **e}: pass\n    case g: pass", "b c d e g", "a"),
        ("with a as b: pass", "b", "a"),
        ("import a.b, c as d\nfrom e import f as g", "a d g", ""),
        ("del a", "a", ""),
        ("async def f(): return await g()", "f", "g"),
        ("@dec\ndef f() -> T: pass", "f", "dec T"),
    ],
)
def test_names_are_found_by_pythons_rules(source: str, binds: str, uses: str) -> None:
    found = names_in(ast.parse(source).body)
    assert (found.binds, found.uses) == (set(binds.split()), set(uses.split()))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def g(): pass\ng()", "def h(): pass\nh()"),
        ("class g: pass\nx = 'é', g", "class h: pass\nx = 'é', h"),
        ("import g", "import g as h"),
        ("from a import b as g", "from a import b as h"),
        ("from g import g", "from g import g as h"),
        ("def f():\n    global a, g\n    g = 1", "def f():\n    global a, h\n    h = 1"),
        ("x.g = g(g=1)", "x.g = h(g=1)"),
        ("def f(g): return g", "def f(g): return g"),
        ("import g.a", None),
        ("try: pass\nexcept E as g: pass", None),
    ],
)
def test_a_name_is_renamed_where_it_is_the_modules(source: str, expected: str | None) -> None:
    assert renamed(source, {"g": "h"}) == expected


def test_statements_keep_every_line() -> None:
    for chapter in CHAPTERS:
        for path in chapter.folder.glob("*.py"):
            text = path.read_text(encoding="utf-8")
            kept = "\n".join(part.source for part in statements_of(text))
            assert [line for line in kept.splitlines() if line.strip()] == [
                line for line in text.splitlines() if line.strip()
            ]


def test_the_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(statements).failed == 0
