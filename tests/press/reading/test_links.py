"""Links between the book's files: where they lead on the site, which lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from press.reading.checks import link_problems
from press.reading.links import Link, Map, rewrite

HERE = "chapters/background/a1.md"
SITE = Map(
    {
        HERE: "background/a1/",
        "chapters/background/index.md": "background/",
        "docs/index.md": "",
        "docs/glossary.md": "glossary/",
        "docs/references.md": "references/",
    },
    "https://example.org/blob/main/",
)


@pytest.mark.parametrize(
    ("written", "led"),
    [
        ("index.md", "../"),
        ("../../docs/index.md", "../../"),
        ("../../docs/glossary.md#rank", "../../glossary/#rank"),
        ("#here", "#here"),
        ("../../docs/assets/cover.svg", "../../assets/cover.svg"),
        ("../../snippets/domain.py", "https://example.org/blob/main/snippets/domain.py"),
        ("https://example.com/a.md", "https://example.com/a.md"),
        ("mailto:a@example.com", "mailto:a@example.com"),
    ],
)
def test_where_a_link_leads(written: str, led: str) -> None:
    page, _ = rewrite(f'<a href="{written}">x</a>', HERE, SITE, {})
    assert f'href="{led}"' in page


def test_from_the_home_page() -> None:
    page, _ = rewrite('<a href="../chapters/background/a1.md#s">x</a>', "docs/index.md", SITE, {})
    assert 'href="background/a1/#s"' in page


def test_a_glossary_link_carries_the_definition() -> None:
    page, _ = rewrite('<a href="../../docs/glossary.md#rank">rank</a>', HERE, SITE, {"rank": 'A "process".'})
    assert page == '<a class="term" title="A &quot;process&quot;." href="../../glossary/#rank">rank</a>'


def test_a_reference_link_is_marked() -> None:
    page, _ = rewrite('<a href="../../docs/references.md#kaplan">K</a>', HERE, SITE, {})
    assert page == '<a class="source" href="../../references/#kaplan">K</a>'


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (Link("gone.md", "chapters/background/gone.md", ""), "a link leads nowhere: gone.md"),
        (Link("index.md#no", "chapters/background/index.md", "no"), "has no place named 'no'"),
        (Link("x#no", "docs/glossary.md", "no"), "the glossary has no term 'no'"),
        (Link("x#no", "docs/references.md", "no"), "the references have no entry 'no'"),
        (Link("../../../up.md", "../up.md", ""), "a link leads nowhere"),
        (Link("other.md", "chapters/background/other.md", ""), "is no page of the site"),
    ],
)
def test_links_that_lead_nowhere(tmp_path: Path, link: Link, message: str) -> None:
    (tmp_path / "chapters/background").mkdir(parents=True)
    (tmp_path / "chapters/background/other.md").touch()
    (tmp_path.parent / "up.md").touch()
    source = f"first\n\nsee [it]({link.written})\n"
    ids = {path: {"yes"} for path in SITE.pages}
    (problem,) = link_problems([link], path=HERE, source=source, root=tmp_path, site=SITE, ids=ids, made=set())
    assert problem.line == 3
    assert message in problem.message


def test_links_that_lead_somewhere(tmp_path: Path) -> None:
    (tmp_path / "snippets").mkdir()
    links = [
        Link("index.md#yes", "chapters/background/index.md", "yes"),
        Link("s", "snippets", ""),
        Link("c", "docs/assets/cover.svg", ""),
    ]
    made = {"docs/assets/cover.svg"}
    ids = {path: {"yes"} for path in SITE.pages}
    assert link_problems(links, path=HERE, source="", root=tmp_path, site=SITE, ids=ids, made=made) == []


def test_a_link_to_the_notebook_beside_the_page_downloads_it() -> None:
    site = Map({"chapters/a/1-x.md": "a/1-x/"}, "https://example.org/")
    page, links = rewrite('<a href="1-x.ipynb">notebook</a>', "chapters/a/1-x.md", site, {}, ["1-x.ipynb"])
    assert page == '<a download href="1-x.ipynb">notebook</a>'
    assert links == []
