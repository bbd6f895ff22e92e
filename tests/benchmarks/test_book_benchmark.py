"""The book's benchmark edits what is there, sees each edit where it shows, and says what it found as it is."""

from __future__ import annotations

import ast
import cProfile
import doctest
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jupytext
import pytest

from benchmarks import book, peers
from benchmarks.book import CELL, EDITS, MODULE, PROSE, Edit, Memory, Result
from benchmarks.enlarged_book import ROOT
from benchmarks.peers import BuildError, Peer

ids = [edit.name for edit in EDITS]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with the files that are edited, as they now stand."""
    for edit in EDITS:
        path = tmp_path / edit.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / edit.path).read_bytes())
    return tmp_path


def lines(text: str) -> list[str]:
    return text.splitlines()


def cells(path: Path, kind: str = "code") -> list[str]:
    """Return the cells of a chapter or a notebook."""
    return [cell.source for cell in jupytext.read(path).cells if cell.cell_type == kind]


@pytest.mark.parametrize("module", [book, peers])
def test_the_examples_in_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


# Edits --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edit", EDITS, ids=ids)
def test_an_edit_changes_one_line_and_the_next_edition_takes_its_place(edit: Edit, copy: Path) -> None:
    path = copy / edit.path
    before = path.read_text(encoding="utf-8")
    edit.write(copy, 1)
    first = path.read_text(encoding="utf-8")
    edit.write(copy, 12)
    assert path.read_text(encoding="utf-8") == first.replace(edit.new % 1, edit.new % 12)
    assert first.replace(edit.new % 1, "") == before != first
    assert len(set(lines(first)) - set(lines(before))) == 1
    assert not list(path.parent.glob(".*")), "the draft has become the file"


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit.path.endswith(".py")], ids=lambda edit: edit.name)
def test_an_edited_module_is_python(edit: Edit, copy: Path) -> None:
    text = (copy / edit.path).read_text(encoding="utf-8")
    shown = edit.write(copy, 3)
    changed = (copy / edit.path).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text)), "what changed is no comment"
    assert shown in changed


def test_prose_stands_in_a_section_and_no_cell_changes(copy: Path) -> None:
    before = cells(copy / PROSE.path)
    shown = PROSE.write(copy, 1)
    assert cells(copy / PROSE.path) == before
    [section] = [cell for cell in cells(copy / PROSE.path, "markdown") if shown in cell]
    assert section.startswith("## ")


def test_the_cell_prints_what_only_its_output_shows(copy: Path) -> None:
    before = cells(copy / CELL.path)
    shown = CELL.write(copy, 2)
    after = cells(copy / CELL.path)
    [(old, new)] = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert shown not in new
    printed = subprocess.run([sys.executable, "-c", new], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed.endswith(f"{shown}\n")
    assert old == new.rpartition("\n")[0]


def test_no_edit_shows_what_another_writes(copy: Path) -> None:
    """Of those that are seen on one page, each is seen there by a text of its own."""
    for edit in EDITS:
        others = [other for other in EDITS if other is not edit and other.page == edit.page]
        assert not any(edit.shown % 1 in other.new % 1 or edit.shown % 1 in other.shown % 1 for other in others)
        assert edit.shown % 1 not in (copy / edit.path).read_text(encoding="utf-8")


def test_an_edit_without_a_place_says_so(copy: Path) -> None:
    (copy / MODULE.path).write_text("STAGES = 4\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"snippets/memory/zero/formulas\.py has no place for the edit 'a module of `snippets`'"
    ):
        MODULE.write(copy, 1)


@pytest.mark.book
def test_a_served_page_is_looked_at_until_it_shows_the_edit(tmp_path: Path) -> None:
    """A book of one page: an edit is seen, problems and a server that ends are no times."""
    (tmp_path / "book" / "docs").mkdir(parents=True)
    settings = "site_name: A\nsite_url: http://127.0.0.1/one-gradient/\ntheme: {name: material, font: false}\n"
    (tmp_path / "book" / "mkdocs.yml").write_text(settings, encoding="utf-8")
    page = tmp_path / "book" / "docs" / "index.md"
    page.write_text("# Page\n\nText.\n", encoding="utf-8")
    edit = Edit("prose", "docs/index.md", r"^# Page\n\n", "Edition %d. ", "", "Edition %d.")
    with book.served(tmp_path / "book") as server:
        assert server.seconds_until("", "Text.") > 0
        result = Result()
        book.measure_edit(edit, tmp_path / "book", 1, server, result)
        assert list(result.values) == [edit.name], "no chapter is executed"
        [seconds] = result.values[edit.name]
        assert 0.05 < seconds < 60
        page.write_text('# Page\n\n<div class="build-problems">one</div>\n', encoding="utf-8")
        with pytest.raises(BuildError, match="the book has problems after an edit"):
            server.seconds_until("", "Edition 2.")
        server.process.terminate()
        server.process.wait()
        with pytest.raises(BuildError, match=r"(?s)mkdocs serve ended.*Building documentation"):
            server.seconds_until("", "Edition 2.")
    assert {path.name.partition("_")[0] for path in tmp_path.iterdir()} == {"book", "serve.log", "mkdocs"}


def test_executions_are_read_from_the_log() -> None:
    log = "\n".join(
        [
            "INFO    -  Detected file changes",
            "INFO    -  executed chapters/memory/21-memory-equation.md in 10.7 s (1 of 2)",
            "INFO    -  executed chapters/memory/22-zero.md in 2.3 s (2 of 2)",
            "INFO    -  Documentation built in 12.92 seconds",
        ]
    )
    assert book.executed_s(log) == [10.7, 2.3]


# Measuring ----------------------------------------------------------------------------------------------------------

HOLDS_BYTES = 60_000_000
CHILD = f"""
import subprocess, sys
if sys.argv[1:]:
    held = bytearray({HOLDS_BYTES})
    held[::4096] = bytes([1]) * len(held[::4096])
    import time
    time.sleep(1)
else:
    subprocess.run([sys.executable, __file__, "again"], check=True)
"""


def test_memory_counts_the_child_of_a_child(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    with Memory() as memory:
        subprocess.run([sys.executable, str(tmp_path / "child.py")], check=True)
    assert HOLDS_BYTES < memory.peak_bytes < 3 * HOLDS_BYTES


def test_memory_does_not_count_this_process() -> None:
    held = bytearray(HOLDS_BYTES)
    with Memory() as memory:
        subprocess.run([sys.executable, "-c", "import time; time.sleep(0.5)"], check=True)
    assert memory.peak_bytes < len(held)


def test_sizes_are_of_all_files_of_the_index_and_of_the_largest_page(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "index").write_bytes(b"i" * 300)
    (tmp_path / "index.html").write_bytes(b"page")
    (tmp_path / "large.html").write_bytes(bytes(range(256)) * 4)
    found = book.sizes(tmp_path)
    assert found[book.SITE] == 300 + 4 + 1024
    assert found[book.INDEX] == 300
    assert 256 < found[book.LARGEST] < 1024


def test_the_profile_has_functions_of_the_press_and_of_mkdocs_and_no_others(tmp_path: Path) -> None:
    from mkdocs.utils import get_relative_url

    from press.making.numbers import stated_numbers

    profile = cProfile.Profile()
    profile.runcall(
        lambda: [*stated_numbers("1,000 bytes"), get_relative_url("a/b/", "a/"), doctest.script_from_examples("")]
    )
    profile.dump_stats(tmp_path / "profile")
    table = book.profile_table(tmp_path / "profile")
    assert "`press/making/numbers.py:" in table
    assert "`mkdocs/utils/__init__.py:" in table
    assert "doctest" not in table
    assert len(lines(table)) <= 2 + book.PROFILED
    seconds = [float(line.split(" | ")[-1].rstrip("| ")) for line in lines(table)[2:]]
    assert seconds == sorted(seconds, reverse=True)


@pytest.mark.nightly
def test_the_press_is_measured(tmp_path: Path) -> None:
    result = book.measure("press", 1, profiled=True)
    assert not result.failure
    assert {name for name in book.ROWS if name in result.values} >= {*book.GOALS, book.SITE, book.INDEX, book.LARGEST}
    assert result.values[CELL.name + book.EXECUTED] == [1] * book.EDITIONS
    assert PROSE.name + book.EXECUTED not in result.values, "prose executes nothing"
    assert "press/" in result.profile


def test_a_tool_that_fails_is_said_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(work: Path) -> Peer:
        raise BuildError(f"pip returned 1, in {work.name and 'a folder'}")

    monkeypatch.setattr(book, "make_book", lambda folder, times: folder)
    monkeypatch.setitem(book.PEERS, "jupyter-book", missing)
    assert book.measure("jupyter-book", 1, profiled=False).failure == "pip returned 1, in a folder"


# What is said -------------------------------------------------------------------------------------------------------


def measured() -> dict[str, tuple[Result, Result]]:
    return {
        "press": (
            Result({book.COLD: [20.0], book.UNCHANGED: [1.0, 9.0, 1.2], CELL.name: [3.0], book.MEMORY: [6e8]}),
            Result({book.COLD: [70.0], book.UNCHANGED: [1.5], CELL.name: [7.0], book.MEMORY: [1.2e9]}),
        ),
        "stock": (
            Result({book.COLD: [50.0], book.UNCHANGED: [3.0]}, not_taken=["memory/22-zero"]),
            Result({book.COLD: [350.0]}, failure="mkdocs build returned 1"),
        ),
    }


def rows(table: str) -> dict[str, list[str]]:
    """Return the cells of a Markdown table by the label of their row."""
    found = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines(table)]
    return {line[0]: line[1:] for line in found}


def test_the_table_has_medians_growth_ratios_to_the_press_and_what_failed() -> None:
    found = rows(book.table(measured(), 4))
    assert found[""] == ["press, now", "at 4×", "grows", "stock mkdocs-jupyter, now", "at 4×", "grows"]
    assert found["cold build"] == ["20.0 s", "70.0 s", "3.5×", "50.0 s (2.5×)", "350.0 s (5.0×)", "7.0×"]
    assert found["unchanged build"] == ["1.2 s", "1.5 s", "1.2×", "3.0 s (2.5×)", "failed", ""]
    assert found["a code cell"] == ["3.0 s", "7.0 s", "2.3×", "not measured", "failed", ""]
    assert found["peak memory"][:3] == ["600.0 MB", "1,200.0 MB", "2.0×"]
    assert "an exercise" not in found


def test_of_this_book_alone_the_table_has_what_it_takes_now() -> None:
    found = rows(book.table({"press": measured()["press"][:1]}, 1))
    assert (found[""], found["cold build"]) == (["press, now"], ["20.0 s"])
    assert book.remarks({"stock": measured()["stock"][:1]}, 1)[0].startswith("stock mkdocs-jupyter, at 1×, has no page")


def test_without_the_press_there_are_no_ratios() -> None:
    found = rows(book.table({"stock": measured()["stock"]}, 4))
    assert found["cold build"] == ["50.0 s", "350.0 s", "7.0×"]


def test_remarks_name_what_failed_and_what_was_not_taken() -> None:
    assert book.remarks(measured(), 4) == [
        "stock mkdocs-jupyter, at 1×, has no page of these chapters, or one with a cell that raised: memory/22-zero.",
        "stock mkdocs-jupyter, at 4×, failed: mkdocs build returned 1",
    ]


def test_goals_are_met_missed_or_not_measured() -> None:
    _, larger = measured()["press"]
    larger.add(CELL.name + book.EXECUTING, 4.5)
    said = book.goals(larger)
    assert "Met: unchanged build 1.5 s (at most 2.0 s), a code cell 2.5 s beyond executing its chapter" in said
    assert "Missed: cold build 70.0 s (at most 60.0 s)." in said
    assert said.endswith("Not measured: a few words of prose.")
    larger.values[CELL.name + book.EXECUTING] = [3.5]
    assert "a code cell 3.5 s beyond executing its chapter (at most 3.0 s)" in book.goals(larger).partition("Missed")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "press,sphinx"], "--only takes press,stock,jupyter-book, got sphinx"),
        (["--times", "0"], "--times must be at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        book.main(arguments)
    assert message in capsys.readouterr().err


def test_a_run_prints_its_table_and_goals_and_goes_on_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results: Iterator[Result] = iter([result for pair in reversed(measured().values()) for result in pair])
    monkeypatch.setattr(book, "measure", lambda tool, times, *, profiled: next(results))
    assert book.main(["--only", "stock,press", "--times", "3"]) == 1
    printed = capsys.readouterr().out
    assert "| cold build | 50.0 s (2.5×) | 350.0 s (5.0×) | 7.0× | 20.0 s | 70.0 s | 3.5× |" in printed
    assert "at 3×, failed: mkdocs build returned 1" in printed
    assert lines(printed)[-1].startswith("Goals of this book on 2 cores. Met: cold build 20.0 s")


# The tools beside the press -----------------------------------------------------------------------------------------

ZERO = "chapters/memory/22-zero.md"


def test_a_notebook_has_the_chapters_cells_and_links_to_notebooks(tmp_path: Path) -> None:
    notebook = tmp_path / "memory" / "22-zero.ipynb"
    peers.to_notebook(ROOT / ZERO, notebook)
    content = jupytext.read(notebook)
    assert {cell.cell_type for cell in content.cells} == {"code", "markdown"}
    assert content.metadata["kernelspec"]["name"] == "python3"
    assert cells(notebook) == cells(ROOT / ZERO)
    prose = "\n\n".join(cells(notebook, "markdown"))
    assert "](../collectives/12-primitives.ipynb)" in prose
    assert "](../../docs/glossary.ipynb#rank)" in prose
    assert ".md)" not in prose
    assert ".md#" not in prose
    assert "\n\\begin{equation}" in prose
    assert "$$\\begin{equation}" not in prose
    assert 'title: "22 · ZeRO"' not in prose


def test_a_peer_takes_all_chapters_and_what_they_import(tmp_path: Path) -> None:
    peer = peers.stock(tmp_path)
    peer.take(ROOT)
    taken = {
        path.relative_to(peer.folder / "chapters").with_suffix("").as_posix() for path in peer.folder.rglob("*.ipynb")
    }
    written = {path.stem for path in ROOT.glob("chapters/*/*.md")} - {"index"}
    assert {Path(chapter).name for chapter in taken} == written
    assert all(f"- {chapter}.ipynb\n" in (peer.folder / "mkdocs.yml").read_text(encoding="utf-8") for chapter in taken)
    assert (peer.folder / MODULE.path).read_bytes() == (ROOT / MODULE.path).read_bytes()


def test_chapters_that_a_peer_does_not_take_are_named(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / "book" / "chapters" / "part").mkdir(parents=True, exist_ok=True)
        (tmp_path / "book" / "chapters" / "part" / f"{name}.md").write_text("# A\n", encoding="utf-8")
    peer = Peer(tmp_path, ["true"], "site/{}.html", lambda folder, places: None)
    (tmp_path / "site" / "part").mkdir(parents=True)
    (tmp_path / "site" / "part" / "one.html").write_text("<pre>1</pre>", encoding="utf-8")
    (tmp_path / "site" / "part" / "two.html").write_text(f"<pre>{peers.RAISED}</pre>", encoding="utf-8")
    assert peer.not_taken(tmp_path / "book") == ["part/three", "part/two"]


def test_a_command_that_fails_says_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"(?s)returned 3:.*no such chapter"):
        peers.run([sys.executable, "-c", "print('no such chapter'); raise SystemExit(3)"], folder=tmp_path)


def test_a_command_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "BUILD_TIMEOUT_S", 0.2)
    with pytest.raises(BuildError, match=r"took longer than 0\.2 s"):
        peers.run([sys.executable, "-c", "import time; time.sleep(60)"], folder=tmp_path)
