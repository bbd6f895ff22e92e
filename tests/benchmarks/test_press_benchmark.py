"""The benchmark's book is what it says, the same each time and different in each chapter; its tables are right."""

from __future__ import annotations

import ast
import doctest
import gzip
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import jupytext
import pytest
import yaml
from math_core import LatexToMathML

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import browser, generated_book, tools
from benchmarks import press as benchmark
from benchmarks.browser import Visit, serve
from benchmarks.generated_book import ROOT, chapter_text, formulas, generate_book, place, words
from benchmarks.press import CHAPTER, COLD, SNIPPET, UNCHANGED, Result
from press.numbers import stated_numbers

CHAPTERS = 24


def cells(text: str) -> list[str]:
    """Return the code cells of a chapter, as Jupytext reads them."""
    return [cell.source for cell in jupytext.reads(text, fmt="md").cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [chapter_text(number) for number in range(1, CHAPTERS + 1)]


@pytest.mark.parametrize("module", [generated_book, tools])
def test_examples(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_chapters_have_the_size_of_a_chapter(texts: list[str]) -> None:
    for text in texts:
        assert len(formulas(text)) == 30
        assert sum(formula.startswith("$$") for formula in formulas(text)) == 6
        assert len(cells(text)) == 6
        assert text.count("\nshow(") == 2
        assert 1150 <= words(text) <= 1350


def test_no_number_in_prose_needs_a_cell(texts: list[str]) -> None:
    """The press refuses a number in prose that no cell prints."""
    for text in texts:
        assert [number.written for number in stated_numbers(text.partition("\n---\n")[2])] == []


def test_each_chapter_has_one_numbered_equation_and_refers_to_it(texts: list[str]) -> None:
    for text in texts:
        assert re.findall(r"\\label\{(.*?)\}", text) == re.findall(r"\\eqref\{(.*?)\}", text) == ["eq:cost"]


def test_every_formula_converts(texts: list[str]) -> None:
    for text in texts:
        pairs = [(formula.strip("$").strip(), formula.startswith("$$")) for formula in formulas(text)]
        assert "(??)" not in "".join(LatexToMathML().convert_all(pairs))


def test_no_two_chapters_share_a_cell_or_their_prose(texts: list[str]) -> None:
    code = [cell for text in texts for cell in cells(text)]
    assert len(set(code)) == len(code)
    openings = {text.partition("## ")[2][:600] for text in texts}
    assert len(openings) == CHAPTERS


def test_the_same_call_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        generate_book(tmp_path / folder, 5)
    written = [path.relative_to(tmp_path / "first") for path in (tmp_path / "first").rglob("*.*")]
    assert len(written) > 10
    for path in written:
        assert (tmp_path / "first" / path).read_bytes() == (tmp_path / "second" / path).read_bytes()


def test_an_edited_chapter_changes_one_line_of_prose_and_one_of_code() -> None:
    before, after = chapter_text(3).splitlines(), chapter_text(3, edition=1).splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [
        "This text is in its edition 1. It continues [Trees in seconds](../part-1/02-chapter.md).",
        "edition = 1",
    ]


def test_a_small_book_is_valid(tmp_path: Path) -> None:
    paths = generate_book(tmp_path, 2)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        f"chapters/{place(1)}.md",
        f"chapters/{place(2)}.md",
    ]
    for path in paths:
        for cell in cells(path.read_text(encoding="utf-8")):
            compile(cell, path.name, "exec")
    for module in (tmp_path / "snippets").glob("*.py"):
        ast.parse(module.read_text(encoding="utf-8"))


def test_a_chapter_runs_and_prints_what_the_benchmark_looks_for(tmp_path: Path) -> None:
    path = generate_book(tmp_path, 1)[0]
    generated_book.write_part(tmp_path, 1, edition=7)
    code = "\n".join(cells(path.read_text(encoding="utf-8")))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "chapter edition 0\n" in done.stdout
    assert "snippet edition 7," in done.stdout
    assert "snippet edition" not in code, "the text that is looked for may stand in no cell, only in its output"


def test_the_edited_snippet_is_imported_by_the_chapters_that_are_named(texts: list[str]) -> None:
    importers = [number for number, text in enumerate(texts, start=1) if "import part_01 as" in text]
    assert importers == list(benchmark.importers(CHAPTERS))


def test_the_notebooks_have_a_kernel_and_bare_equations(tmp_path: Path) -> None:
    path = generate_book(tmp_path, 2)[1]
    tools.to_notebook(path)
    assert not path.exists()
    notebook = jupytext.read(path.with_suffix(".ipynb"))
    assert notebook.metadata["kernelspec"]["language"] == "python"
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "01-chapter.ipynb)" in prose
    assert re.search(r"\n\n\\begin\{equation\}.*\\end\{equation\}\n\n", prose)
    assert "---\ntitle" not in prose


def test_the_press_is_measured_with_the_configuration_of_the_book(tmp_path: Path) -> None:
    tool = tools.the_press(tmp_path)
    tool.write_book(2)
    generated = yaml.safe_load((tool.folder / "mkdocs.yml").read_text(encoding="utf-8"))
    own = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert {key for key in own if generated[key] != own[key]} == {"site_name", "nav"}
    assert (tool.folder / "press" / "mkdocs_hook.py").read_bytes() == (ROOT / "press" / "mkdocs_hook.py").read_bytes()


def test_cleaning_leaves_the_sources_alone(tmp_path: Path) -> None:
    tool = tools.the_press(tmp_path)
    tool.write_book(2)
    sources = sorted(tool.folder.rglob("*"))
    for made in ("site/index.html", ".press/pages/a.json", f"chapters/{place(1)}.ipynb", "snippets/__pycache__/a.pyc"):
        (tool.folder / made).parent.mkdir(parents=True, exist_ok=True)
        (tool.folder / made).write_text("made", encoding="utf-8")
    tool.clean()
    assert sorted(tool.folder.rglob("*")) == sources


def test_a_failing_command_says_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(tools.BuildError, match=r"(?s)returned 3:.*no such chapter"):
        tools.run([sys.executable, "-c", "print('no such chapter'); raise SystemExit(3)"], folder=tmp_path)


def measured() -> Result:
    return Result(
        24,
        seconds={
            "press": {COLD: [10.0], UNCHANGED: [0.6, 0.5, 9.0], CHAPTER: [1.0], SNIPPET: [2.0]},
            "stock": {COLD: [60.0], UNCHANGED: [1.2], CHAPTER: [4.0], SNIPPET: [1.5]},
        },
        notices={"press": {SNIPPET: True}, "stock": {SNIPPET: False}},
        page_bytes={"press": (70_000.0, 14_000.0), "stock": (630_000.0, 105_000.0)},
        visits={
            "press": Visit(9, 80_000, 0, 1, 31, {"1": 200.0, "4": 800.0}),
            "mathjax-4": "not measured: needs npm",
            "stock": Visit(6, 160_000, 2, 0, 0, {}),
        },
    )


def rows(table: str) -> dict[str, list[str]]:
    """Return the cells of a Markdown table by the label of their row."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {line[0]: line[1:] for line in lines}


def test_builds_table() -> None:
    table = benchmark.builds_table(measured())
    assert len({len(line) for line in table.splitlines()}) == 1, "the columns line up"
    found = rows(table)
    assert found[""] == ["press", "stock mkdocs-jupyter", "Jupyter Book 1"]
    assert found["cold build, 24 chapters"] == ["10.00 s", "60.00 s (6.0×)", "not measured"]
    assert found["unchanged rebuild"] == ["0.60 s", "1.20 s (2.0×)", "not measured"]
    assert found["one edited snippet (4 chapters import it)"][1] == "1.50 s (0.8×), does not notice"
    assert found["HTML of a chapter's page"] == ["70.0 KB", "630.0 KB (9.0×)", "not measured"]


def test_visits_table() -> None:
    found = rows(benchmark.visits_table(measured()))
    assert found["bytes received"] == ["80.0 KB", "not measured: needs npm", "160.0 KB (2.0×)"]
    assert found["formulas drawn"] == ["31", "not measured: needs npm", "0"]
    assert found["last formula painted"] == ["200 ms", "not measured: needs npm", "not measured"]


def test_targets_table_says_what_is_met_and_leaves_out_what_is_not_measured() -> None:
    found = rows(benchmark.targets_table(measured()))
    assert found["cold build, times as fast as stock"] == ["at least 2", "6.00", "yes"]
    assert found["unchanged rebuild, times as fast as cold"] == ["at least 12", "16.67", "yes"]
    assert found["HTML of a page, times smaller than stock's"] == ["at least 8", "9.00", "yes"]
    assert not any("Jupyter Book" in label for label in found)
    result = measured()
    result.seconds["jupyter-book"] = {UNCHANGED: [0.4], CHAPTER: [5.0]}
    found = rows(benchmark.targets_table(result))
    assert found["unchanged, times as long as Jupyter Book"] == ["at most 1.2", "1.50", "no"]
    assert found["one edited chapter, times as long as Jupyter Book"] == ["at most 1.2", "0.20", "yes"]


def test_report_leaves_out_the_tables_of_what_was_not_asked_for() -> None:
    assert benchmark.report(Result(2)) == ""
    assert "last formula" not in benchmark.report(Result(2, seconds={"stock": {COLD: [1.0]}}))


@pytest.mark.parametrize("arguments", [["--only", "press,sphinx"], ["--chapters", "0"], ["--repeat", "-1"]])
def test_wrong_options_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        benchmark.options(arguments)
    assert arguments[0] in capsys.readouterr().err


def test_the_file_runs_as_a_script() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "press.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "--only" in done.stdout


def test_the_server_compresses_text_and_notes_what_it_sends_and_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("text " * 1000, encoding="utf-8")
    (tmp_path / "font.woff2").write_bytes(b"font")
    with serve({"site": tmp_path}) as server:
        with urllib.request.urlopen(server.address("site", Path("index.html"))) as answer:
            body = answer.read()
        assert gzip.decompress(body) == b"text " * 1000
        with urllib.request.urlopen(server.address("site", Path("font.woff2"))) as answer:
            assert answer.read() == b"font"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(server.address("site", Path("absent.css")))
        assert server.sent[:2] == [len(body), 4]
        assert server.missing == ["/site/absent.css"]


def test_the_hook_leaves_tex_in_the_form_that_mathjax_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    import press.page

    monkeypatch.setattr(press.page, "typeset", press.page.typeset)
    exec(browser.HOOK, {})
    numbered = "<div>\\[\n\\begin{equation} x \\label{a} \\end{equation}\n\\]</div>"
    left = press.page.typeset(numbered + r"<b>\(y\)</b>", lambda _piece, _message: None)
    assert left == r"<div>\begin{equation} x \label{a} \end{equation}</div><b>\(y\)</b>"


def test_what_is_missing_is_said_and_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser.shutil, "which", lambda _name: None)
    tool = tools.the_press(tmp_path)
    visits = browser.visit_pages({"press": tool}, tmp_path)
    assert visits == {
        "press": "not measured: needs Chromium",
        "mathjax-3": "not measured: needs npm",
        "mathjax-4": "not measured: needs npm",
    }
