"""The security policy of the built pages: the same on each, no script but the site's own, nothing sent elsewhere."""

from __future__ import annotations

import base64
import json
import re
import urllib.request
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from small_book import SmallBook
from test_serve import Server

from press.site import runtime
from press.site.policy import UnknownScript, scripts_of, with_policy

OWN = {"'self'", "'none'", "data:", "blob:", "'wasm-unsafe-eval'", "'unsafe-inline'", "'script'", "default", "book"}
CDN = "https://cdn.jsdelivr.net"


class Page(HTMLParser):
    """A page's policies, its scripts that stand in it, and the order of what its head holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.policies: list[str] = []
        self.inline: list[str] = []
        self.order: list[str] = []
        self._script: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        policy = tag == "meta" and (given.get("http-equiv") or "").lower() == "content-security-policy"
        self.order.append("policy" if policy else tag)
        if policy:
            self.policies.append(given["content"] or "")
        if tag == "script" and "src" not in given and given.get("type", "module") in ("module", "text/javascript"):
            self._script = ""

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._script += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            self.inline.append(self._script)
            self._script = None

    @property
    def rules(self) -> dict[str, list[str]]:
        """What each directive of the page's policy allows."""
        (policy,) = self.policies
        return {name: allowed for name, *allowed in (rule.split() for rule in policy.split(";"))}


def pages(book: SmallBook) -> dict[str, Page]:
    site = book.root / "site"
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def allows(page: Page, script: str) -> bool:
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'" in page.rules["script-src"]


@pytest.fixture(scope="module")
def built(whole_book: SmallBook) -> dict[str, Page]:
    """The pages of the small book, built without the runtime."""
    return pages(whole_book)


@pytest.mark.book
def test_the_policy_is_the_same_on_pages_of_every_depth(built: dict[str, Page]) -> None:
    """Instant navigation keeps the policy of the page that was opened first."""
    assert {"index.html", "glossary/index.html", "part/01-one/index.html", "404.html"} <= built.keys()
    assert len({page.policies[0] for page in built.values()}) == 1


@pytest.mark.book
def test_it_stands_before_everything_that_loads(built: dict[str, Page]) -> None:
    for name, page in built.items():
        assert len(page.policies) == 1, name
        first = min(page.order.index(tag) for tag in ("script", "link", "style", "img", "body") if tag in page.order)
        assert page.order.index("policy") < first, name


@pytest.mark.book
def test_it_allows_the_scripts_that_stand_in_the_pages_and_no_others(built: dict[str, Page]) -> None:
    scripts = {script for page in built.values() for script in page.inline}
    assert len(scripts) > 1
    for page in built.values():
        assert all(allows(page, script) for script in scripts)
        hashes = [source for source in page.rules["script-src"] if source.startswith("'sha256-")]
        assert len(hashes) == len(scripts)
        assert not allows(page, "alert(1)")
        assert not {"'unsafe-inline'", "'unsafe-eval'", "data:", "https:", "*"} & set(page.rules["script-src"])


@pytest.mark.book
def test_nothing_is_loaded_from_or_sent_to_another_host_but_the_runtime_that_is_not_here(
    built: dict[str, Page],
) -> None:
    for page in built.values():
        assert page.rules["connect-src"] == ["'self'", CDN]
        assert page.rules["default-src"] == ["'self'"]
        for directive in ("object-src", "frame-src", "base-uri", "form-action"):
            assert page.rules[directive] == ["'none'"]
        assert page.rules["require-trusted-types-for"] == ["'script'"]
        assert page.rules["trusted-types"] == ["default", "book"]
        for directive, allowed in page.rules.items():
            others = {source for source in allowed if source not in OWN and not source.startswith("'sha256-")}
            assert others == ({CDN} if directive == "connect-src" else set()), directive


@pytest.mark.book
def test_with_the_runtime_here_a_page_may_connect_to_its_own_site_alone(built_book: SmallBook) -> None:
    for file in runtime.record()["files"]:
        package = Path("node_modules") / file["package"]
        built_book.write(str(package / file["path"]), "")
        built_book.write(str(package / "package.json"), json.dumps({"version": file["version"]}))
    assert built_book.build().returncode == 0
    found = pages(built_book)
    assert len(found) >= 5
    for page in found.values():
        assert page.rules["connect-src"] == ["'self'"]
        assert "jsdelivr" not in page.policies[0]
        assert "blob:" not in page.rules["script-src"]


@pytest.mark.book
def test_while_serving_the_script_that_reloads_the_page_may_run(built_book: SmallBook) -> None:
    running = Server(built_book.root)
    try:
        running.wait(lambda: "<pre>6\n</pre>" in running.page())
        with urllib.request.urlopen(running.address + "part/01-one/", timeout=5) as answer:
            page = Page(answer.read().decode())
    finally:
        running.process.terminate()
        running.process.wait(10)
    assert any("livereload(" in script for script in page.inline)
    allowed = page.rules["script-src"]
    assert "'unsafe-inline'" in allowed
    assert not any(source.startswith("'sha") for source in allowed)  # beside a hash a browser passes it over


def test_scripts_come_from_memory_only_where_the_runtime_comes_from_another_host() -> None:
    page = '<html><head><meta charset="utf-8"></head></html>'
    for host, expected in (("", {"worker-src"}), (CDN, {"worker-src", "script-src"})):
        rules = Page(with_policy(page, scripts=(), bases=["."], host=host, serving=False)).rules
        assert {directive for directive, allowed in rules.items() if "blob:" in allowed} == expected


def test_an_empty_script_of_another_site_is_not_allowed_by_a_rule_of_this_one() -> None:
    page = '<html><head><meta charset="utf-8"><script>go("..")</script></head></html>'
    policed = with_policy(page, scripts={'go("..")'}, bases=["."], host="", serving=False)
    assert re.sub(r"<meta http-equiv[^>]*>", "", policed) == page
    assert allows(Page(policed), 'go("..")')
    assert not allows(Page(policed), "")


TEMPLATE = (
    """<script>__md_scope=new URL("{{ base_url }}",location)</script> {% if x %}<script>go()</script>{% endif %}"""
)
OWN_SCRIPT = '<script>__md_scope=new URL("..",location)</script>'


@pytest.mark.parametrize("serving", [False, True])
@pytest.mark.parametrize(
    "brought",
    [
        "<script>alert(1)</script>",
        '<script>new URL("..",location);alert(1)</script>',
        "<script></script>",
        "<script>\n\n</script>",
    ],
)
def test_a_script_that_the_theme_does_not_have_is_refused(brought: str, serving: bool) -> None:
    scripts = scripts_of([TEMPLATE])
    page = f'<html><head><meta charset="utf-8">{OWN_SCRIPT}</head>'
    with_policy(page, scripts=scripts, bases=[".."], host="", serving=serving)
    with pytest.raises(UnknownScript, match="a page has a script that no template of the theme has"):
        with_policy(page + brought, scripts=scripts, bases=[".."], host="", serving=serving)


def test_the_themes_scripts_are_allowed_with_the_sites_root_in_each_way_to_name_it() -> None:
    page = f'<html><head><meta charset="utf-8">{OWN_SCRIPT}</head>'
    policed = Page(with_policy(page, scripts=scripts_of([TEMPLATE]), bases=["..", "."], host="", serving=False))
    assert allows(policed, '__md_scope=new URL(".",location)')
    assert allows(policed, '__md_scope=new URL("..",location)')
    assert not allows(policed, '__md_scope=new URL("https://example.org",location)')
    assert not allows(policed, "go()")  # of another page, which the theme could have and does not


BROUGHT = "<script>document.title='X'</script>"


class Elsewhere(HTMLParser):
    """What a finished page would load from another host: every address that is none of a link to be followed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        followed = tag == "a" or (tag == "link" and given.get("rel") in ("canonical", "prev", "next"))
        said = tag == "meta" and "http-equiv" not in given
        values = [value or "" for name, value in attrs if not (said or (followed and name == "href"))]
        named = [value for value in values if re.search(r"(?:^|[\s,('\"=])(?:https?:)?//\w", value)]
        self.loaded += [value for value in named if not value.startswith(("http://www.w3.org/", "default-src"))]


@pytest.mark.book
def test_a_title_and_a_description_are_words_and_nothing_else(built_book: SmallBook) -> None:
    """Of a chapter, of a part, of a page of docs/, and of a chapter that is only planned."""
    title = f'One & {BROUGHT} "Sums" &lt;'
    said = f'a " b > {BROUGHT}<img src=https://example.org/x>'
    header = (
        f"title: {json.dumps(title)}\ndescription: {json.dumps(said)}\nauthor: {json.dumps(said)}\ntemplate: x.html\n"
    )
    for name, old in [
        ("chapters/part/01-one.md", 'title: "One · Sums"\ndescription: "What a sum costs."\n'),
        ("chapters/part/index.md", "title: Part\ndescription: The part.\n"),
        ("docs/index.md", "title: Home\ndescription: Home.\n"),
    ]:
        built_book.replace(name, old, header)
    built_book.settings["nav"][0] = "index.md"
    built_book.save_settings()
    done = built_book.build()
    assert done.returncode == 0, done.stderr
    found = {path: (built_book.root / "site" / path).read_text(encoding="utf-8") for path in pages(built_book)}
    for path, text in found.items():
        assert BROUGHT not in text, path
        assert not Elsewhere(text).loaded, path
    for path in ("part/01-one/index.html", "part/index.html"):
        page = BeautifulSoup(found[path], "html.parser")
        assert page.title is not None
        assert page.title.text.startswith(title)
        assert [tag["content"] for tag in page.find_all("meta", attrs={"name": "description"})] == [said]
        assert [tag["content"] for tag in page.find_all("meta", property="og:description")] == [said]
        assert next(str(tag["content"]) for tag in page.find_all("meta", property="og:title")).startswith(title)
        header_topic = page.select_one('[data-md-component="header-topic"]')
        assert header_topic is not None
        assert header_topic.text.strip() == title
    links = BeautifulSoup(found["part/02-two/index.html"], "html.parser").select('a[href$="01-one/"]')
    assert title in {link.text.strip() for link in links}
