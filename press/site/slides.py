"""Makes a deck of slides of a chapter's finished page: for a lecture, with the chapter's prose as the speaker's notes.

What a chapter of this book has in one order, a deck shows in the same: the question with its guess, the sections of the
spine with their bold sentences, formulas and figures, the live figure, the answer, a claim that is wrong, a question of
the quiz, what to remember, where next. The deck stands beside the page and shows its files; it's shown by reveal.js.
Sizes are those of ``docs/stylesheets/slides.css``, of a slide of 1280 × 720.
"""

from __future__ import annotations

import functools
import html
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, PageElement, Tag  # comes with nbconvert
from jinja2 import Environment, FileSystemLoader

from press.site import runtime
from press.site.formula_size import Size, formula_size, without_full_stop
from press.site.policy import deck_policy

NAME = "slides.html"  # beside the chapter's page; the search reads the files called index.html
FEWEST, MOST = 10, 15  # slides of a deck
QUESTION, ANSWER = "the-question", "the-answer"
_NEEDED = ("## The question", "## The answer")
_OWN = ("stylesheets/slides.css", "javascripts/slides.js")
_TEMPLATES = Path(__file__).parents[1] / "templates" / "slides"
_WIDTH, _HEIGHT = 1180, 560  # pixels for what stands below a slide's title
_BESIDE = (720, 540)  # of a picture that stands beside its text
_ASIDES = ((420, _BESIDE, ""), (520, (620, 540), " roomy"))  # a column of text, the picture's box, their class
_LARGEST = 2.6  # times its size that a picture is drawn
_GAP = 16  # pixels between panels
_LINE, _LINE_LETTERS = 46, 62  # of a bold sentence: pixels, and letters across the slide
_FORMULA_SIZES = {"": 40, " wide": 34, " wider": 27}  # pixels of a formula's letters, by its class
_ASIDE_SIZES = {"": 30, " wide": 24}  # and beside a picture
_SURE = 1.1  # times as wide as a formula is taken to be, it still has room
_ASIDE_LINE, _ASIDE_LETTERS = 42, 24  # the same of a bold sentence beside a picture
_KEPT, _READABLE = 0.8, 1.6  # the share of a picture's size that a formula must leave; a size that is large enough
_CAPTION_LINE, _CAPTION_LETTERS = 32, 32  # and of a caption there
_BOLD = 340  # letters of a section's bold sentences
_CAPTION, _OPENING, _CLAIM, _POINTS = 170, 430, 560, 700  # letters that a slide has room for
_OPENING_ASIDE = 200
_SHORTEST_BOLD = 25  # letters; what is shorter is the name of a paragraph
_ASSUMED = 420  # letters of a question and its table together
_ANSWER = 150  # letters of the answer's bold sentences
_ROW, _ROW_GAP, _ROW_LETTERS = 36, 15, 76  # of a table: the pixels of a line and between rows, the letters of a row
_WIDE, _WIDER = 45, 75  # letters of a formula that is set smaller, and smaller still
_FORMULA_CLASS = re.compile(r'class="formula([^"]*)"')
_NOTED = ("p", "ul", "ol", "table", "blockquote", "math")
_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z\s])")
_OF_CLAIM = re.compile(
    r"<p>,?\s*(\([^()]*\)|[a-z][^<]*?(?=\.\s))\.?\s+(?=[^a-z\s])"
)  # who says so, how a claim goes on
_LEFT_OPEN = re.compile(r"(?<=[.!])\s[^.?!<]*\?\s*</p>$")  # a question whose answer there is no room for
_ENDED = re.compile(r"[.!?][)\"”’]?$")


@dataclass(frozen=True)
class About:
    """What a deck says of its chapter and of the book.

    Attributes:
        book: the book's name.
        authors: the book's.
        address: where the chapter is published, ``""`` if nobody has said so.
        part: the title of the chapter's part.
        root: the way from the chapter's page to the site's root, ``../../``.
    """

    book: str
    authors: str
    address: str
    part: str = ""
    root: str = ""


@dataclass(frozen=True)
class Section:
    """A section of a page: its anchor, the HTML of its heading, and what stands below it but for folds."""

    anchor: str
    heading: str
    body: Tag


@dataclass(frozen=True)
class Slide:
    """A slide: its kind (a class of the style sheet), title, content and notes, all but the kind HTML."""

    kind: str
    title: str
    content: str
    notes: str = ""
    light: bool = False  # whether it has neither figure nor table, so that two can share a slide


@dataclass
class Shown:
    """A picture's panels in rows, with what its width and height are together."""

    rows: list[list[tuple[Tag, float, float]]] = field(default_factory=list)

    @property
    def width(self) -> float:
        """The width of the widest row."""
        return max(sum(width for _, width, _ in row) + _GAP * (len(row) - 1) for row in self.rows)

    @property
    def height(self) -> float:
        """The height of all rows."""
        return sum(max(height for *_, height in row) for row in self.rows) + _GAP * (len(self.rows) - 1)

    def scale(self, width: float, height: float) -> float:
        """Return how many times its size it can be drawn in a box."""
        return min(width / self.width, height / self.height, _LARGEST)


@dataclass(frozen=True)
class Layout:
    """How a slide shows a figure: its rows, how many times its size, and the letters that its caption has room for."""

    shown: Shown
    scale: float
    caption: int
    kind: str = "pictured"  # the slide's: whether the figure stands below its text or beside it
    formula: str = ""  # the formula in the size that it has there


def has_deck(text: str) -> bool:
    """Say whether a deck can be made of a chapter, by its Markdown: it asks a question and answers it."""
    lines = {line.strip() for line in text.splitlines()}
    return all(heading in lines for heading in _NEEDED)


def head(way: str, *, here: bool, serving: bool) -> str:
    """Return the elements with which a deck begins: its policy, its styles, its scripts.

    Args:
        way: from the deck to the site's root, ``../../``.
        here: whether the site itself has reveal.js.
        serving: whether the site is served while somebody writes.
    """
    (inline,) = [file["inline"] for file in runtime.record()[runtime.SLIDES] if "inline" in file]
    elements = [deck_policy(host="" if here else runtime.CDN, inline=inline, serving=serving)]
    own = [f"{way}{name}" for name in ("assets/palette.css", "assets/math.css", *_OWN)]
    for url, integrity in [*runtime.slides_urls(way, here=here), *((url, "") for url in own)]:
        checked = f' integrity="{integrity}" crossorigin="anonymous"' if integrity else ""
        sheet = url.endswith(".css")
        elements.append(
            f'<link rel="stylesheet" href="{url}"{checked}>'
            if sheet
            else f'<script src="{url}"{checked} defer></script>'
        )
    return "\n".join(elements)


def deck_html(page: str, about: About, *, head: str) -> str:
    """Return the deck of a chapter.

    Args:
        page: the HTML of the chapter's finished page.
        about: what it says of the chapter and the book.
        head: the elements with which it begins.
    """
    body = BeautifulSoup(page, "html.parser")
    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=False, trim_blocks=True)
    escaped = About(**{name: html.escape(value) for name, value in asdict(about).items()})
    first = {"title": _title(body), "promise": _promise(body)}
    return environment.get_template("deck.html.j2").render(about=escaped, **first, slides=deck(body, about), head=head)


def _title(page: Tag) -> str:
    heading = page.find("h1")
    for link in heading.select(".headerlink") if isinstance(heading, Tag) else []:
        link.decompose()
    return html.escape(heading.get_text().strip(), quote=False) if isinstance(heading, Tag) else ""


def _promise(page: Tag) -> str:
    """Return the sentence below the title."""
    heading = page.find("h1")
    below = heading.find_next_sibling() if isinstance(heading, Tag) else None
    return _plain(below).decode_contents() if isinstance(below, Tag) and below.name == "p" else ""


def deck(page: Tag, about: About) -> list[Slide]:
    """Return the slides of a chapter but for the title's: with it at most ``MOST``."""
    parts = sections(page)
    order = list(parts)
    spine = [parts[anchor] for anchor in order[order.index(QUESTION) + 1 : order.index(ANSWER)]]
    questions = _quiz(parts["check-yourself"]) if "check-yourself" in parts else []
    below = [
        *_answer(parts[ANSWER], parts.get("for-the-70b-on-256-gpus")),
        *_wrong(parts.get("often-said-and-wrong")),
        *questions[:1],
        *_remember(parts.get("what-to-remember")),
        *_next(parts.get("exercises"), parts.get("where-next")),
    ]
    room = MOST - 2 - len(below)
    shown = _spine(spine, about, room)
    more = [*_real(parts.get("on-a-real-system")), *questions[1:2]][: room - len(shown)]
    for slide in more:
        below.insert(1 if slide.kind == "real" else below.index(questions[0]) + 1, slide)
    return [_question(parts[QUESTION]), *shown, *below]


def sections(page: Tag) -> dict[str, Section]:
    """Return the sections below a page's second headings, by their anchors, without folds, code and cells of checks.

    The page loses them: what is left out is taken out of it, and the rest moves.
    """
    for out in page.select("details:not(:has(> summary:-soup-contains('Answers'))), .highlight, [hidden]"):
        out.decompose()
    found = {}
    for heading in page.find_all("h2"):
        body = BeautifulSoup("", "html.parser").new_tag("div")
        for below in heading.find_next_siblings():
            if below.name == "h2":
                break
            body.append(below.extract())
        title = copy(heading)
        for link in title.select(".headerlink"):
            link.decompose()
        anchor = str(heading.get("id", ""))
        found[anchor] = Section(anchor, title.decode_contents().strip(), body)
    return found


def _spine(parts: Sequence[Section], about: About, room: int) -> list[Slide]:
    """Return the slides of the spine in as many as there is room for.

    Where there are too many, a live figure stands for the figure of its section; then two slides without a picture
    share one; then those are left out that have no picture, the last first.
    """
    slides = [_of_section(section, about) for section in parts]
    for number, section in enumerate(parts):
        if len(slides[number]) > 1 and sum(map(len, slides)) > room:
            slides[number] = _of_section(section, about, still=False)
    shown = [slide for several in slides for slide in several]
    while len(shown) > room:
        pairs = [place for place in range(len(shown) - 1) if shown[place].light and shown[place + 1].light]
        if pairs:
            shown[pairs[0] : pairs[0] + 2] = [_pair(*shown[pairs[0] : pairs[0] + 2])]
        else:
            shown.remove(min(reversed(shown), key=lambda slide: (slide.kind == "live", not slide.light)))
    return shown


def _pair(*slides: Slide) -> Slide:
    content = "".join(f'<div class="half"><h2>{slide.title}</h2>{slide.content}</div>' for slide in slides)
    return Slide("pair", "", content, "".join(slide.notes for slide in slides))


def _of_section(section: Section, about: About, *, still: bool = True) -> list[Slide]:
    """Return the slides of a section: one with its first figure, formula or table, one with its live figure."""
    notes, bold, formula = _notes(section.body), _bold(section), _formula(section.body)
    figure = section.body.select_one("figure.book-figure:not(.live)")
    live = section.body.select_one("figure.live")
    if live and (not still or not figure):
        return [_live(section.heading, live, bold, notes, about)]
    if figure:
        slides = [_pictured(section, figure, bold, formula, notes)]
        return [*slides, _live(section.heading, live, "", "", about)] if live else slides
    if table := _table(section.body, bold + formula):
        whole = "more row" not in table
        text = bold + formula * whole
        return [Slide("tabled", section.heading, text + (table if whole else _table(section.body, bold)), notes)]
    return [Slide("told", section.heading, bold + formula, notes, light=True)] if bold + formula else []


def _pictured(section: Section, figure: Tag, bold: str, formula: str, notes: str) -> Slide:
    """Return the slide of a figure: below its text or beside it, whichever shows it larger.

    A formula that takes much of the figure's size is left to the notes.
    """
    alone, together = _laid_out(figure, bold, ""), _laid_out(figure, bold, formula)
    layout = together if together.scale >= _KEPT * min(alone.scale, _READABLE) else alone
    said = f'<div class="said">{bold}{layout.formula}</div>' if bold or layout.formula else ""
    content = said + _picture(layout.shown, figure) + _caption(figure, layout.caption)
    return Slide(layout.kind, section.heading, content, notes)


def _laid_out(figure: Tag, bold: str, formula: str) -> Layout:
    """Return how a figure is largest with a text and a formula; a wide formula has no place beside it."""
    box = (_WIDTH, _HEIGHT - _height(bold + formula) - _LINE)
    shown = _arranged(figure, box)
    below = Layout(shown, shown.scale(*box), _CAPTION, formula=formula)
    asides = [(aside, size) for aside in _ASIDES for size in _ASIDE_SIZES if _has_room(formula, aside[0], size)]
    if not bold + formula or not asides:
        return below
    (column, box, roomy), size = asides[0]
    letters = _ASIDE_LETTERS * column / _ASIDES[0][0]
    taken = _formula_size(formula).height * _ASIDE_SIZES[size]
    lines = int((box[1] - _ASIDE_LINE * math.ceil(_letters(bold) / letters) - taken) // _CAPTION_LINE)
    shown = _arranged(figure, box)
    caption = min(_CAPTION, int(_CAPTION_LETTERS * lines * column / _ASIDES[0][0]))
    there = _FORMULA_CLASS.sub(f'class="formula{size}"', formula)
    beside = Layout(shown, shown.scale(*box), caption, f"beside{roomy}", there)
    return beside if lines > 0 and beside.scale > below.scale else below


def _has_room(formula: str, width: int, size: str) -> bool:
    return _formula_size(formula).width * _ASIDE_SIZES[size] * _SURE <= width


def _forms(figure: Tag) -> Iterator[list[tuple[Tag, float, float]]]:
    """Yield a figure's panels with width and height: those of the page, then those for phones if there are some."""
    panels = [panel for panel in figure.select(".panels svg.panel, .panels img") if "only-dark" not in _classes(panel)]
    for narrow in (False, True):
        form = [panel for panel in panels if ("narrow" in _classes(panel)) == narrow]
        if form:
            yield [(panel, _pixels(panel, "width"), _pixels(panel, "height")) for panel in form]


def _classes(tag: Tag) -> list[str]:
    return list(tag.get("class") or [])


def _pixels(panel: Tag, side: str) -> float:
    return float(re.sub(r"[^\d.]", "", str(panel[side])))


def _arranged(figure: Tag, box: tuple[float, float]) -> Shown:
    """Return the form and the rows of a figure's panels that are largest in a box."""
    ways = [
        Shown([panels[start : start + columns] for start in range(0, len(panels), columns)])
        for panels in _forms(figure)
        for columns in range(len(panels), 0, -1)
    ]
    return max(ways, key=lambda way: way.scale(*box))


def _picture(shown: Shown, figure: Tag) -> str:
    """Return panels that fill the box that their slide leaves them."""
    scale = f"min(100cqw / {shown.width:g}, 100cqh / {shown.height:g}, {_LARGEST}px)"
    rows = []
    for row in shown.rows:
        for panel, width, _ in row:
            panel["style"] = f"width:calc({scale} * {width:g})"
            for name in ("width", "height", "loading"):
                del panel[name]
        rows.append(f'<div class="row">{"".join(str(panel) for panel, *_ in row)}</div>')
    panels = figure.select_one(".panels")
    alt = html.escape(str(panels.get("aria-label", "")) if panels else "")
    return f'<div class="picture" role="img" aria-label="{alt}"><div class="rows">{"".join(rows)}</div></div>'


def _caption(figure: Tag, room: int) -> str:
    """Return the sentences with which a caption begins; nothing if there is not even room for the first."""
    caption = figure.find("figcaption")
    if not isinstance(caption, Tag):
        return ""
    said = _cut([node for node in _plain(caption).contents if getattr(node, "name", "") != "strong"], room)
    return f'<p class="caption">{said}</p>' if 0 < _letters(said) <= room else ""


def _live_title(figure: Tag) -> str:
    """Return the title of a live figure, which its knobs are named by."""
    form = figure.find("form")
    name = str(form.get("aria-label", "")) if isinstance(form, Tag) else ""
    return html.escape(name.partition(": ")[2] or str(figure["data-name"]))


def _live(heading: str, figure: Tag, bold: str, notes: str, about: About) -> Slide:
    """Return the slide of a live figure: its page in a frame; on paper its picture and where to find it."""
    place = f"{about.root}live/{html.escape(str(figure['data-name']))}/?theme=light&amp;slide"
    panels = "".join(str(panel) for panel in figure.select(".panels svg"))
    here = f"{about.address or './'}#{html.escape(str(figure['id']))}"
    named = here if about.address else "in the chapter"
    content = (
        f'{bold}<iframe title="{_live_title(figure)}" data-src="{place}"></iframe>'
        f'<div class="on-paper">{panels}<p>Live: <a href="{here}">{named}</a></p></div>'
    )
    said = figure.find("figcaption")
    caption = f"<p>{_plain(said).decode_contents()}</p>" if isinstance(said, Tag) else ""
    return Slide("live", heading, content, notes + caption)


def _question(section: Section) -> Slide:
    """Return the question as it begins, its figure or what is assumed, and what readers are asked to guess."""
    figure = section.body.select_one("figure.book-figure:not(.live)")
    opening = section.body.find("p", recursive=False)
    guess = section.body.select_one(".guess")
    asked = _guess(guess) if guess else ""
    room = (_OPENING_ASIDE if figure else _OPENING) - (_letters(asked) if "options" in asked else 0)
    said = f"<p>{_cut(_plain(opening).contents, room)}</p>" if isinstance(opening, Tag) else ""
    if figure:
        picture = _picture(_arranged(figure, _BESIDE), figure)
        return Slide(
            "beside question", section.heading, f'<div class="said">{said}{asked}</div>{picture}', _notes(section.body)
        )
    table = _table(section.body, "")
    assumed = table if _letters(said + table) <= _ASSUMED and "options" not in asked else ""
    return Slide("question", section.heading, said + assumed + asked, _notes(section.body))


def _guess(guess: Tag) -> str:
    """Return what readers are asked, with the options or a blank and its unit."""
    options = [html.escape(label.get_text(" ", strip=True)) for label in guess.select("fieldset label")]
    asked = guess.select_one("legend, label")
    unit = asked.span.extract().get_text(" ", strip=True) if asked and asked.span else ""
    said = html.escape(asked.get_text(" ", strip=True), quote=False) if asked else ""
    blank = f'<p class="blank">Your guess: <span></span> {html.escape(unit)}</p>'
    return f'<p class="asked">{said}</p>{_list(options, "options") or blank}'


def _answer(section: Section, box: Section | None) -> list[Slide]:
    """Return the answer: its bold sentence, its rows, and what the chapter says of the 70B."""
    rows = section.body.select_one(".answer-rows")
    for own in section.body.select(".own-guess"):
        own.decompose()
    content = _bold(section, _ANSWER) + (f'<div class="answers">{_bare(rows)}</div>' if rows else "")
    if box and (bold := _bold(box)):
        content += f'<div class="box"><p class="box-title">{box.heading}</p>{bold}</div>'
    return [Slide("answer", section.heading, content, _notes(section.body) + (_notes(box.body) if box else ""))]


def _real(section: Section | None) -> list[Slide]:
    bold = _bold(section) if section else ""
    if not section or not (table := _table(section.body, bold)):
        return []
    return [Slide("real", section.heading, bold + table, _notes(section.body))]


def _wrong(section: Section | None) -> list[Slide]:
    """Return the first claim that is often made, and then what is wrong with it."""
    claim = section.body.select_one(".admonition") if section else None
    if not section or not claim:
        return []
    title = claim.select_one(".admonition-title")
    if title and title.get_text().strip() == "Warning":  # then the claim is the text's bold beginning
        title.decompose()
        title = claim.find("strong")
        title = title.extract() if title else None
    paragraphs = [paragraph for paragraph in claim.find_all("p") if paragraph is not title]
    told, room = "", _CLAIM
    for paragraph in paragraphs:
        cut = _cut(_plain(paragraph).contents, room)
        told, room = told + (f"<p>{cut}</p>" if cut else ""), room - _letters(cut)
        if _letters(cut) < len(paragraph.get_text()) - 3:
            break
    told = _LEFT_OPEN.sub("</p>", told)
    of = _OF_CLAIM.match(told)
    told = f"<p>{told[of.end() :]}" if of else told
    whose = f'<p class="of">{of[1]}</p>' if of else ""
    said = f"<blockquote>{_plain(title).decode_contents()}{whose}</blockquote>" if title else ""
    return [Slide("wrong", section.heading, f'{said}<div class="fragment">{told}</div>', _notes(section.body))]


def _quiz(section: Section) -> list[Slide]:
    """Return a slide for each question of the quiz, the shortest first: its options, then the right one and why."""
    listed = section.body.select_one("ol.quiz")
    asked = listed.find_all("li", recursive=False) if listed else []
    right = str(listed["data-right"]) if listed else ""
    reasons = section.body.select("details > p")
    slides = [_asked(section, *each) for each in zip(asked, right, reasons, strict=False)]
    return sorted(slides, key=lambda slide: _letters(slide.content))


def _asked(section: Section, item: Tag, right: str, why: Tag) -> Slide:
    """Return the slide of a question; why the other options are wrong stands in its notes."""
    question, reason = _plain(item), _plain(why)
    options = [option.decode_contents() for option in question.select("ul > li")]
    for out in [*question.select("ul"), *reason.select("strong")[:1]]:  # the options, and the answer's number
        out.decompose()
    told = f'<div class="fragment why"><p><strong>({right})</strong> {_cut(reason.contents, _CLAIM)}</p></div>'
    content = f'<div class="asked">{question.decode_contents()}</div>{_list(options, "options")}{told}'
    others = why.find_next_sibling()
    return Slide("quiz", section.heading, content, str(_plain(others)) if isinstance(others, Tag) else "")


def _remember(section: Section | None) -> list[Slide]:
    points = [_plain(item).decode_contents() for item in section.body.select("ul > li")] if section else []
    if not section or not points:
        return []
    return [Slide("remember", section.heading, _list(_within(points, _POINTS), ""), _notes(section.body))]


def _next(exercises: Section | None, after: Section | None) -> list[Slide]:
    """Return the exercises by their titles, each with its link, and where the chapter sends its readers."""
    if not after:
        return []
    titles = []
    for heading in exercises.body.find_all("h3") if exercises else []:
        name = heading.get_text("", strip=True).rstrip("#").removeprefix("Exercise ")
        titles.append(f'<a href="./#{html.escape(str(heading.get("id", "")))}">{html.escape(name)}</a>')
    items = [copy(item) for item in after.body.select("ul > li")]
    for link in [link for item in items for link in item.find_all("a")]:
        link.attrs = {"href": _from_deck(str(link.get("href", "")))}
    pieces = [_cut(item.contents, _CAPTION) or item.decode_contents() for item in items]
    left = f"<div><h3>Exercises</h3>{_list(titles, 'exercises')}</div>" if titles else ""
    right = f"<div><h3>{after.heading}</h3>{_list(_within(pieces, _OPENING), '')}</div>"
    title = "Exercises and where next" if titles else after.heading
    return [Slide("next", title, f'<div class="columns">{left}{right}</div>', _notes(after.body))]


def _from_deck(address: str) -> str:
    """Return what a chapter's link is in the deck beside it."""
    return f"./{address}" if address.startswith("#") else address


def _bold(section: Section, room: int = _BOLD) -> str:
    """Return a section's bold sentences, each a paragraph: two if there is room."""
    heading = re.sub(r"<[^>]*>", "", section.heading)
    spoken = [
        strong
        for strong in section.body.find_all("strong")
        if not strong.find_parent(["li", "table", "figcaption", "details", "h3"])
        and len(strong.get_text()) >= _SHORTEST_BOLD
        and _ENDED.search(strong.get_text().strip())
        and strong.get_text().strip() != heading
    ]
    found = _within([_begun(_plain(strong).decode_contents()) for strong in spoken][:2], room)
    return "".join(f'<p class="bold">{sentence}</p>' for sentence in found)


def _begun(sentence: str) -> str:
    """Return a sentence with a capital; some are bold from their second half on."""
    return sentence[:1].upper() + sentence[1:]


def _formula(body: Tag) -> str:
    """Return a section's first numbered formula, else its first, without its number's anchor."""
    shown = [formula for formula in body.select(".math-display") if not formula.find_parent(["li", "figure"])]
    numbered = [formula for formula in shown if formula.select_one("mtd[id]")]
    if not shown:
        return ""
    formula = _bare((numbered or shown)[0])
    without_full_stop(formula)
    letters = _formula_letters(str(formula))
    size = " wider" if letters > _WIDER else " wide" if letters > _WIDE else ""
    return f'<div class="formula{size}">{formula.decode_contents()}</div>'


@functools.lru_cache(maxsize=64)  # a figure's layouts ask for one formula many times
def _formula_size(formula: str) -> Size:
    """Return about how large a formula is, in multiples of its letters' size."""
    return formula_size(BeautifulSoup(formula, "html.parser"))


def _formula_letters(formula: str) -> int:
    return len(re.sub(r"<[^>]*>|\s", "", formula))


def _table(body: Tag, text: str) -> str:
    """Return a section's first table with as many rows as there is room for below a text, ``""`` if it has none."""
    table = next((table for table in body.find_all("table") if not table.find_parent("figure")), None)
    if table is None:
        return ""
    table = _plain(table)
    room = _HEIGHT - _height(text) - 2 * _LINE - _row_height(table.select("thead th"))
    left = 0
    for number, row in enumerate(table.select("tbody > tr")):
        room -= _row_height(row.find_all(["th", "td"]))
        if number and (left or room < 0):
            row.decompose()
            left += 1
    more = f'<p class="caption">{left} more row{"s" * (left > 1)} in the chapter</p>' if left else ""
    return f'<div class="table">{table}</div>{more}'


def _row_height(cells: Sequence[Tag]) -> int:
    """Return about how many pixels a row takes, whose longest cells are divided into lines."""
    letters = [len(cell.get_text(" ", strip=True)) for cell in cells]
    widest = max(letters, default=0) * len(cells) / _ROW_LETTERS / 1.2
    return _ROW * math.ceil(max(sum(letters) / _ROW_LETTERS, widest, 1)) + _ROW_GAP


def _height(text: str) -> int:
    """Return about how many pixels bold sentences and a formula take across a slide."""
    sentences = re.findall(r'<p class="bold">(.*?)</p>', text, re.DOTALL)
    lines = sum(math.ceil(_letters(sentence) / _LINE_LETTERS) for sentence in sentences)
    formula = _FORMULA_CLASS.search(text)
    taken = _formula_size(text[formula.end() :]).height * _FORMULA_SIZES[formula[1]] + _GAP if formula else 0
    return _LINE * lines + math.ceil(taken)


def _notes(body: Tag) -> str:
    """Return the prose of a section, for the speaker."""
    pieces = []
    for piece in body.find_all(_NOTED):
        if not piece.find_parent([*_NOTED, "figure", "details"]) and not piece.find_parent(
            class_=["guess", "answer", "exercise"]
        ):
            pieces.append(str(_plain(piece)))
    return "".join(pieces)


def _plain(piece: Tag) -> Tag:
    """Return a copy without links and anchors: text that can stand anywhere."""
    plain = _bare(piece)
    for link in plain.find_all("a"):
        link.unwrap()
    return plain


def _bare(piece: Tag) -> Tag:
    """Return a copy without anchors, which may stand once in a document."""
    bare = copy(piece)
    for tag in [bare, *bare.find_all(id=True)]:
        tag.attrs.pop("id", None)
    return bare


def _letters(piece: str) -> int:
    return len(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", piece)))


def _within(pieces: Iterable[str], room: int) -> list[str]:
    """Return the first pieces that there is room for; the first in any case."""
    taken: list[str] = []
    for piece in pieces:
        room -= _letters(piece)
        if taken and room < 0:
            break
        taken.append(piece)
    return taken


def _list(items: Iterable[str], kind: str) -> str:
    listed = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="{kind}">{listed}</ul>' if listed else ""


def _cut(nodes: Sequence[PageElement], room: int) -> str:
    """Return the sentences with which a text begins and that there is room for; the first if it is too long."""
    taken = _within(list(_sentences(nodes)), room)
    return re.sub(r":$", ".", "".join(taken).strip())  # what it announced is not on the slide


def _sentences(nodes: Sequence[PageElement]) -> Iterator[str]:
    """Yield the sentences of a paragraph as HTML; what stands within a tag is not divided."""
    begun = ""
    for node in nodes:
        text = html.escape(node, quote=False) if isinstance(node, NavigableString) else str(node)
        if not isinstance(node, NavigableString):
            begun += text
            continue
        if _ENDED.search(re.sub(r"<[^>]*>", "", begun).strip()) and _END.match(f".{text}", 1):
            yield begun
            begun = ""
        *whole, rest = _END.split(text)
        for sentence in whole:
            yield f"{begun}{sentence} "
            begun = ""
        begun += rest
    if begun.strip():
        yield begun
