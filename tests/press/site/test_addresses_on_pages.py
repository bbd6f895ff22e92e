"""What a built book says of where it is: nothing that nobody has set, and with a repository all of it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import yaml
from bs4 import BeautifulSoup
from bs4.element import Tag
from small_book import FILES, MKDOCS, ROOT, SmallBook

from press.site.notebook import SETUP

pytestmark = pytest.mark.book
REPOSITORY = "https://github.com/OWNER/NAME"
SITE = "https://owner.github.io/NAME/"
ENVIRONMENT = {"BOOK_REPOSITORY": REPOSITORY, "BOOK_REVISION": "v1.2", "BOOK_DOWNLOADS": "1"}
DAY, EPOCH = "2025-12-01", "1764547200"
BOOK = "many-machines-one-gradient"
READ = {".html", ".xml", ".json", ".ipynb", ".js", ".txt"}
PAGE = "part/01-one/index.html"
NOTEBOOK = "part/01-one/01-one.ipynb"


def build(book: SmallBook) -> dict[str, bytes]:
    done = book.build()
    assert done.returncode == 0, done.stderr
    return book.bytes_of_site()


def with_addresses(book: SmallBook) -> SmallBook:
    """Give the small book a changelog, and its chapter a set-up cell and a link to a file of the repository."""
    book.write("CHANGELOG.md", "# Changelog\n\n## 1.0.0 - 2026-12-01\n\nFirst edition.\n")
    chapter = FILES["chapters/part/01-one.md"]
    setup = f'```python tags=["setup"]\n{SETUP}\n```\n\nSee [total.py](../../sums/total.py).\n\n```python\nfrom sums'
    book.write("chapters/part/01-one.md", chapter.replace("```python\nfrom sums", setup, 1))
    return book


@pytest.fixture(scope="module")
def books(whole_book: SmallBook, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Build one book as a reader does, then as the workflow does, then as a reader again."""
    book = with_addresses(whole_book.copied(tmp_path_factory.mktemp("addresses") / "book"))
    built: dict[str, Any] = {}
    book.write("pyproject.toml", '[project]\nversion = "1.2.0"\n')
    with pytest.MonkeyPatch.context() as day, pytest.MonkeyPatch.context() as environment:
        day.setenv("SOURCE_DATE_EPOCH", EPOCH)
        built["unset"] = build(book)
        for variable, value in ENVIRONMENT.items():
            environment.setenv(variable, value)
        built["set"] = build(book)
        built["sitemap"] = book.read("site/sitemap.xml")
        environment.undo()
        built["again"] = build(book)
        built["local sitemap"] = book.read("site/sitemap.xml")
        day.setenv("SOURCE_DATE_EPOCH", str(int(EPOCH) + 24 * 60 * 60))
        kept = {path.name for path in (book.root / ".press/outputs").iterdir()}
        built["next day"] = build(book)
        built["filled in anew"] = {path.name for path in (book.root / ".press/outputs").iterdir()} - kept
        day.setenv("BOOK_SITE", "https://example.org/")
        built["at a root"] = build(book)
    return built


def page(site: dict[str, bytes], name: str = PAGE) -> BeautifulSoup:
    return BeautifulSoup(site[name], "html.parser")


def links(element: Tag, selector: str) -> dict[str, str]:
    return {link.get_text().strip(): str(link["href"]) for link in element.select(selector)}


def meta(site: dict[str, bytes], name: str) -> dict[str, str]:
    """Return what a page says of itself to those who preview it."""
    tags = page(site, name).select("meta[property], link[rel=canonical]")
    return {str(tag.get("property", "canonical")): str(tag.get("content", tag.get("href"))) for tag in tags}


def test_unset_nothing_names_a_repository(books: dict[str, Any]) -> None:
    own = {name for name in books["unset"] if Path(name).suffix in READ and "assets/javascripts" not in name}
    assert {PAGE, NOTEBOOK, "404.html"} <= own
    for name in own:
        found = re.findall(
            r"github\.(?:com|io)|colab\.|git\+|127\.0\.0\.1", books["unset"][name].decode(), re.IGNORECASE
        )
        assert not found, f"{name} has {found}"
    assert not {name for name in books["unset"] if name.endswith(("card.png", "robots.txt"))}
    assert set(re.findall(r"https?://[^/]*/", books["local sitemap"])) == {
        "http://www.sitemaps.org/",
        "http://127.0.0.1:8000/",
    }


def test_unset_a_chapter_offers_its_notebook_and_nothing_else(books: dict[str, Any]) -> None:
    shown = page(books["unset"])
    assert links(shown, ".chapter-tools a") == {"Download the notebook": "01-one.ipynb"}
    assert not page(books["unset"], "index.html").select(".chapter-tools")
    assert not shown.select(".md-source, .md-header__source, .md-nav__source")
    assert "See <code>sums/total.py</code>." in str(shown.article)
    assert SETUP in ["".join(cell["source"]) for cell in json.loads(books["unset"][NOTEBOOK])["cells"]]


@pytest.mark.parametrize("name", [PAGE, "index.html", "404.html"])
def test_unset_a_page_does_not_say_where_it_is(books: dict[str, Any], name: str) -> None:
    tags = meta(books["unset"], name)
    assert tags["og:title"]
    assert not tags.keys() & {"canonical", "og:url", "og:image"}
    head = page(books["unset"], name).head
    assert head is not None
    assert not head.select('meta[name^="citation_"], script[type="application/ld+json"], link[rel=alternate]')


def test_set_all_links_lead_to_the_repository(books: dict[str, Any]) -> None:
    shown = page(books["set"])
    assert links(shown, ".chapter-tools a") == {
        "Download the notebook": "01-one.ipynb",
        "Open in Colab": f"https://colab.research.google.com/github/OWNER/NAME/blob/notebooks/{NOTEBOOK}",
        "This chapter as PDF": "01-one.pdf",
        "Edit this page": f"{REPOSITORY}/edit/main/chapters/part/01-one.md",
    }
    home = page(books["set"], "index.html")
    assert links(home, ".chapter-tools a") == {
        "The book as PDF": f"downloads/{BOOK}.pdf",
        "as EPUB": f"downloads/{BOOK}.epub",
        "Edit this page": f"{REPOSITORY}/edit/main/docs/index.md",
    }
    assert {str(link["href"]) for link in shown.select(".md-source")} == {REPOSITORY}
    assert links(shown, "article a")["total.py"] == f"{REPOSITORY}/blob/v1.2/sums/total.py"


def test_set_the_notebook_installs_what_the_page_was_built_from(books: dict[str, Any]) -> None:
    cells = ["".join(cell["source"]) for cell in json.loads(books["set"][NOTEBOOK])["cells"]]
    assert SETUP not in cells
    assert f"See [total.py]({REPOSITORY}/blob/v1.2/sums/total.py)." in cells
    assert any("[rank](https://owner.github.io/NAME/glossary/#rank)" in cell for cell in cells)
    assert sum(f'--editable "git+{REPOSITORY}@v1.2#egg={BOOK}"' in cell for cell in cells) == 1


def test_set_a_page_says_where_it_is(books: dict[str, Any]) -> None:
    tags = meta(books["set"], PAGE)
    assert tags["canonical"] == tags["og:url"] == f"{SITE}part/01-one/"
    assert tags["og:image"] == f"{SITE}part/01-one/card.png"
    assert tags["og:image:alt"] == "1 · One · Sums. One block"
    assert books["set"]["part/01-one/card.png"].startswith(b"\x89PNG")
    for name in ("404.html", "index.html", "glossary/index.html"):
        assert meta(books["set"], name)["og:image"] == f"{SITE}assets/cover.png"
    assert "<loc>https://owner.github.io/NAME/part/01-one/</loc>" in books["sitemap"]
    assert "127.0.0.1" not in books["sitemap"]


def test_set_a_chapter_says_what_it_is_to_those_who_cite_it(books: dict[str, Any]) -> None:
    shown = page(books["set"])
    tags = {str(tag["name"]): str(tag["content"]) for tag in shown.select('head meta[name^="citation_"]')}
    assert tags["citation_title"] == "One · Sums"
    assert tags["citation_pdf_url"] == f"{SITE}part/01-one/01-one.pdf"
    [script] = shown.select('head script[type="application/ld+json"]')
    said = json.loads(script.get_text())
    assert said["@type"] == ["Chapter", "LearningResource"]
    assert said["isPartOf"]["url"] == SITE
    assert (said["version"], said["educationalLevel"], said["timeRequired"]) == ("1.2.0", "Beginner", "PT5M")
    home = page(books["set"], "index.html")
    assert json.loads(home.select('script[type="application/ld+json"]')[0].get_text())["@type"][0] == "Book"
    assert not page(books["set"], "glossary/index.html").select('[name^="citation_"], .cite')


def test_set_a_feed_of_the_changes_is_named(books: dict[str, Any]) -> None:
    for name, way in ((PAGE, "../../changes.xml"), ("index.html", "changes.xml")):
        [feed] = page(books["set"], name).select("link[rel=alternate]")
        assert (feed["type"], feed["href"]) == ("application/atom+xml", way)


@pytest.mark.parametrize("setting", ["unset", "set"])
def test_a_chapter_and_the_book_can_be_cited(books: dict[str, Any], setting: str) -> None:
    for name, opening in ((PAGE, f"@incollection{{{BOOK}-01-one,"), ("index.html", f"@book{{{BOOK},")):
        [entry] = page(books[setting], name).select(".cite pre code")
        assert entry.get_text().startswith(opening)
        assert "note = {Version 1.2.0}" in entry.get_text()
        assert ("url = {https://owner.github.io/NAME/" in entry.get_text()) == (setting == "set")


@pytest.mark.parametrize("name", [PAGE, "glossary/index.html", "404.html"])
def test_a_page_says_of_which_version_it_is_and_when_it_was_built(books: dict[str, Any], name: str) -> None:
    for setting, expected in (("unset", {}), ("set", {"Version 1.2.0": f"{REPOSITORY}/tree/v1.2"})):
        [edition] = page(books[setting], name).select(".edition span")
        assert edition.get_text() == f"Version 1.2.0, built {DAY}"
        assert links(edition, "a") == expected


def test_an_error_is_reported_where_there_is_a_repository(books: dict[str, Any]) -> None:
    assert not page(books["unset"]).select(".report")
    [report] = page(books["set"]).select("footer a.report")
    address, _, asked = str(report["href"]).partition("?")
    assert address == f"{REPOSITORY}/issues/new"
    filled = dict(parse_qsl(asked))
    assert filled["where"] == f"{SITE}part/01-one/"
    assert filled["version"] == "1.2.0 (v1.2)"
    assert filled["title"] == "One · Sums: "
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE" / filled["template"]).read_text(encoding="utf-8"))
    assert filled.keys() - {"template", "title"} <= {field["id"] for field in form["body"]}


def test_on_another_day_no_page_is_filled_in_anew(books: dict[str, Any]) -> None:
    again, later = books["again"], books["next day"]
    assert books["filled in anew"] == set()
    assert again[PAGE] != later[PAGE] == again[PAGE].replace(DAY.encode(), b"2025-12-02")
    assert {name for name in again if name.startswith("search/")} == {n for n in later if n.startswith("search/")}


def test_a_site_at_its_hosts_root_shows_robots_its_pages(books: dict[str, Any]) -> None:
    assert b"Sitemap: https://example.org/sitemap.xml\n" in books["at a root"]["robots.txt"]
    assert "robots.txt" not in books["set"]  # nobody asks for it below a path


def test_no_page_of_another_setting_is_kept(books: dict[str, Any]) -> None:
    assert books["again"] == books["unset"]


def test_a_build_with_a_bad_address_is_refused(small_book: SmallBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOK_REPOSITORY", "http://example.org/")
    done = subprocess.run([*MKDOCS, "build"], cwd=small_book.root, capture_output=True, text=True)
    assert done.returncode == 1
    assert "BOOK_REPOSITORY must be https://github.com/OWNER/NAME" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (small_book.root / "site").exists()


def test_programs_find_all_pages_from_where_the_site_is(books: dict[str, Any]) -> None:
    """A list of addresses works wherever a copy of the site stands, unless it is known where the site will."""
    for name, site in (("unset", ""), ("set", "https://owner.github.io/NAME/")):
        text = books[name]["llms.txt"].decode()
        assert text.startswith("# Many Machines, One Gradient\n\n> ")
        found = re.findall(r"^- \[(.+?)\]\(([^)]+)\)(?:: (.+))?$", text, re.MULTILINE)
        assert found[0] == ("One · Sums", f"{site}part/01-one/", "What a sum costs.")
        for _, address, _ in found:
            assert f"{address.removeprefix(site)}index.html" in books[name]


def test_a_feed_is_there_where_its_address_is_known(books: dict[str, Any]) -> None:
    assert "changes.xml" not in books["unset"]
    assert b"<id>https://owner.github.io/NAME/changelog/#version-1.0.0</id>" in books["set"]["changes.xml"]
