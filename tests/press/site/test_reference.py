"""The pages written from docstrings: nothing public is missing, nothing that a reader needs is left undocumented."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import griffe
import pytest

from press.site.reference import ENTRIES_AT, INDEX, Page, Reference, documented, page_of, public, reference

ROOT = Path(__file__).parents[3]
MODULES = sorted(path for path in (ROOT / "snippets").rglob("*.py") if path.name != "__init__.py")

MODULE = '''"""Formulas: what rings cost | and more.

A second paragraph.
"""

from math import sqrt

LINKS = {"a": 1}
"""Links by name."""
_HIDDEN = 3


def sent_bytes(size_bytes: float, *, ranks: int = 2) -> float:
    """Bytes that a rank sends, ``2(N-1)/N`` of its buffer.

    Args:
        size_bytes: the buffer, for |x|
            on two lines.
        ranks: N.

    Returns:
        Bytes, sent by one rank.

    Raises:
        ValueError: `ranks` is below 1.

    Convention: counted at the sender.
    Source: Patarasuk and Yuan 2009.

    Formula: $V = 2\\\\frac{N-1}{N} n$
    Symbols: V = result; n = size_bytes
    Chapter: 13, 14

    Example:
        >>> sent_bytes(8, ranks=4)
        12.0
    """
    return 2 * (ranks - 1) / ranks * size_bytes


def _hidden() -> None: ...


class Ring:
    """A ring of ranks.

    Attributes:
        ranks: N.
    """

    ranks: int

    @property
    def steps(self) -> int:
        """Steps of both phases."""
        return 2 * (self.ranks - 1)

    @classmethod
    def of(cls, *ranks: int, a_long_argument: str = "x", another_long_argument: str = "y", third: int = 1) -> "Ring":
        """Make one."""
        return cls()
'''


TREES, RINGS = "docs/reference/everywhere-simulators.md", "docs/reference/rings.md"
FIGURES = "docs/reference/rings-simulators.md"


@pytest.fixture
def made(tmp_path: Path) -> Reference:
    for name, text in {
        "package/__init__.py": "",
        "package/rings/__init__.py": "",
        "package/rings/a_figures.py": '"""Figures: a ring, drawn."""\n\n\ndef picture() -> None:\n    """Draw it."""\n',
        "package/rings/ring.py": MODULE,
        "package/trees.py": '"""Simulators: trees."""\n\nDEPTH = 3\n"""How deep one is."""\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return reference(tmp_path, "package", ["chapters/collectives/13-ring.md"])


@pytest.fixture
def pages(made: Reference) -> dict[str, Page]:
    return {page.path: page for page in made.pages}


def test_which_pages_there_are(pages: dict[str, Page]) -> None:
    assert list(pages) == [INDEX, TREES, RINGS, FIGURES]
    assert [pages[path].source for path in (TREES, RINGS)] == ["package/__init__.py", "package/rings/__init__.py"]


def test_what_draws_formulas_stands_on_a_page_of_its_own(pages: dict[str, Page]) -> None:
    assert "## Ring {#ring}" in pages[RINGS].text
    assert "## A figures {#a_figures}" in pages[FIGURES].text
    assert "(rings-simulators.md)" in pages[RINGS].text
    assert "(rings.md)" in pages[FIGURES].text
    assert "of this part](" not in pages[TREES].text  # which has no formulas


def test_what_a_page_says(pages: dict[str, Page]) -> None:
    text = pages[RINGS].text
    for piece in (
        "Formulas: what rings cost | and more.",
        "A second paragraph.",
        "[source](../../package/rings/ring.py)",
        "sent_bytes(size_bytes: float, *, ranks: int = 2) -> float",
        "$$V = 2\\frac{N-1}{N} n$$",
        "- `size_bytes`: the buffer, for |x| on two lines.",
        "**Returns** Bytes, sent by one rank.",
        "**Raises** `ValueError`: `ranks` is below 1.",
        "**Convention.** Counted at the sender.",
        "**Source.** Patarasuk and Yuan 2009.",
        "**Chapter.** [13](../../chapters/collectives/13-ring.md), 14",
        ">>> sent_bytes(8, ranks=4)\n12.0",
        "LINKS = {'a': 1}",
        "Links by name.",
        "### `Ring` {#ring.Ring}",
        "#### `Ring.steps` {#ring.Ring.steps}",
        "    *ranks: int,\n    a_long_argument: str = 'x',",
    ):
        assert piece in text, piece
    assert "idden" not in text
    assert "sqrt" not in text
    assert "`Ring.ranks`" not in text  # the class's own docstring describes it


def test_the_entry_of_a_formula(made: Reference) -> None:
    assert list(made.formulas) == ["sent_bytes"]
    entry = made.formulas["sent_bytes"]
    link = "[`sent_bytes`](reference/rings.md#ring.sent_bytes) · chapter [13](../chapters/collectives/13-ring.md), 14"
    for piece in (
        link,
        "$$V = 2\\frac{N-1}{N} n$$",
        "<small>$V$ = result; $n$ = size_bytes</small>",
        "<code>sent_bytes(8, ranks=4) → 12.0</code>",
        '<small class="formula-more">Gives: bytes, sent by one rank.</small>',
    ):
        assert piece in entry, piece


def test_the_quick_reference() -> None:
    text = (ROOT / ENTRIES_AT).read_text(encoding="utf-8")
    asked = re.findall(r'^\[`(\w+)`\]\(\.\./(snippets/\S+\.py) "collected: (\w+)"\)$', text, re.MULTILINE)
    assert len(asked) == text.count("collected:") == len(set(asked))
    formulas = reference(ROOT, "snippets", []).formulas
    for name, path, title in asked:
        assert name == title
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), name
        assert "formula-call" in formulas[name], f"{name} has no example that shows a call with its result"
        assert "<small></small>" not in formulas[name], name
        assert "Gives: A " not in formulas[name], name


def test_the_index(pages: dict[str, Page]) -> None:
    assert r"| [`rings.ring`](rings.md#ring) | formulas | What rings cost \| and more. |" in pages[INDEX].text
    assert "| [`trees`](everywhere-simulators.md#trees) | simulators | Trees. |" in pages[INDEX].text


@pytest.fixture(scope="module")
def book() -> dict[str, Page]:
    return {page.path: page for page in reference(ROOT, "snippets", []).pages}


# What the formulas themselves are built with; one sentence each says enough.
PLUMBING = {"arrays", "domain", "drawing", "figures", "palette"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_public_name_of_the_book_has_its_entry(book: dict[str, Page], path: Path) -> None:
    """The names come from Python's own parser, not from the one that wrote the page."""
    wanted, module = set(), ast.parse(path.read_text(encoding="utf-8"))
    for node in module.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        wanted |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            wanted.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = [item.name for item in node.body if isinstance(item, ast.FunctionDef) and item.name[0] != "_"]
            wanted |= {f"{node.name}.{name}" for name in inner}
    wanted = {name for name in wanted if not name.startswith("_")}
    text = book[page_of(name_of(path), (ast.get_docstring(module) or "").partition(":")[0])].text
    anchors = re.findall(r"^#+ `[^`]+` \{#([^}]+)\}$", text, re.MULTILINE)
    home = ".".join(path.relative_to(ROOT / "snippets").with_suffix("").parts[1:] or [path.stem])
    assert {anchor for anchor in anchors if anchor.startswith(f"{home}.")} == {f"{home}.{w}" for w in wanted}


@pytest.fixture(scope="module")
def tree() -> griffe.Object | griffe.Alias:
    return griffe.load("snippets", search_paths=[str(ROOT)], docstring_parser="google", allow_inspection=False)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_public_function_says_what_a_caller_needs(tree: griffe.Object | griffe.Alias, path: Path) -> None:
    module = tree[".".join(path.relative_to(ROOT / "snippets").with_suffix("").parts)]
    for member in public(module):
        if isinstance(member, griffe.Function):
            assert_says_what_a_caller_needs(member)


def assert_says_what_a_caller_needs(function: griffe.Function) -> None:
    entry = documented(function)
    is_live = any("live_figure" in str(decorator.value) for decorator in function.decorators)
    if function.module.name in PLUMBING or is_live:  # a live figure's knobs say the rest
        assert entry.summary, function.path
        return
    arguments = {parameter.name.lstrip("*") for parameter in function.parameters}
    described = {item.name.lstrip("*") for item in entry.sections.get("parameters", ())}
    assert entry.summary, function.path
    assert described == arguments, function.path
    is_figure = documented(function.module).summary.startswith(("Figures", "Drawings"))
    if str(function.returns) != "None":
        assert (
            "returns" in entry.sections or "yields" in entry.sections or re.match(r"Return|Say|Give", entry.summary)
        ), function.path
    for error in entry.sections.get("raises", ()):  # ranges stand with the arguments
        assert not re.fullmatch(r"(if )?\w+ \w+ is out of its (range|domain)\.", error.description), function.path
    if not is_figure:
        assert ">>>" in str(entry.sections.get("Example", entry.sections.get("examples", ""))), function.path
    if "Formula" in entry.labelled:
        assert {"Symbols", "Chapter", "Source"} <= entry.labelled.keys(), function.path


GROUPS = (
    ("Also", "Formula", "Symbols", "Chapter"),
    *(("Args",), ("Returns",), ("Raises",)),
    ("Source", "Convention", "Leaves out"),
    ("Example",),
)
TOGETHER = {label: group for group in GROUPS for label in group}
SYMBOL = r"[^\s,;=()]+(?:\([^()]*\))?"


def other_dialect(docstring: str) -> list[str]:
    """Say in what a formula's docstring differs from all others: labels, their order, symbols, example."""
    lines = docstring.split("\n")
    labels = [(line.partition(":")[0], number) for number, line in enumerate(lines)]
    found = [(label, number) for label, number in labels if label in TOGETHER and ":" in lines[number]]
    names = [label for label, _ in found]
    wrong = []
    if names != sorted(names, key=list(TOGETHER).index):
        wrong.append(f"the order of {', '.join(names)}")
    for (before, _), (label, number) in itertools.pairwise(found):
        if (lines[number - 1] == "") == (TOGETHER[before] == TOGETHER[label]):
            wrong.append(f"an empty line {'too many' if lines[number - 1] == '' else 'missing'} before {label}")
    if "Example" not in names:
        wrong.append("no Example:")
    symbols = re.search(r"^Symbols:(.*?)(?=^\S|^$|\Z)", docstring, re.MULTILINE | re.DOTALL)
    for entry in symbols[1].split(";") if symbols else ():
        meaning = " ".join(entry.split()).partition(" = ")[2]
        if re.search(rf", (?:and )?{SYMBOL} = ", meaning):
            wrong.append(f"a comma between two symbols: {entry.strip()}")
    if symbols and "`" in symbols[1]:
        wrong.append("backticks in Symbols")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_formulas_are_documented_in_one_dialect(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            docstring = ast.get_docstring(node) or ""
            assert "\nFormula:" not in docstring or other_dialect(docstring) == [], node.name


ONE = """Return it.

Formula: $V = nR$
Symbols: V = result; n, m = bytes of two; R = ranks
    of a group
Chapter: 13

Args:
    ranks: R.

Returns:
    Bytes.

Source: somebody.
Leaves out: much.

Example:
    >>> 1
    1
"""


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("", "", []),
        ("Formula:", "Also: what others say\nFormula:", []),
        ("Chapter: 13\n", "Chapter: 13\nAlso: what others say\n", ["the order of "]),
        ("Source: somebody.\nLeaves", "Leaves", []),
        ("Source: somebody.\nLeaves out: much.", "Leaves out: much.\nSource: somebody.", ["the order of "]),
        ("\nSymbols", "\n\nSymbols", ["an empty line too many before Symbols"]),
        ("\n\nReturns", "\nReturns", ["an empty line missing before Returns"]),
        ("result; n", "result, n", ["a comma between two symbols: V = result, n, m = bytes of two"]),
        ("two; R", "two, R", ["a comma between two symbols: n, m = bytes of two, R = ranks"]),
        ("= ranks", "= ``ranks``", ["backticks in Symbols"]),
        ("Example:\n    ", "", ["no Example:"]),
    ],
)
def test_another_dialect_is_named(old: str, new: str, wrong: list[str]) -> None:
    found = other_dialect(ONE.replace(old, new, 1) if old else ONE)
    assert len(found) == len(wrong), found
    for said, expected in zip(found, wrong, strict=True):
        assert said.startswith(expected)
