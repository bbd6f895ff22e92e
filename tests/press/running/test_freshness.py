"""What a chapter's digest covers, and what it leaves out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from press.running.freshness import Freshness, fingerprint, parsed

FILES = {
    "requirements.txt": "numpy==2\n",
    "book/__init__.py": "",
    "book/top.py": "def f():\n    from book.part import late\n    return late\n",
    "book/part/__init__.py": "from .first import one\n",
    "book/part/first.py": "one = 1\n",
    "book/part/late.py": "from ..far.away import x\nfrom . import sibling\n",
    "book/part/sibling.py": "",
    "book/part/data.json": "{}",
    "book/far/__init__.py": "",
    "book/far/away.py": "x = 1\n",
    "book/other.py": "",
    "records/a.json": "{}",
}
CODE = [("%pip install x\nimport numpy\nfrom book import top\n", ())]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def changed(root: Path) -> Callable[..., bool]:
    """Return whether the digest of ``CODE`` changes when a file is changed."""

    def changes(name: str, inputs: tuple[str, ...] = ()) -> bool:
        before = Freshness(root).digest(CODE, inputs)
        path = root / name
        path.write_text(path.read_text() + "\n# changed" if path.exists() else "new")
        return Freshness(root).digest(CODE, inputs) != before

    return changes


@pytest.mark.parametrize(
    "name",
    [
        "requirements.txt",
        "book/__init__.py",
        "book/top.py",
        "book/part/__init__.py",
        "book/part/first.py",
        "book/part/late.py",
        "book/part/sibling.py",
        "book/part/data.json",
        "book/part/new.json",
        "book/far/__init__.py",
        "book/far/away.py",
    ],
)
def test_covered(changed: Callable[..., bool], name: str) -> None:
    assert changed(name)


@pytest.mark.parametrize("name", ["book/other.py", "records/a.json", "book/part/notes.md", "README.md"])
def test_left_out(changed: Callable[..., bool], name: str) -> None:
    assert not changed(name)


def test_named_inputs_are_covered(changed: Callable[..., bool]) -> None:
    assert changed("records/a.json", ("records/*.json",))
    assert changed("records/b.json", ("records/*.json",))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ([("a", ())], [("b", ())], False),
        ([("a", ()), ("b", ())], [("b", ()), ("a", ())], False),
        ([("a", ())], [("a", ("raises-exception",))], False),
        ([("a", ())], [("a", ("skip-execution",))], False),
        ([("a", ())], [("a", ("hide-input",))], True),
        ([("ab", ())], [("a", ()), ("b", ())], False),
    ],
)
def test_code_cells(root: Path, first: list, second: list, same: bool) -> None:
    freshness = Freshness(root)
    assert (freshness.digest(first) == freshness.digest(second)) == same


@pytest.mark.parametrize(
    "source", ["def f(:\n", "?top\n!ls\nimport book.top", "for x in y:\n    %timeit x\nimport book.top"]
)
def test_what_does_not_parse_is_left_to_the_execution(root: Path, source: str) -> None:
    Freshness(root).digest([(source, ())])


def test_ipythons_lines_do_not_hide_imports(root: Path) -> None:
    code = [("for x in []:\n    %timeit x\nimport book.other", ())]
    before = Freshness(root).digest(code)
    (root / "book/other.py").write_text("changed = 1")
    assert Freshness(root).digest(code) != before


def test_a_cycle_of_imports_ends(root: Path) -> None:
    (root / "book/far/away.py").write_text("import book.top\nx = 1")
    Freshness(root).digest(CODE)


def test_fingerprint_ignores_how_json_keeps_text() -> None:
    as_text = [{"cell_type": "code", "source": "a\nb", "outputs": [{"text": "x\ny", "name": "stdout"}]}]
    as_lines = [{"cell_type": "code", "source": ["a\n", "b"], "outputs": [{"name": "stdout", "text": ["x\n", "y"]}]}]
    assert fingerprint(as_text, outputs=True) == fingerprint(as_lines, outputs=True)
    as_lines[0]["outputs"][0]["text"] = ["x\n", "z"]  # type: ignore[index]
    assert fingerprint(as_text, outputs=True) != fingerprint(as_lines, outputs=True)
    assert fingerprint(as_text, outputs=False) == fingerprint(as_lines, outputs=False)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from book import *", "book/other.py"),
        ("files = !ls\nimport book.other", "book/other.py"),
        ("%%time\nimport book.other", "book/other.py"),
        ("import book.part.late as late", "book/far/away.py"),
        ("from book.part.late import x", "book/part/sibling.py"),
        ("async def f():\n    import book.other", "book/other.py"),
    ],
)
def test_other_ways_to_import(root: Path, source: str, name: str) -> None:
    before = Freshness(root).digest([(source, ())])
    (root / name).write_text("changed = 1")
    assert Freshness(root).digest([(source, ())]) != before


@pytest.mark.parametrize("name", ["book/part/.hidden", "book/part/data.json~", "book/far/x.ipynb"])
def test_files_of_editors_are_left_out(changed: Callable[..., bool], name: str) -> None:
    assert not changed(name)


@pytest.mark.parametrize(
    "module", ["from ....... import x", "from .... import x", "x = 1\0", "def f(:", "\udcff", "(" * 999]
)
def test_a_broken_module_is_left_to_the_execution(root: Path, module: str) -> None:
    (root / "book/other.py").write_bytes(module.encode("utf-8", "surrogateescape"))
    before = Freshness(root).digest([("import book.other", ())])
    (root / "book/other.py").write_text("")
    assert Freshness(root).digest([("import book.other", ())]) != before


def test_modules_are_parsed_once_a_build(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def counted(source: str) -> ast.Module:
        texts.append(source)
        return parsed(source)

    monkeypatch.setattr("press.running.freshness.parsed", counted)
    freshness = Freshness(root)
    for number in range(5):
        freshness.digest([(f"import book.top  # {number}", ())])
    modules = {text for name, text in FILES.items() if name.endswith(".py") and name != "book/other.py"}
    assert len(texts) == 5 + len(modules)
    freshness.imports.keep()
    again = Freshness(root)
    assert again.reached(["import book.top  # 0"]) == freshness.reached(["import book.top  # 0"])
    assert len(texts) == 5 + len(modules)  # by the next build, not at all


def test_a_module_that_appears_or_goes_is_noticed(root: Path) -> None:
    code = [("try:\n    import book.extra\nexcept ImportError:\n    pass", ())]
    without = Freshness(root).digest(code)
    (root / "book/extra.py").write_text("")
    assert Freshness(root).digest(code) != without
    (root / "book/extra.py").unlink()
    assert Freshness(root).digest(code) == without
