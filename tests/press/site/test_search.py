"""The search's index: made of the finished pages, kept while they stay the same, in pieces."""

from __future__ import annotations

import json
import re
from pathlib import Path

import material
import pytest

from press.site.search import searchable, write_search

ROOT = Path(__file__).parents[3]
PAGE = (
    '<!doctype html><html lang="en"><head><title>t</title></head><body><article><h1>{}</h1>{}</article></body></html>'
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    write_page(tmp_path / "site", "ring", "<h2 id='steps'>Steps</h2><p>Each rank sends a chunk.</p>")
    write_page(tmp_path / "site", "tree", "<p>Halves meet.</p>")
    return tmp_path / "site"


def write_page(site: Path, name: str, body: str) -> None:
    (site / name).mkdir(parents=True, exist_ok=True)
    (site / name / "index.html").write_text(PAGE.format(name, body), encoding="utf-8")


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_index_is_made_once_for_the_same_pages(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    lines: list[str] = []
    write_search(site, kept, report=lines.append)
    first = files_of(site / "search")
    assert {"pagefind.js", "pagefind-worker.js", "pagefind-entry.json"} <= first.keys()
    assert len([name for name in first if name.startswith("fragment/")]) == 2
    assert not [name for name in first if "ui" in name.partition("/")[0] or "highlight" in name]
    with monkeypatch.context() as patched:
        patched.setattr("press.site.search.subprocess.run", None)  # is not called again
        write_search(site, kept, report=lines.append)
    assert lines == ["makes the search's index"]
    assert files_of(site / "search") == first
    write_page(site, "tree", "<p>Quarters meet.</p>")
    write_search(site, kept)
    assert files_of(site / "search") != first
    assert len(list(kept.iterdir())) == 1


def test_the_last_index_does_where_it_may_be_old(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_search(site, tmp_path / "kept", may_be_old=True)
    first = files_of(site / "search")
    assert "pagefind.js" in first, "there was none, so it is made"
    write_page(site, "tree", "<p>Quarters meet.</p>")
    monkeypatch.setattr("press.site.search.subprocess.run", None)  # is not called again
    write_search(site, tmp_path / "kept", may_be_old=True)
    assert files_of(site / "search") == first


def test_two_indexes_of_the_same_pages_have_the_same_bytes(site: Path, tmp_path: Path) -> None:
    write_search(site, tmp_path / "one")
    first = files_of(site / "search")
    write_search(site, tmp_path / "other")
    assert files_of(site / "search") == first


def test_what_pagefind_says_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with pytest.raises(RuntimeError, match=r"pagefind failed:\n(.|\n)*"):
        write_search(tmp_path / "site" / "nowhere", tmp_path / "kept")


def test_the_header_is_materials_but_for_the_search() -> None:
    """So that a new version of Material is noticed."""
    theirs = (Path(material.__file__).parent / "templates/partials/header.html").read_text(encoding="utf-8")
    ours = (ROOT / "press/theme/partials/header.html").read_text(encoding="utf-8")
    theirs = re.sub(r'    {% if "material/search" in .*?(?=    {% if config.repo_url %})', "", theirs, flags=re.DOTALL)
    ours = re.sub(r"    <button [^>]*data-search.*?</button>\n", "", ours, flags=re.DOTALL)
    assert ours.partition("#}\n")[2] == theirs.partition("#}\n")[2]


def test_other_pages_weigh_less_than_chapters_and_a_chapter_has_its_other_names() -> None:
    page = '<body><article class="a"><h1>t</h1></article></body>'
    names = searchable(page, "memory/22-zero/", chapter=True, also="FSDP, <ZeRO>")
    hidden = '<p hidden data-pagefind-meta="also">FSDP, &lt;ZeRO&gt;</p></article>'
    assert names == f'<body><article class="a"><h1>t</h1>{hidden}</body>'
    assert searchable(page, "references/").startswith('<body><article data-pagefind-weight="0.2" class="a">')
    assert searchable(page, "glossary/").startswith('<body><article data-pagefind-weight="0.5" class="a">')


def test_the_words_are_common_or_rare_and_no_names_of_authors(site: Path, tmp_path: Path) -> None:
    for name, body in {
        "one": "<p>Pipeline bubbles &amp; chunks</p><script>pipelines</script>",
        "two": "<p>pipeline chunks</p>",
        "three": "<p>pipeline <b>slipp</b> Chunks</p>",
        "four": "<p>pipeline slipp</p>",
        "references": "<p>Rabenseifner</p>",
    }.items():
        write_page(site, name, body)
    write_search(site, tmp_path / "kept")
    words = json.loads((site / "search" / "words.json").read_text(encoding="utf-8"))
    assert words == {
        "common": ["pipeline", "chunks"],
        "rare": ["bubbles", "chunk", "halves", "sends", "slipp", "steps", "three"],
    }
