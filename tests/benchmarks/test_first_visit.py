"""The benchmark of a first visit sends what a host sends, waits for what is painted, and names what is missing."""

from __future__ import annotations

import doctest
import gzip
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import first_visit
from benchmarks.first_visit import PLAIN, SLOWED, FilesMissing, Visit, serve

PAGE = """<!doctype html><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="../style.css">
<p>A formula: <math><mi>x</mi></math>, and <math><mi>y</mi></math></p>
<details><summary>More</summary><math><mi>z</mi></math></details>
"""


def visit(**changed: Any) -> Visit:
    values = {"requests": 14, "received_bytes": 120_000, "elsewhere": 0, "formulas": 30, "shift": 0.001}
    return Visit(**{**values, "painted_ms": {PLAIN: 210.0, SLOWED: 900.0}, "largest_ms": 850.0, **changed})


def write_site(folder: Path, page: str = PAGE) -> None:
    """Write a site of one page that has a style sheet."""
    (folder / "page").mkdir()
    (folder / "page" / "index.html").write_text(page, encoding="utf-8")
    (folder / "style.css").write_text("p { color: black }\n" * 100, encoding="utf-8")


def test_the_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(first_visit).failed == 0


def test_the_server_compresses_text_and_nothing_else_and_notes_what_it_sends(tmp_path: Path) -> None:
    write_site(tmp_path)
    (tmp_path / "font.woff2").write_bytes(b"font" * 100)
    with serve(tmp_path) as server:
        with urllib.request.urlopen(f"{server.address}page/") as answer:
            page = answer.read()
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        with urllib.request.urlopen(f"{server.address}font.woff2?v=1") as answer:
            assert answer.read() == b"font" * 100
            assert answer.headers["Content-Encoding"] is None
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{server.address}absent.css")
        assert gzip.decompress(page).decode() == PAGE
        assert server.sent == [len(page), 400, 0]
        assert server.missing == ["/absent.css"]


def test_chapters_are_the_pages_with_a_notebook(tmp_path: Path) -> None:
    for name in ("memory/22-zero/22-zero.ipynb", "memory/21-a/21-a.ipynb", "reference/memory/index.html", "a.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert first_visit.chapters_in(tmp_path) == ["memory/21-a/", "memory/22-zero/"]


def test_each_goal_can_be_missed() -> None:
    assert visit().missed() == []
    assert visit(requests=16).missed() == ["requests"]
    assert visit(received_bytes=150_001).missed() == ["bytes"]
    assert visit(elsewhere=1).missed() == ["other hosts"]
    assert visit(painted_ms={PLAIN: 501.0, SLOWED: 900.0}).missed() == ["last formula"]
    assert visit(shift=0.2).missed() == ["layout shift"]


def test_goals_name_the_pages_that_miss_them() -> None:
    said = first_visit.goals({"a/": visit(), "b/": visit(requests=20, shift=0.3)})
    assert said.endswith("Missed by b/ (requests, layout shift).")
    assert first_visit.goals({"a/": visit()}).endswith("Met by all.")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the benchmark build a site of one chapter, and have no browser."""

    def build_site(folder: Path) -> None:
        (folder / "memory" / "22-zero").mkdir(parents=True)
        (folder / "memory" / "22-zero" / "22-zero.ipynb").touch()

    @contextmanager
    def chromium() -> Iterator[None]:
        yield None

    monkeypatch.setattr(first_visit, "build_site", build_site)
    monkeypatch.setattr(first_visit, "chromium", chromium)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["memory/23-one/"], "PAGE must be one of memory/22-zero/, got memory/23-one/"),
        (["--visits", "0"], "--visits must be at least 1, got 0"),
    ],
)
@pytest.mark.usefixtures("built")
def test_wrong_arguments_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        first_visit.main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(("requests", "code"), [(14, 0), (16, 1)])
def test_the_exit_code_says_whether_the_goals_are_met(
    requests: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        first_visit,
        "visit_pages",
        lambda browser, server, pages, visits: {page: visit(requests=requests) for page in pages},
    )
    assert first_visit.main([]) == code
    assert f"| memory/22-zero/ | {requests} | 120 | 0 | 30 |" in capsys.readouterr().out


@pytest.mark.usefixtures("built")
def test_missing_files_are_named_and_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def visit_pages(*_: object) -> dict[str, Visit]:
        raise FilesMissing("memory/22-zero/ asks for files that the site lacks: /a.css")

    monkeypatch.setattr(first_visit, "visit_pages", visit_pages)
    assert first_visit.main([]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "memory/22-zero/ asks for files that the site lacks: /a.css\n")


@pytest.mark.browser
def test_a_visit_counts_what_is_sent_and_the_formulas_that_are_painted(browser: Any, tmp_path: Path) -> None:
    write_site(tmp_path)
    with serve(tmp_path) as server:
        found = first_visit.visit_pages(browser, server, ["page/"], 1)["page/"]
    sent = [gzip.compress((tmp_path / name).read_bytes(), 6) for name in ("page/index.html", "style.css")]
    assert (found.requests, found.received_bytes) == (2, sum(map(len, sent)))
    assert (found.elsewhere, found.formulas) == (0, 2)
    assert 0 < found.painted_ms[PLAIN] < 60_000
    assert found.painted_ms[SLOWED] > 0
    assert found.largest_ms > 0
    assert found.shift == 0


@pytest.mark.browser
def test_a_visit_sees_what_jumps_and_what_is_asked_of_other_hosts(browser: Any, tmp_path: Path) -> None:
    jumps = """<p id="text">Text</p><img src="http://127.0.0.2:9/a.png" alt=""><script>
    setTimeout(() => document.getElementById("text").before(Object.assign(document.createElement("div"),
        { style: "height: 300px" })), 200);</script>"""
    write_site(tmp_path, PAGE + jumps)
    with serve(tmp_path) as server:
        found = first_visit.visit_pages(browser, server, ["page/"], 1)["page/"]
    assert found.elsewhere == 1
    assert found.shift > 0


@pytest.mark.browser
def test_a_page_whose_files_are_missing_is_refused(browser: Any, tmp_path: Path) -> None:
    write_site(tmp_path)
    (tmp_path / "style.css").unlink()
    with serve(tmp_path) as server, pytest.raises(FilesMissing, match=r"page/ asks for files .* lacks: /style\.css"):
        first_visit.visit_pages(browser, server, ["page/"], 1)


@pytest.mark.browser
def test_a_chapter_of_the_book_is_visited(browser: Any, site: Path) -> None:
    with serve(site) as server:
        [found] = first_visit.visit_pages(browser, server, ["one-gradient/memory/22-zero/"], 1).values()
    assert found.elsewhere == 0
    assert found.formulas > 10
    assert 5 < found.requests < 30
    assert 10_000 < found.received_bytes < 1_000_000
