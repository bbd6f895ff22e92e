"""Makes a page that can be printed of a finished page of the site: the same HTML without what asks for a hand.

The article alone, without navigation. Folds stand open; what a live figure is on paper, ``live_on_paper`` says; a check
is its one line; solutions and the answers of quizzes are taken out, with links there and back; other sites' addresses
are numbered notes. Anchors are made unique in the book, so that all of it can be one document.
``press/editions/pdf.py`` and ``press/editions/epub.py`` put such pages together.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from bs4 import BeautifulSoup, Comment, Tag  # comes with nbconvert

from press.editions.elements import classes, having, leading, new
from press.editions.index import Indexed
from press.editions.live_on_paper import lay_down

ANSWERS = "Solutions and answers"
COVER = "assets/cover.svg"
_HERE = "https://book.invalid/"  # what addresses are resolved against; it never leaves this file
# The classes of what needs a hand, or a browser that remembers.
_OUT = frozenset(
    (
        *("chapter-tools", "cite", "headerlink", "only-dark", "narrow", "exercise-board"),
        *("exercise-bar", "exercise-paper", "own-board", "own-assignment", "own-guess", "cell-source", "by-hand"),
    )
)
_WRAPPERS = frozenset(("jp-OutputArea", "jp-OutputArea-child", "jp-RenderedSVG", "jp-RenderedHTML"))
_EMPTY = ("div", "p", "span")
_APART = {"Solution": "Solution", "Answers": "Answers"}  # the folds that are taken out, by their titles
_KEPT = frozenset(
    (
        *("id", "class", "href", "src", "alt", "width", "height", "style", "colspan", "rowspan", "scope", "role"),
        *("aria-label", "aria-hidden", "start", "type", "value"),
    )
)
# Names in SVG that the parser of HTML has made lower-case.
_CASED = {
    name.lower(): name
    for name in (
        *("viewBox", "preserveAspectRatio", "markerWidth", "markerHeight", "markerUnits", "refX", "refY", "pathLength"),
        *("gradientUnits", "gradientTransform", "patternUnits", "patternTransform", "patternContentUnits", "textPath"),
        *("clipPathUnits", "clipPath", "linearGradient", "radialGradient", "textLength", "lengthAdjust"),
    )
}
_COLOUR = re.compile(r"var\(--[\w-]+,\s*([^()]+)\)")
XHTML, MATHML, SVG = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/2000/svg",
)


class NoPage(ValueError):
    """The site lacks what an edition is made of; the message says what to do."""


@dataclass
class Printed:
    """A page of the book, ready to be printed.

    ``name`` is what its anchors begin with. ``answers`` are the solutions that were taken out, each with the heading of
    its exercise, and ``notes`` the addresses of other sites, in the order of their numbers.
    """

    name: str
    url: str
    title: str
    body: Tag
    answers: Tag | None = None
    notes: list[str] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, Path] = field(default_factory=dict)
    level: int = 1  # of its title: a part's is 1, a chapter's 2
    entries: bool = False  # whether it is a list of entries in the order of the alphabet
    whole: bool = True  # whether all of it is printed, so that a link into it has to lead somewhere

    @property
    def all(self) -> list[Tag]:
        """Its text, and what was taken out of it."""
        return [self.body, *([self.answers] if self.answers else [])]


@dataclass(frozen=True)
class Edition:
    """What is printed together, in its order, and what stands on its first page.

    ``pages`` are the parts and chapters, ``last`` what comes after their solutions. ``site`` is the site's folder,
    ``address`` where it is published and ``repository`` where errors are reported, ``""`` if nobody has said so;
    ``cover`` is what there is to see on the first page, ``date`` the day of printing, ``version`` the book's, ``""`` if
    it has none; ``index`` is what the index has.
    """

    title: str
    pages: Sequence[Printed]
    last: Sequence[Printed]
    site: Path
    address: str = ""
    description: str = ""
    author: str = ""
    rights: str = ""
    cover: str = ""
    date: str = ""
    version: str = ""
    repository: str = ""
    index: Sequence[Indexed] = ()

    @property
    def all(self) -> list[Printed]:
        """All its pages."""
        return [*self.pages, *self.last]


def anchor_of(name: str, anchor: str) -> str:
    """Return the anchor that a page's anchor has in the whole book.

    >>> anchor_of("22-zero", "eq:22-gather")
    'p22-zero--eq-22-gather'
    """
    whole = f"{name}--{anchor}" if anchor else name
    return re.sub(r"[^\w.-]", "-", f"p{whole}" if not whole[:1].isalpha() else whole)


def read_page(site: Path, url: str, *, name: str, drop: Sequence[str] = (), live: str = "") -> Printed:
    """Read a page of a built site, and make what is printed of it, but for its links.

    Args:
        site: the folder of the built site.
        url: of the page on the site, ``memory/22-zero/``.
        name: what its anchors begin with.
        drop: ids of headings whose sections are left out.
        live: the site's address, ``""`` if nobody has said it.

    Raises:
        NoPage: there is no such page.
    """
    path = site / url / "index.html"
    if not path.is_file():
        raise NoPage(f"{path} does not exist: build the site first (`mkdocs build`) and name its folder")
    return printed(path.read_text(encoding="utf-8"), url, name=name, folder=path.parent, drop=drop, live=live)


def printed(
    text: str, url: str, *, name: str, folder: Path = Path(), drop: Sequence[str] = (), live: str = ""
) -> Printed:
    """Make of a page's HTML what is printed of it, but for its links; ``read_page`` says what the arguments are.

    Raises:
        NoPage: it has no article.
    """
    first, last = text.find("<article"), text.rfind("</article>")
    article = BeautifulSoup(text[first : last + len("</article>")], "html.parser").find("article")
    if not isinstance(article, Tag):
        raise NoPage(
            f"the page {url or 'index.html'!r} has no article: is it a page of the book, built by `mkdocs build`?"
        )
    body = new("section")
    body.extend(list(article.children))
    for anchor in drop:
        _drop_section(body, anchor)
    for figure in having(body, "live"):
        lay_down(figure, folder, f"{live}{url}#{figure.get('id', '')}" if live else "")
    _take_away(body)
    _calm(body)
    page = Printed(name, url, _title(body), body)
    page.answers = _apart(body, page.title)
    _open_folds(page.all)
    _levels(body)
    _pictures(page, folder)
    _anchors(page)
    return page


def link(pages: Sequence[Printed], *, site: str = "", inline: Sequence[str] = ()) -> None:
    """Make the links of pages that are printed together lead where paper and a reading device can follow.

    A link to one of these pages becomes one to its anchor. One to another page of the site is a note, if the site's
    address is known, and plain text if it is not. One to another site is a note.

    Args:
        pages: all that are printed together.
        site: the site's address.
        inline: names of the pages that have addresses behind their links instead of notes.
    """
    within = {page.url: page for page in pages}
    for page in pages:
        for part in page.all:
            for found in part.find_all("a", href=True):
                _link(found, page, within, site=site, inline=page.name in inline)
        for part in page.all:
            _only_kept(part)


def only(page: Printed, wanted: Iterable[str]) -> Printed | None:
    """Return of a page of entries, the glossary say, its heading and the entries that are wanted, ``None`` without any.

    Args:
        page: it has not been linked yet.
        wanted: the entries' own anchors.
    """
    chosen = [page.body.find(id=page.anchors[anchor]) for anchor in sorted(set(wanted) & page.anchors.keys())]
    headings = [heading for heading in chosen if isinstance(heading, Tag) and heading.name in {"h2", "h3"}]
    title = page.body.find("h1")
    if not headings or not isinstance(title, Tag):
        return None
    body = new("section", id=str(page.body["id"]))
    body.append(title.extract())
    for heading in headings:
        entry = [heading]
        for following in heading.find_next_siblings():
            if re.fullmatch("h[1-6]", following.name):
                break
            entry.append(following)
        body.extend(entry)
    kept = set(ids([body]))
    anchors = {old: new for old, new in page.anchors.items() if new in kept}
    return Printed(
        page.name, page.url, page.title, body, anchors=anchors, pictures=page.pictures, entries=True, whole=False
    )


def asked(page: Printed, kind: str) -> set[str]:
    """Return the anchors that a page's links of a kind, ``term`` or ``source``, lead to; it has not been linked yet."""
    links = [found for part in page.all for found in part.find_all("a", class_=kind, href=True)]
    return {unquote(urldefrag(str(found["href"])).fragment) for found in links}


def notes_section(page: Printed) -> Tag | None:
    """Return the notes of a page as a section, ``None`` if it has none."""
    if not page.notes:
        return None
    section = new("section", **{"class": "notes"})
    heading = new("h2", **{"class": "level-2"})
    heading.string = "Addresses"
    listed = new("ol")
    for number, address in enumerate(page.notes, start=1):
        item = new("li", id=anchor_of(page.name, f"note-{number}"))
        item.append(leading(address, address))
        listed.append(item)
    section.extend([heading, listed])
    return section


def headed(section: Tag, title: str) -> Tag:
    """Return a section with a heading before what it has."""
    heading = new("h1", **{"class": "level-1"})
    heading.string = title
    section.insert(0, heading)
    return section


def answers_opening() -> Tag:
    """Return what stands before the solutions and answers of all chapters."""
    section = headed(new("section", id="solutions"), ANSWERS)
    said = new("p")
    said.string = "To each chapter's exercises and quiz, in the order of the chapters."
    section.append(said)
    return section


def xhtml(tag: Tag) -> str:
    """Return an element as XHTML."""
    tag = copy(tag)
    for found in tag.find_all(["math", "svg"]):
        found["xmlns"] = MATHML if found.name == "math" else SVG
        for styled in found.find_all(lambda part: "scriptlevel" in part.attrs or "displaystyle" in part.attrs):
            _restyle(styled)
    return str(tag.decode(formatter="minimal"))


def _restyle(found: Tag) -> None:
    """Say of a formula's element how it is set by one around it: EPUB has MathML 3, where few say it of themselves."""
    names: tuple[str, ...] = ("scriptlevel", "displaystyle")
    styles = {name: str(found.attrs.pop(name)) for name in names if name in found.attrs}
    if found.name == "mstyle":
        found.attrs |= styles
        return
    if found.name == "mtable":  # which may say the one of itself, and where it stands alone needs not say the other
        found.attrs |= {"displaystyle": styles.pop("displaystyle", "false")}
        if not found.find_parent(["msub", "msup", "msubsup", "mfrac", "munder", "mover", "munderover"]):
            return
    if styles:
        found.wrap(new("mstyle", **styles))


def ids(parts: Iterable[Tag]) -> list[str]:
    """Return the anchors of some elements, each as often as it stands there."""
    return [str(found["id"]) for part in parts for found in [part, *part.find_all(id=True)] if found.get("id")]


# What a page has ------------------------------------------------------------------------------------------------------


def _title(body: Tag) -> str:
    heading = body.find("h1")
    return " ".join(heading.get_text().split()) if heading else ""


def _drop_section(body: Tag, anchor: str) -> None:
    """Leave out a heading and all below it, up to the next one of its level."""
    heading = body.find(id=anchor)
    if not isinstance(heading, Tag):
        return
    for following in list(heading.find_next_siblings()):
        if following.name <= heading.name and re.fullmatch("h[1-6]", following.name):
            break
        following.decompose()
    heading.decompose()


def _take_away(body: Tag) -> None:
    for comment in body.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    gone = [*having(body, *_OUT), *body.find_all(["script", "template", "button"])]
    gone += body.find_all(hidden=True)
    gone += body.find_all(role="status") + body.find_all("img", src=re.compile(r"(^|/)cover\.svg$"))
    for found in gone:
        if not found.decomposed:
            found.decompose()
    for wrapper in having(body, *_WRAPPERS):
        wrapper.unwrap()
    for box in having(body, "jp-RenderedText"):
        for pre in box.find_all("pre", recursive=False):
            pre["class"] = "output"
        box.unwrap()


def _calm(body: Tag) -> None:
    """Make guesses and checks what they are on paper."""
    for check in having(body, "cell-check"):
        lines = [part for part in check.find_all(["summary", "p"]) if part.get_text().startswith("✓")]
        said = new("p", **{"class": "check"})
        for number, part in enumerate(lines):
            said.extend([" "] * bool(number) + list(part.children))
        check.replace_with(said)
    for guess in having(body, "guess"):
        guess.replace_with(_guess(guess))
    for field_ in body.find_all(["form", "input", "select", "textarea"]):
        if not field_.decomposed:
            field_.decompose()
    for empty in body.find_all(_EMPTY):
        if not empty.decomposed and not empty.get("id") and not empty.find(True) and not empty.get_text(strip=True):
            empty.decompose()
    for cell in having(body, "cell"):
        cell.unwrap()


def _guess(box: Tag) -> Tag:
    """Return the question that a field asks, with room for a pencil."""
    asked, fieldset, unit = box.find("legend") or box.find("label"), box.find("fieldset"), ""
    labels = fieldset.find_all("label") if isinstance(fieldset, Tag) else []
    options = [label.get_text(" ", strip=True) for label in labels]
    if isinstance(asked, Tag) and isinstance(span := asked.find("span"), Tag):
        unit = span.extract().get_text(strip=True)
    line = new("p", **{"class": "guess"})
    strong = new("strong")
    strong.string = "Your guess."
    text = asked.get_text(" ", strip=True) if isinstance(asked, Tag) else ""
    line.extend([strong, f" {text} "])
    line.append(" · ".join(options) if options else f"………… {unit}")
    return line


def _summary(fold: Tag) -> str:
    summary = fold.find("summary", recursive=False)
    return summary.get_text(" ", strip=True) if isinstance(summary, Tag) else ""


def _apart(body: Tag, title: str) -> Tag | None:
    """Take the solutions and answers out of a page, and leave links in their places."""
    answers = new("section", **{"class": "answers"})
    for number, fold in enumerate([fold for fold in body.find_all("details") if _summary(fold) in _APART], start=1):
        heading = fold.find_previous(re.compile("^h[1-6]$"))
        said = " ".join(heading.get_text().split()) if heading else title
        there, back = f"answer-{number}", f"to-answer-{number}"
        line = new("p", **{"class": "to-answer"}, id=back)
        line.append(leading(f"#{there}", _APART[_summary(fold)], "to-answer"))
        above = new("h2", **{"class": "level-2"}, id=there)
        home = str(heading["id"]) if heading and heading.get("id") else back
        above.append(leading(f"#{home}", said, "back"))
        fold.replace_with(line)
        answers.append(above)
        summary = fold.find("summary", recursive=False)
        answers.extend([child for child in list(fold.children) if child is not summary])
    return answers if answers.find(True) else None


def _open_folds(parts: Iterable[Tag]) -> None:
    for part in parts:
        for fold in part.find_all("details"):
            said = _summary(fold)
            kind = "hint" if said.startswith("Hint") else "stub" if "exercise-stub" in classes(fold) else "fold"
            fold.name = "div"
            fold["class"] = kind
            summary = fold.find("summary", recursive=False)
            if isinstance(summary, Tag):
                summary.name = "p"
                summary["class"] = "fold-title"


def _levels(body: Tag) -> None:
    for heading in body.find_all(re.compile("^h[1-6]$")):
        heading["class"] = " ".join([*classes(heading), f"level-{heading.name[1]}"])


def _pictures(page: Printed, folder: Path) -> None:
    """Give the pictures that are files names of their own, and those in the page the colours of paper."""
    for part in page.all:
        for picture in part.find_all("img", src=True):
            path = Path(posixpath.normpath((folder / unquote(str(picture["src"]))).as_posix()))
            kept = f"{page.name}-{path.name}"
            page.pictures[kept] = path
            picture["src"] = kept
        for drawn in part.find_all("svg"):
            for found in [drawn, *drawn.find_all(True)]:
                found.name = _CASED.get(found.name, found.name)
                found.attrs = {
                    _CASED.get(key, key): _COLOUR.sub(r"\1", value) if isinstance(value, str) else value
                    for key, value in found.attrs.items()
                }
                if found.name == "style" and found.string:
                    found.string = _COLOUR.sub(r"\1", found.string)


def _anchors(page: Printed) -> None:
    """Make the anchors of a page unique in the book, and note where each of its own has gone."""
    page.body["id"] = anchor_of(page.name, "")
    page.anchors[""] = str(page.body["id"])
    heading = page.body.find("h1")
    if isinstance(heading, Tag) and heading.get("id"):
        page.anchors[str(heading["id"])] = str(page.body["id"])
        del heading["id"]
    if page.answers:
        page.answers["id"] = anchor_of(page.name, "answers")
    for part in page.all:
        for found in part.find_all(id=True):
            old = str(found["id"])
            found["id"] = page.anchors[old] = anchor_of(page.name, old)


# Links ----------------------------------------------------------------------------------------------------------------


def _link(found: Tag, page: Printed, within: Mapping[str, Printed], *, site: str, inline: bool) -> None:
    whole = urljoin(f"{_HERE}{page.url}", str(found["href"]))
    kind = [name for name in classes(found) if name in {"term", "source", "back", "to-answer"}]
    if whole.startswith(_HERE):
        address, anchor = urldefrag(whole)
        url = re.sub(r"(^|/)index\.html$", r"\1", address.removeprefix(_HERE))
        target = within.get(url)
        if target and not target.whole and unquote(anchor) not in target.anchors:
            found.unwrap()
            return
        if target:
            there = target.anchors.get(unquote(anchor), target.anchors[""])
            found.attrs = {"href": f"#{there}", "class": " ".join(kind) or "section"}
            return
        if not site or "term" in kind or "living" in kind:
            found.unwrap()
            return
        whole = f"{site}{whole.removeprefix(_HERE)}"
    if urlsplit(whole).scheme not in {"http", "https"}:
        found.unwrap()
        return
    found.attrs = {"href": whole, "class": "outside"}
    said = found.get_text().strip()
    if said == whole:
        return
    if inline:
        behind = new("span", **{"class": "address"})
        behind.append(f" ({whole})")
        if said.rstrip("/") != re.sub(r"^https?://(www\.)?", "", whole).rstrip("/"):
            found.insert_after(behind)
        else:
            found.string = whole
        return
    if whole not in page.notes:
        page.notes.append(whole)
    number = page.notes.index(whole) + 1
    raised = new("sup", **{"class": "note"})
    raised.append(leading(f"#{anchor_of(page.name, f'note-{number}')}", str(number), "note"))
    found.insert_after(raised)


def _only_kept(part: Tag) -> None:
    """Leave the attributes that something printed has a use for; MathML and SVG have none that could be wrong."""
    drawn = {id(found) for root in part.find_all(["math", "svg"]) for found in [root, *root.find_all(True)]}
    for found in [part, *part.find_all(True)]:
        if id(found) in drawn:
            kept = {key: value for key, value in found.attrs.items() if not key.startswith(("on", "data-"))}
        else:
            kept = {key: value for key, value in found.attrs.items() if key in _KEPT and value not in ("", [])}
        if found.name == "img":
            kept.setdefault("alt", "")
        found.attrs = kept
