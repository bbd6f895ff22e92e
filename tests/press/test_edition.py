"""What is printed of a page, and the EPUB of a whole small site."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from full_disk import FullAfter
from small_site import CHAPTER, FOOT, HEAD, write_site

from press import edition as command
from press.edition import ROOT, Site
from press.editions import pdf
from press.editions.epub import write_epub
from press.editions.imprint import imprint
from press.editions.index import Chapter, index_of, index_section
from press.editions.pdf import book_document, chapter_document, document_html, numbered
from press.editions.printed import NoPage, Printed, asked, ids, link, notes_section, only, printed, xhtml
from press.making.live import live_html, live_modules
from snippets.live.declaring import LiveFigure

MOMENT = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
ADDRESS = "https://example.net/book/"
BY_HAND_WORDS = re.compile(r"\b(press|drag|slider|knob|button|turn (the|R)|try|change the|watch)\b", re.IGNORECASE)
BY_HAND = {"script", "form", "input", "button", "select", "textarea", "details", "summary", "iframe"}


def chapter(site: str = "", others: tuple[Printed, ...] = ()) -> Printed:
    """Return the small site's first chapter, printed with others."""
    page = printed(HEAD + CHAPTER + FOOT, "foundations/01-one/", name="01-one", live=site)
    link([page, *others], site=site)
    return page


def entries(name: str, anchor: str) -> Printed:
    text = f"{HEAD}<h1 id='{name}'>{name}</h1><h3 id='{anchor}'>{anchor}</h3><p>It.</p>{FOOT}"
    return printed(text, f"{name}/", name=name)


def found(tag: Tag, selector: str) -> Tag:
    [one] = tag.select(selector)
    return one


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(write_site(tmp_path), tmp_path, {})


def test_nothing_that_asks_for_a_hand_or_a_script_is_left() -> None:
    page = chapter()
    for part in page.all:
        for tag in part.find_all(True):
            assert tag.name not in BY_HAND
            assert not [name for name in tag.attrs if name.startswith(("on", "data-"))], tag
    text = page.body.get_text()
    for gone in ("navigation", "Download the notebook", "Solve it here", "Link to this setting", "your guess", "One#"):
        assert gone not in text
    assert not page.body.select(".only-dark, .exercise-board, .jp-OutputArea")


def test_what_only_a_hand_can_use_is_out_of_a_sentence() -> None:
    said = '<p>It is long<span class="by-hand">, and a press of the key prints it</span>.</p>'
    alone = '<p><span class="by-hand">Point at it.</span></p>'
    page = printed(f"{HEAD}<h1>2</h1>{said}{alone}{FOOT}", "b/", name="b")
    assert [line.get_text() for line in page.body.select("p")] == ["It is long."]


def test_a_solution_stands_apart_with_links_there_and_back_to_the_heading_of_its_exercise() -> None:
    page = chapter()
    assert page.answers is not None
    assert "1 < 2" in page.answers.get_text()
    [answers, solution] = page.body.select("p.to-answer")
    assert [answers.get_text(), solution.get_text()] == ["Answers", "Solution"]
    for line, said in ((answers, "Check yourself"), (solution, "Exercise 1 · Ring")):
        there = found(page.answers, f"h2[id='{str(found(line, 'a')['href'])[1:]}']")
        back = found(there, "a")
        assert there.get_text() == said
        assert found(page.body, f"[id='{str(back['href'])[1:]}']").get_text().rstrip("#") == said
    assert "Because." in page.answers.get_text()
    assert "Because." not in page.body.get_text()


def test_hints_stubs_and_folds_stand_open_in_boxes() -> None:
    page = chapter()
    assert [box.get_text() for box in page.body.select(".fold > .fold-title")] == ["Side road · A detour", "Deeper"]
    assert page.body.select(".fold .fold")
    assert "Count." in found(page.body, ".hint").get_text()
    assert "return 1 < 2" in found(page.body, ".stub").get_text()


def test_a_check_is_its_one_line_and_the_code_of_a_table_is_left_out() -> None:
    page = chapter()
    assert str(found(page.body, ".check")) == '<p class="check">✓ checked: <em>all</em> of it</p>'
    assert len(page.body.select("pre code")) == 2  # the cell that is shown, and the stub
    assert found(page.body, "pre.output").get_text() == "printed"


def test_a_guess_is_a_question_with_room_for_a_pencil() -> None:
    assert found(chapter().body, ".guess").get_text() == "Your guess. How long does it take? ………… s"
    options = printed(
        f"{HEAD}<h1>2</h1><div class='guess'><fieldset><legend>Which?</legend><label><input> ring</label>"
        f"<label><input> tree</label></fieldset></div>{FOOT}",
        "b/",
        name="b",
    )
    assert found(options.body, ".guess").get_text() == "Your guess. Which? ring · tree"


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_a_live_figure_keeps_picture_caption_and_numbers_and_says_where_it_lives(address: str) -> None:
    page = chapter(address)
    figure = found(page.body, "figure.live")
    assert found(figure, ".panels")["aria-label"] == "A ring of four"
    drawn = found(figure, "svg")
    assert drawn["viewBox"] == "0 0 80 40"
    assert "linearGradient" in str(drawn)
    assert "fill:#6b89f9" in str(drawn)
    caption = found(figure, "figcaption")
    assert caption.get_text() == (
        "Figure 2, live. A square is a rank. Grey ones wait. The question. Links are alike. Four ranks take 6 steps. "
        f"Set: Ranks R1: 4 · Kind: tree. It is live on the book's site{'7' * bool(address)}, where its values can be "
        "changed. Other settings: Eight: Twice as many. A pair: Only two."
    )
    if address:
        assert f"{ADDRESS}foundations/01-one/#figure-2" in page.notes
    else:
        assert not caption.select("a")


def test_a_second_setting_that_the_text_names_is_printed_from_what_the_build_has_drawn(site: Site) -> None:
    page = next(page for page in site.book().pages if page.name == "01-one")
    first, second = found(page.body, "figure.live"), found(page.body, "figure.live + figure")
    assert "Eight" not in first.get_text()
    assert found(second, ".panels")["aria-label"] == "A ring of eight"
    assert len(second.select("svg")) == 1  # without the narrow one, for phones
    assert found(second, "figcaption").get_text() == (
        "Figure 2, another setting. Eight. Twice as many. Eight ranks take 14 steps. "
        "Set: Ranks R1: 8 · Kind: tree · Whole: on. Other settings: A pair: Only two."
    )


def test_no_caption_or_notice_of_the_book_s_live_figures_asks_for_a_hand_on_paper() -> None:
    for module in live_modules(ROOT):
        for figure in vars(import_module(module)).values():
            if isinstance(figure, LiveFigure) and figure.module == module:
                shown = live_html(figure.described(), number=1, caption=figure.caption, code_url="", alone_url="")
                page = printed(f"{HEAD}<h1>1</h1>{shown}{FOOT}", "a/", name="a")
                assert not BY_HAND_WORDS.search(found(page.body, "figcaption").get_text()), figure.name


def test_a_sentence_that_needs_a_hand_stands_in_no_chapter_s_text_without_its_mark() -> None:
    marked = re.compile('<span class="by-hand">.*?</span>')
    for path in sorted((ROOT / "chapters").glob("*/*.md")):
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b[Pp]ress (the|Play|\*)|\b[Dd]rag the|\bslide \$", marked.sub("", text)), path.name


def test_what_is_hidden_on_a_page_is_not_printed() -> None:
    assert "Ampère" not in chapter().body.get_text()


def test_a_picture_is_the_light_one_with_its_text() -> None:
    page = chapter()
    picture = found(page.body, "img")
    assert (picture["src"], picture["alt"]) == ("01-one-figure-1-light.svg", "One block")
    assert set(page.pictures) == {"01-one-figure-1-light.svg"}


def test_addresses_of_other_sites_are_notes_each_once() -> None:
    page = chapter()
    assert page.notes == ["https://example.org/a?b=1&c=2", "https://example.org/b"]
    numbers = [note.get_text() for part in page.all for note in part.select("sup.note")]
    assert numbers == ["1", "1", "2"]
    notes = notes_section(page)
    assert notes is not None
    listed = {str(item["id"]): item.get_text() for item in notes.select("li")}
    for part in page.all:
        for note in part.select("sup.note a"):
            assert listed[str(note["href"])[1:]] == page.notes[int(note.get_text()) - 1]


def test_a_link_to_a_page_that_is_not_printed_is_text_or_a_note() -> None:
    alone = chapter()
    assert not [tag for tag in alone.body.select("a") if tag.get_text() in {"rank", "Kaplan 2020", "two", "total"}]
    published = chapter(ADDRESS)
    assert f"{ADDRESS}foundations/02-two/#the-question" in published.notes
    assert f"{ADDRESS}reference/sums/#total" in published.notes
    assert not [note for note in published.notes if "glossary" in note]  # a word in each line would be a note


def test_links_between_printed_pages_find_their_anchors(site: Site) -> None:
    for edition in (site.book(), *(site.chapter(entry) for entry in site.chapters)):
        parts = [part for page in edition.all for part in page.all]
        parts += [notes for page in edition.all if (notes := notes_section(page))]
        anchors = Counter(ids(parts))
        assert [anchor for anchor, times in anchors.items() if times > 1] == []
        led = {str(tag["href"]) for part in parts for tag in part.select("a[href^='#']")}
        assert {href[1:] for href in led} <= anchors.keys()
        assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", anchor) for anchor in anchors)
    assert "#p02-two--the-question" in {str(tag["href"]) for tag in site.book().pages[2].body.select("a")}


def test_the_book_is_in_the_order_of_its_contents_without_planned_chapters(site: Site) -> None:
    book = site.book()
    titles = ["About this book", "Part I · Foundations", "1 · One", "2 · Two"]
    assert [page.title for page in book.pages] == titles
    assert [page.level for page in book.pages] == [1, 1, 2, 2]
    assert [page.title for page in book.last] == ["Glossary", "References"]
    assert (book.title, book.author, book.rights) == ("A Small Book", "Its authors", "Text CC BY-SA 4.0")
    about = book.pages[0].body.get_text()
    assert "What carries it" in about
    assert "Press it." not in about


def test_a_chapter_brings_the_words_and_sources_that_it_names_and_no_others(site: Site) -> None:
    edition = site.chapter(site.chapters[0])
    assert [page.title for page in edition.last] == ["Glossary", "References"]
    words, sources = (page.body.get_text() for page in edition.last)
    assert "A process" in words
    assert "Ranks." not in words
    assert "https://example.org/kaplan" in sources
    assert "Not asked for." not in sources
    assert [page.title for page in site.chapter(site.chapters[1]).last] == []


def test_only_takes_entries_that_are_asked_for() -> None:
    page = entries("glossary", "rank")
    assert asked(printed(HEAD + CHAPTER + FOOT, "foundations/01-one/", name="01-one"), "term") == {"rank"}
    assert only(page, {"nothing"}) is None
    kept = only(page, {"rank", "nothing"})
    assert kept is not None
    assert kept.body.get_text(" ").split() == ["glossary", "rank", "It."]


def test_the_document_of_the_book_has_contents_heads_and_numbers(site: Site) -> None:
    numbers = {"p01-one": 7, "p02-two--the-question": 9}
    document = book_document(site.book())
    text = numbered(document_html(document, math_font=site.math_font), numbers)
    page = BeautifulSoup(text, "html.parser")
    listed = [line.get_text(" ") for line in page.select(".contents li")]
    assert "1 · One 7" in listed
    assert "Solutions and answers 0" in listed
    assert "two p. 9" in page.get_text()
    [solutions] = page.select(".piece:has(> #solutions)")  # all in one, so that a chapter's need not begin a page
    assert [heading.get_text() for heading in solutions.select("h2")] == ["1 · One"]
    assert [heading.get_text() for heading in solutions.select("h3")] == [
        "Check yourself p. 0",
        "Exercise 1 · Ring p. 0",
    ]
    assert '@top-left{content:"1 · One"}' in text
    last = ["Solutions and answers", "Glossary", "References", "Index"]
    assert [heading.get_text() for heading in page.select("h1")][-4:] == last
    assert "1 · One" in [heading.get_text() for heading in page.select("h2")]
    assert "The question" in [heading.get_text() for heading in page.select("h3")]
    assert not page.find_all("script")
    anchors = [str(tag["id"]) for tag in page.find_all(id=True)]
    assert len(anchors) == len(set(anchors))


def test_the_document_of_a_chapter_ends_with_its_solutions_and_sources(site: Site) -> None:
    document = chapter_document(site.chapter(site.chapters[0]))
    text = document_html(document, math_font=site.math_font)
    titles = [heading.get_text() for heading in BeautifulSoup(text, "html.parser").select("h1")]
    assert titles == ["1 · One", "Solutions and answers", "Glossary", "References"]
    assert document.title == "1 · One · A Small Book"


def test_mathematics_is_written_as_mathml_3_wants_it() -> None:
    page = BeautifulSoup(
        '<p><math><mfrac displaystyle="true"><mi>a</mi><mi>b</mi></mfrac></math>'
        '<math display="block"><mtable displaystyle="true" scriptlevel="0"><mtr></mtr></mtable></math>'
        '<math><msup><mi>a</mi><mtable displaystyle="false" scriptlevel="1"></mtable></msup></math></p>',
        "html.parser",
    )
    text = xhtml(found(page, "p"))
    assert '<mstyle displaystyle="true"><mfrac><mi>a</mi>' in text
    assert '<math display="block" xmlns="http://www.w3.org/1998/Math/MathML"><mtable displaystyle="true"><mtr>' in text
    assert '<mstyle scriptlevel="1"><mtable displaystyle="false">' in text


def test_the_index_has_terms_other_names_and_authors_where_the_book_says_them(site: Site) -> None:
    edition = site.book()
    entries = {entry.name: entry for entry in edition.index}
    assert list(entries) == ["Ampère", "Kaplan", "Rank", "Total"]  # no "how to count", which nobody looks up
    assert [(place.chapter, place.main) for place in entries["Rank"].places] == [("1", True)]
    assert (entries["Ampère"].see, entries["Ampère"].places[0].anchor) == ("One", "p01-one")
    assert not entries["Total"].see
    body = edition.pages[2].body
    for name, said in (("Rank", "rank"), ("Kaplan", "Kaplan 2020")):
        assert found(body, f"[id='{entries[name].places[0].anchor}']").get_text() == said
    assert "total" in found(body, f"[id='{entries['Total'].places[0].anchor}']").get_text()
    numbers = {entry.places[0].anchor: 40 + at for at, entry in enumerate(edition.index)}
    text = numbered(document_html(book_document(edition), math_font=site.math_font), numbers)
    [index] = BeautifulSoup(text, "html.parser").select("#index")
    lines = [line.get_text() for line in index.select("li")]
    assert lines == ["Ampère, see One, 40", "Kaplan, 41", "Rank, 42", "Total, 43"]
    assert [letter.get_text() for letter in index.select("h2")] == ["A", "K", "R", "T"]
    assert [link.get_text() for link in index.select("a.main")] == ["40", "42", "43"]


def test_an_entry_of_the_index_has_few_places_and_first_the_one_to_read() -> None:
    chapters = []
    for number in range(1, 10):
        heading = "<h2>Rank and file</h2>" if number == 8 else ""
        text = f"<section>{heading}<p><a class='term' href='#glossary--rank'>rank</a>{' rank' * number}</p></section>"
        body = found(BeautifulSoup(text, "html.parser"), "section")
        chapters.append(Chapter(f"p{number}", f"{number} · Title", body))
    [entry] = index_of(chapters, {"glossary--rank": "Rank"}, {})
    assert [place.chapter for place in entry.places] == ["4", "5", "6", "7", "8", "9"]
    assert [place.chapter for place in entry.places if place.main] == ["8"]
    assert found(chapters[7].body, "h2")["id"] == entry.places[4].anchor


def test_the_index_has_the_formulas_of_the_quick_reference_and_who_calls_them() -> None:
    texts = ["from snippets import ring_s", "ring_s(4)", "x = my_ring_s(4)", "print(ring_s(8))\nring_s(9)"]
    chapters = []
    for number, text in enumerate(texts, start=1):
        body = found(BeautifulSoup(f"<section><p>ring_s</p><pre>{text}</pre></section>", "html.parser"), "section")
        chapters.append(Chapter(f"p{number}", f"{number} · Title", body))
    name = '<p><code>ring_s</code> · chapter <a class="section" href="#p3">3</a></p>'  # as link() leaves it
    text = f"<section><div class='formula'>{name}<p><code>ring_s(2)</code></p></div><p class='formula'>-</p></section>"
    page = Chapter("quick", "Quick reference", found(BeautifulSoup(text, "html.parser"), "section"))
    [entry] = index_of(chapters, {}, {}, page)
    assert [(place.chapter, place.main) for place in entry.places] == [
        ("Quick reference", True),
        ("2", False),
        ("3", False),
        ("4", False),
    ]
    assert found(chapters[3].body, "pre")["id"] == entry.places[3].anchor
    assert entry.places[2].anchor == "p3"
    section = index_section([entry], lambda place: place.chapter, "")
    assert found(section, "li").decode_contents().startswith("<code>ring_s</code>, <a")


@pytest.mark.parametrize("repository", ["", "https://github.com/someone/book"])
def test_the_imprint_says_version_licence_how_to_cite_and_where_errors_go(tmp_path: Path, repository: str) -> None:
    folder = write_site(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")
    said = {"SOURCE_DATE_EPOCH": "1780000000", "BOOK_REPOSITORY": repository}
    edition = Site(folder, tmp_path, said).book()
    text = imprint(edition).get_text("\n")
    assert "Version 1.2.3, 2026-05-28" in text
    assert "Text CC BY-SA 4.0." in text
    assert "Its authors. A Small Book. Version 1.2.3, 2026." in text
    assert (f"{repository}/issues" in text) == bool(repository)
    assert "Version 1.2.3, 2026-05-28" in book_document(edition).first_pages
    write_epub(edition, tmp_path / "book.epub", modified=MOMENT)
    with zipfile.ZipFile(tmp_path / "book.epub") as epub:
        package = epub.read("book/content.opf").decode()
        assert '<meta property="schema:version">1.2.3</meta>' in package
        assert "<dc:date>2026-05-28</dc:date>" in package
        assert "Its authors. A Small Book." in epub.read("book/imprint.xhtml").decode()
        assert 'href="01-one.xhtml#' in epub.read("book/index.xhtml").decode()


# The EPUB -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def epub(site: Site, tmp_path: Path) -> zipfile.ZipFile:
    write_epub(site.book(), tmp_path / "book.epub", modified=MOMENT)
    return zipfile.ZipFile(tmp_path / "book.epub")


def pages_of(epub: zipfile.ZipFile) -> dict[str, ET.Element]:
    return {
        name.removeprefix("book/"): ET.fromstring(epub.read(name))
        for name in epub.namelist()
        if name.endswith((".xhtml", ".opf"))
    }


def test_no_anchor_stands_twice_in_the_whole_epub(epub: zipfile.ZipFile) -> None:
    anchors = Counter(
        tag.attrib["id"]
        for name, page in pages_of(epub).items()
        if "opf" not in name
        for tag in page.iter()
        if "id" in tag.attrib
    )
    assert [anchor for anchor, times in anchors.items() if times > 1] == []


def test_every_link_of_the_epub_leads_to_an_anchor_or_outside(epub: zipfile.ZipFile) -> None:
    pages = pages_of(epub)
    anchors = {
        f"{name}#{tag.attrib['id']}" for name, page in pages.items() for tag in page.iter() if "id" in tag.attrib
    }
    for name, page in pages.items():
        for tag in page.iter("{http://www.w3.org/1999/xhtml}a"):
            href = tag.attrib["href"]
            if not href.startswith("https://"):
                file, _, anchor = href.partition("#")
                assert f"{file or name}#{anchor}" in anchors if anchor else file in pages, f"{name}: {href}"


def test_the_epub_is_put_together_as_the_standard_says(epub: zipfile.ZipFile) -> None:
    first = epub.infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    assert epub.read("mimetype") == b"application/epub+zip"
    package = epub.read("book/content.opf").decode()
    listed = set(re.findall(r'<item id="i\d+" href="([^"]*)"', package))
    assert {f"book/{name}" for name in listed} | {"mimetype", "META-INF/container.xml", "book/content.opf"} == {
        *epub.namelist()
    }
    assert 'href="01-one.xhtml" media-type="application/xhtml+xml" properties="mathml svg"' in package
    assert 'href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"' in package
    assert 'properties="cover-image"' in package
    assert "<dc:language>en</dc:language>" in package
    assert "2026-11-23T08:00:00Z" in package
    assert "Open Font License" in epub.read("book/fonts/LICENCE.txt").decode()


def test_the_epub_s_contents_have_parts_with_their_chapters(epub: zipfile.ZipFile) -> None:
    names = re.findall(r"<(/?ol|a href=\"[^\"]*\")", epub.read("book/nav.xhtml").decode())
    assert " ".join(name.removeprefix('a href="').rstrip('"') for name in names) == (
        "ol about.xhtml foundations.xhtml ol 01-one.xhtml 02-two.xhtml /ol"
        " solutions.xhtml ol 01-one-solutions.xhtml /ol glossary.xhtml references.xhtml index.xhtml /ol"
    )


def test_on_a_dark_page_the_epub_can_be_read(epub: zipfile.ZipFile) -> None:
    """Letters of a picture are dark, so it has a ground; what has a ground says in which colour letters stand on it."""
    rules = re.findall(r"([^{}]*)\{([^{}]*)\}", epub.read("book/book.css").decode())
    grounds = {names.split("*/")[-1].strip(): rule for names, rule in rules if "background-color: #" in rule}
    assert "background-color: #ffffff" in grounds.pop("svg,\nimg")
    assert grounds
    assert [names for names, rule in grounds.items() if not re.search(r"^ *color: #", rule, re.MULTILINE)] == []


def test_pictures_keep_their_texts_in_the_epub(epub: zipfile.ZipFile) -> None:
    for name, page in pages_of(epub).items():
        for picture in page.iter("{http://www.w3.org/1999/xhtml}img"):
            assert picture.attrib["alt"], name
            assert f"book/{picture.attrib['src']}" in epub.namelist()
    assert b"<!DOCTYPE" not in epub.read("book/pictures/cover.svg")


def test_the_same_site_makes_the_same_epub(site: Site, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_epub(site.book(), tmp_path / name, modified=MOMENT)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


# What is wrong --------------------------------------------------------------------------------------------------------


def test_a_folder_without_a_site_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NoPage, match=r"index\.html does not exist: build the site first"):
        Site(tmp_path, tmp_path, {})
    with pytest.raises(SystemExit):
        command.main([str(tmp_path)])
    assert "build the site first" in capsys.readouterr().err


def test_a_chapter_that_the_site_lacks_is_refused(site: Site) -> None:
    (site.folder / "foundations/01-one/index.html").unlink()
    with pytest.raises(NoPage, match="01-one"):
        site.chapter(site.chapters[0])


def test_a_page_without_an_article_is_refused() -> None:
    with pytest.raises(NoPage, match="the page 'a/' has no article"):
        printed("<html><body>nothing</body></html>", "a/", name="a")


def test_a_chapter_that_is_only_planned_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main([str(write_site(tmp_path)), "--chapter", "3"], tmp_path)
    assert "the chapter must be one of chapters/contents.yml" in capsys.readouterr().err


def test_a_machine_that_cannot_print_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pdf, "why_not", lambda: "printing needs Chromium: install it")
    with pytest.raises(SystemExit):
        command.main([str(write_site(tmp_path)), "--out", str(tmp_path / "out")], tmp_path)
    assert "printing needs Chromium: install it" in capsys.readouterr().err


def test_a_time_that_is_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH must be a number of seconds since 1970, got 'today'"):
        Site(write_site(tmp_path), tmp_path, {"SOURCE_DATE_EPOCH": "today"})
    site = Site(tmp_path / "site", tmp_path, {"SOURCE_DATE_EPOCH": "0"})
    assert site.book().date == "1970-01-01"


class Printer:
    """A browser that is stopped while it prints."""

    def new_page(self, **_: object) -> Printer:
        return self

    def pdf(self, *, path: str, **_: object) -> None:
        Path(path).write_bytes(b"%PDF-1.4 the half of it")
        raise KeyboardInterrupt

    def evaluate(self, *_: object, **__: object) -> list[str]:
        return []

    set_default_timeout = emulate_media = goto = close = evaluate


def test_a_printing_that_is_stopped_leaves_the_pdf_as_it_was(site: Site, tmp_path: Path) -> None:
    (tmp_path / "two.pdf").write_bytes(b"good")
    document = chapter_document(site.chapter(site.chapters[0]))
    with pytest.raises(KeyboardInterrupt):
        pdf.write_pdf(document, tmp_path / "two.pdf", browser=Printer(), math_font=site.math_font)
    assert (tmp_path / "two.pdf").read_bytes() == b"good"
    assert not list(tmp_path.glob(".*"))


def test_an_epub_that_is_cut_off_leaves_the_old_one_as_it_was(
    site: Site, tmp_path: Path, full_after: FullAfter
) -> None:
    (tmp_path / "book.epub").write_bytes(b"good")
    with full_after(2_000), pytest.raises(OSError, match="File too large"):
        write_epub(site.book(), tmp_path / "book.epub", modified=MOMENT)
    assert (tmp_path / "book.epub").read_bytes() == b"good"
    assert not list(tmp_path.glob(".*"))


def test_the_command_says_in_a_sentence_that_it_was_stopped_or_that_the_disk_is_full(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(site.folder), "--out", str(tmp_path / "out")]

    def ends_with(error: BaseException) -> None:
        def make(*_: object, **__: object) -> list[str]:
            raise error

        monkeypatch.setattr(command, "make", make)

    ends_with(KeyboardInterrupt())
    assert command.main(arguments, site.root) == 130
    assert capsys.readouterr().err == "Stopped; the editions that were not finished are as they were.\n"
    ends_with(OSError(28, "No space left on device", "out/a.pdf"))
    with pytest.raises(SystemExit):
        command.main(arguments, site.root)
    assert "out/a.pdf cannot be written, for the disk is full" in capsys.readouterr().err


def test_a_title_cannot_end_the_style_sheet_of_a_printed_page() -> None:
    said = '2 < 3, "x" \\ </style><script>'
    rule = pdf._page_rule(0, said)
    assert "<" not in rule
    content = re.search(r'content:"([^"]*)"', rule)
    assert content is not None
    assert re.sub(r"\\([0-9a-f]+) ", lambda escape: chr(int(escape[1], 16)), content[1]) == said
