"""Where the book is comes from the environment alone, and no file of the book names a place that may be another's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from press import mkdocs_hook
from press.reading.links import Link, Map, led_out, rewrite
from press.site.addresses import NOTEBOOKS, PACKAGE, Addresses, addresses

ROOT = Path(__file__).parents[3]
OURS = "https://github.com/OWNER/NAME"
HERE = "chapters/background/a1.md"


def test_without_a_repository_there_is_no_address() -> None:
    nowhere = addresses({})
    assert nowhere == addresses({"BOOK_REPOSITORY": "", "BOOK_SITE": "", "BOOK_REVISION": ""}) == Addresses()
    assert not nowhere.repository
    assert not nowhere.site
    assert not nowhere.source_url
    assert not nowhere.requirement
    assert nowhere.edit_url("docs/index.md") is None
    assert nowhere.colab_url("a/1/1.ipynb") is None


def test_one_variable_gives_all_addresses() -> None:
    ours = addresses({"BOOK_REPOSITORY": OURS})
    assert ours.site == "https://owner.github.io/NAME/"
    assert ours.source_url == f"{OURS}/blob/main/"
    assert ours.edit_url("docs/index.md") == f"{OURS}/edit/main/docs/index.md"
    assert ours.requirement == f"git+{OURS}@main#egg={PACKAGE}"
    colab = f"https://colab.research.google.com/github/OWNER/NAME/blob/{NOTEBOOKS}/a/1/1.ipynb"
    assert ours.colab_url("a/1/1.ipynb") == colab


@pytest.mark.parametrize(
    "revision", ["v1.0.2", "0123456789abcdef0123456789abcdef01234567", "releases/2026-11", "v", "_a"]
)
def test_the_page_s_revision_is_installed_and_read_but_not_edited(revision: str) -> None:
    ours = addresses({"BOOK_REPOSITORY": OURS, "BOOK_REVISION": revision})
    assert ours.requirement == f"git+{OURS}@{revision}#egg={PACKAGE}"
    assert ours.source_url == f"{OURS}/blob/{revision}/"
    assert ours.edit_url("README.md") == f"{OURS}/edit/main/README.md"


@pytest.mark.parametrize(
    ("repository", "site"),
    [
        ("https://github.com/Some-Body/book.v2", "https://some-body.github.io/book.v2/"),
        ("https://github.com/Owner/owner.github.io", "https://owner.github.io/"),
    ],
)
def test_where_github_puts_the_site(repository: str, site: str) -> None:
    assert addresses({"BOOK_REPOSITORY": repository}).site == site


@pytest.mark.parametrize("site", ["https://example.org/", "https://example.org:8443/books/one-gradient/"])
def test_the_site_may_stand_elsewhere_or_alone(site: str) -> None:
    assert addresses({"BOOK_REPOSITORY": OURS, "BOOK_SITE": site}).site == site
    assert addresses({"BOOK_SITE": site}) == Addresses(site=site)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(
            ("BOOK_REPOSITORY", value)
            for value in (
                "http://github.com/OWNER/NAME",
                "https://github.com/OWNER/NAME/",
                "https://github.com/OWNER/NAME.git",
                "https://github.com/OWNER/NAME?a=1",
                "https://github.com/OWNER/NAME#readme",
                "https://github.com/OWNER/NAME/tree/main",
                "https://github.com/OWNER",
                "https://github.com/OWNER/..",
                "https://github.com/-OWNER/NAME",
                "https://example.org/OWNER/NAME",
                "https://github.com.example.org/OWNER/NAME",
                "git@github.com:OWNER/NAME",
                "OWNER/NAME",
                ' https://github.com/OWNER/NAME"',
                "https://github.com/OWNER/NAME\n",
            )
        ),
        *(
            ("BOOK_SITE", value)
            for value in (
                "http://example.org/",
                "https://example.org",
                "https://example.org/book",
                "https://example.org/book/?a=1",
                "https://example.org/book/#top",
                "https://example.org/../book/",
                "https:///book/",
                "example.org/",
                "https://example.org/\n",
            )
        ),
        *(
            ("BOOK_REVISION", value)
            for value in ("-v1", "v1 v2", 'v1"; ls', "a..b", "a//b", "a/", "/a", "v1@{1}", "v1$(ls)", "v1\n", "é")
        ),
        *(("BOOK_DOWNLOADS", value) for value in ("yes", "true", "10", " 1")),
    ],
)
def test_a_bad_value_is_refused_with_its_name_and_what_is_allowed(variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"^{variable} must be .+, got ") as refused:
        addresses({"BOOK_REPOSITORY": OURS, variable: value})
    assert str(refused.value).endswith(repr(value))


@pytest.mark.parametrize("variable", ["BOOK_REPOSITORY", "BOOK_SITE"])
def test_a_refusal_does_not_show_a_password(variable: str) -> None:
    with pytest.raises(ValueError, match=re.escape("got 'https://…@github.com/OWNER/NAME'")):
        addresses({variable: "https://someone:secret@github.com/OWNER/NAME"})


def test_downloads_are_offered_if_the_environment_says_so() -> None:
    assert not addresses({"BOOK_REPOSITORY": OURS, "BOOK_DOWNLOADS": "0"}).downloads
    assert addresses({"BOOK_DOWNLOADS": "1"}).downloads


def test_a_revision_of_no_repository_is_refused() -> None:
    with pytest.raises(ValueError, match="BOOK_REVISION is 'v1', but BOOK_REPOSITORY does not say"):
        addresses({"BOOK_REVISION": "v1"})


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ('<a href="../../labs/ring.py#L3">ring.py</a>', "<code>labs/ring.py</code>"),
        ('<a href="../../labs/ring.py"><code>ring</code></a>', "<code>labs/ring.py</code>"),
        ('<a class="b" href="../../README.md">README</a>', "<code>README.md</code>"),
        ('<a href="../../labs/ring.py">the <em>ring</em></a>', "the <em>ring</em> (<code>labs/ring.py</code>)"),
        ('<a href="../../a&amp;b.py">x</a>', "x (<code>a&amp;b.py</code>)"),
        ('<a href="../../docs/style.css">x</a>', '<a href="../../style.css">x</a>'),
        ('<a href="#here">x</a>', '<a href="#here">x</a>'),
    ],
)
def test_without_a_repository_a_file_of_it_is_named_and_not_linked(link: str, shown: str) -> None:
    page, links = rewrite(f"<p>{link}, <a href='#b'>b</a></p>", HERE, Map({HERE: "background/a1/"}, ""), {})
    assert page == f'<p>{shown}, <a href="#b">b</a></p>'
    assert len(links) == 2  # it is checked all the same


def test_a_file_beside_the_page_is_shown_and_a_notebook_is_downloaded() -> None:
    own = ["f-code.html", "a1.ipynb"]
    text = '<a href="f-code.html">code</a><a href="a1.ipynb">notebook</a>'
    page, links = rewrite(text, HERE, Map({HERE: "background/a1/"}, ""), {}, own)
    assert page == '<a href="f-code.html">code</a><a download href="a1.ipynb">notebook</a>'
    assert links == list[Link]()


@pytest.mark.parametrize(
    ("written", "led"),
    [
        ("../../docs/glossary.md#rank", "https://owner.github.io/NAME/glossary/#rank"),
        ('../../labs/ring.py "include: ring"', f'{OURS}/blob/main/labs/ring.py "include: ring"'),
        ("a1.md#s", "https://owner.github.io/NAME/background/a1/#s"),
        ("../../docs/cover.svg", "https://owner.github.io/NAME/cover.svg"),
        ("#here", "#here"),
        ("https://example.com/a.md", "https://example.com/a.md"),
        ("../../../outside.md", "../../../outside.md"),
        ("a1.ipynb", "a1.ipynb"),
        ("a9-planned.md#x", "https://owner.github.io/NAME/"),
        ("x", "x"),  # ``f[i](x)`` in a formula
    ],
)
def test_the_links_of_a_notebook_elsewhere_lead_to_the_web(tmp_path: Path, written: str, led: str) -> None:
    root = tmp_path / "book"
    for name in (HERE, "docs/glossary.md", "docs/cover.svg", "labs/ring.py", "../outside.md", f"{HERE[:-3]}.ipynb"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    ours = addresses({"BOOK_REPOSITORY": OURS})
    pages = {HERE: "background/a1/", "docs/glossary.md": "glossary/"}
    site = Map(pages, ours.source_url, planned=("chapters/background/a9-planned.md",))
    text = led_out(f"See [it]({written}), ![it]({written}).", HERE, site, root=root, site_url=ours.site)
    assert text == f"See [it]({led}), ![it]({led})."


OTHERS = re.compile(
    r"many-machines/|(?:github|gitlab|bitbucket)\.(?:com|io|org)/[^\s\"')]*one-gradient|[\w-]+\.(?:github|gitlab)\.io/one-g",
    re.IGNORECASE,
)


def texts() -> Iterator[Path]:
    """Yield the book's own text files, without what the build, Node or Python made."""
    rooms = [path for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()]
    rooms += [ROOT / name for name in (".ci", ".github", "chapters", "docs", "tests")]
    files = [path for path in ROOT.iterdir() if path.is_file()]
    files += [path for room in rooms for path in room.rglob("*") if path.is_file()]
    for path in files:
        if path.suffix not in {".ipynb", ".pyc", ".png", ".woff2"} and path != Path(__file__):
            yield path


def test_no_file_names_an_address_that_is_not_ours() -> None:
    """Notebooks install from the book's address, so a made-up one would run what a stranger puts there."""
    found = list(texts())
    assert {ROOT / "mkdocs.yml", ROOT / "README.md", ROOT / "package.json", ROOT / HERE.replace("a1", "index")} <= {
        *found
    }
    named = [path for path in found if OTHERS.search(path.read_text(encoding="utf-8", errors="replace"))]
    assert named == []


def config() -> Any:
    """Return the part of MkDocs' settings that addresses change."""
    return SimpleNamespace(site_url="http://127.0.0.1:8000/one-gradient/", repo_url=None, site_name="A Book", extra={})


@pytest.mark.parametrize("serving", [False, True])
def test_what_is_served_has_the_local_server_s_address(monkeypatch: pytest.MonkeyPatch, serving: bool) -> None:
    monkeypatch.setenv("BOOK_REPOSITORY", OURS)
    monkeypatch.setattr(mkdocs_hook, "state", SimpleNamespace(serving=serving))
    settings = config()
    mkdocs_hook.on_config(settings)
    assert settings.repo_url == OURS
    assert settings.site_url == (config().site_url if serving else "https://owner.github.io/NAME/")
    assert settings.extra == {"published": not serving}


@pytest.mark.parametrize("serving", [False, True])
def test_what_is_served_offers_no_downloads(monkeypatch: pytest.MonkeyPatch, serving: bool) -> None:
    monkeypatch.setenv("BOOK_DOWNLOADS", "1")
    monkeypatch.setattr(mkdocs_hook, "state", SimpleNamespace(serving=serving))
    settings = config()
    mkdocs_hook.on_config(settings)
    assert settings.extra.get("downloads") == (None if serving else "downloads/a-book")


def test_the_settings_of_the_book_name_the_local_server_alone() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"\nsite_url: {config().site_url}\n" in settings
    assert "repo_" not in settings
    assert f"<{config().site_url}>" in (ROOT / "README.md").read_text(encoding="utf-8")
