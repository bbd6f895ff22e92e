"""The slides of a chapter: what of its page they show, in which order, how much of it, and what they may load."""

from __future__ import annotations

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup

from press.reading.contents import Entry, Part
from press.site import runtime
from press.site.collected import all_decks
from press.site.slides import MOST, About, Slide, deck, deck_html, has_deck, head, sections

ABOUT = About("A Book", "Its authors", "", part="Moving things", root="../../")
PANEL = '<svg class="panel{form}" width="{width}" height="{height}" viewbox="0 0 {width} {height}"></svg>'
MATH = (
    '<div class="math-display"><math display="block"><mtable><mtr><mtd><mi>{letters}</mi></mtd>'
    '<mtd id="eq:{name}"><mtext>(1)</mtext></mtd></mtr></mtable></math></div>'
)
LIVE = (
    '<figure class="book-figure live" id="figure-7" data-name="stepper">'
    '<form aria-label="Settings of figure 7: Step it"></form>'
    '<div class="panels"><svg width="340" height="200"></svg></div>'
    "<figcaption><strong>Figure 7, live.</strong> One step after the other.</figcaption></figure>"
)
QUESTION = (
    '<h2 id="the-question">The question<a class="headerlink" href="#the-question">#</a></h2>'
    '<p>256 GPUs hold <a href="#x">10 GB</a> each. They add it up.</p>'
    '<div class="guess"><fieldset><legend>How long?</legend><label><input> a day</label><label><input> a week</label>'
    "</fieldset></div>"
)
ANSWER = (
    '<h2 id="the-answer">The answer</h2><p><strong>A ring takes half a second for it.</strong> And more.</p>'
    '<table class="answer-rows"><tr class="own-guess"><th>your guess</th><td>none</td></tr>'
    "<tr><th>ring</th><td>0.501 s</td></tr></table>"
    '<h2 id="for-the-70b-on-256-gpus">For the 70B</h2><p><strong>Send at least a whole layer as a message.</strong></p>'
    '<h2 id="on-a-real-system">On a real system</h2><table><thead><tr><th>x</th></tr></thead>'
    "<tbody><tr><td>1</td></tr></tbody></table>"
    '<h2 id="often-said-and-wrong">Often said, and wrong</h2><div class="admonition"><p class="admonition-title">"It'
    ' is free"</p><p>It costs as much as this:</p></div>'
    '<h2 id="what-to-remember">What to remember</h2><ul><li>Count twice.</li></ul>'
    '<h2 id="check-yourself">Check yourself</h2><ol class="quiz" data-right="ba">'
    "<li>Which of the two is the longer question?<ul><li>(a) One.</li><li>(b) Two.</li></ul></li>"
    "<li>Which?<ul><li>(a) This.</li><li>(b) That.</li></ul></li></ol>"
    "<details><summary>Answers</summary><p><strong>1 (b).</strong> Because of it.</p><ul><li>(a) Not so.</li></ul>"
    "<p><strong>2 (a).</strong> It is so.</p><ul><li>(b) It never was.</li></ul></details>"
    '<h2 id="exercises">Exercises</h2>'
    '<h3 id="exercise-1-add">Exercise 1 · Add<a class="headerlink" href="#e">#</a></h3>'
    '<h2 id="where-next">Where next</h2><ul><li><a href="../14-costs/">Chapter 14</a> goes on. And on.</li></ul>'
)


def section(name: str, body: str) -> str:
    return f'<h2 id="{name}">{name.capitalize()}</h2>{body}'


def figure(*panels: str, caption: str = "All of it. And the rest.") -> str:
    return (
        f'<figure class="book-figure" id="figure-1"><div class="panels" aria-label="A ring">{"".join(panels)}</div>'
        f"<figcaption><strong>Figure 1.</strong> {caption}</figcaption></figure>"
    )


def panel(width: int, height: int, form: str = "") -> str:
    return PANEL.format(width=width, height=height, form=f" {form}" * bool(form))


def bold(text: str = "A sentence that is long enough to be said.") -> str:
    return f"<p>Before it. <strong>{text}</strong> Behind it.</p>"


def page(*spine: str) -> str:
    return f'<h1 id="13">13 · Ring<a class="headerlink">#</a></h1><p>Build it.</p>{QUESTION}{"".join(spine)}{ANSWER}'


def made(*spine: str) -> list[Slide]:
    return deck(BeautifulSoup(page(*spine), "html.parser"), ABOUT)


def kinds(slides: list[Slide]) -> list[str]:
    return [slide.kind for slide in slides]


def slide_of(kind: str, *spine: str) -> Slide:
    return next(slide for slide in made(*spine) if slide.kind == kind)


def text(piece: str) -> str:
    return re.sub(r"\s+", " ", BeautifulSoup(piece, "html.parser").get_text(" ")).strip()


def test_a_deck_goes_through_the_chapter_in_its_order() -> None:
    spine = [section("one", bold() + figure(panel(640, 300))), section("two", bold() + LIVE)]
    below = ["answer", "real", "wrong", "quiz", "quiz", "remember", "next"]
    assert kinds(made(*spine)) == ["question", "pictured", "live", *below]


def test_the_question_shows_its_beginning_and_what_is_to_be_guessed() -> None:
    said = text(slide_of("question").content)
    assert said == "256 GPUs hold 10 GB each. They add it up. How long? a day a week"


def test_a_guess_that_is_a_number_has_a_blank_with_its_unit() -> None:
    asked = '<div class="guess"><label>How long? <span><input> s</span></label></div>'
    body = BeautifulSoup(re.sub(r'<div class="guess">.*?</div>', asked, page()), "html.parser")
    assert text(deck(body, ABOUT)[0].content).endswith("How long? Your guess: s")


def test_a_section_shows_its_bold_sentence_and_its_first_figure() -> None:
    shown = slide_of("pictured", section("one", bold() + figure(panel(640, 200)) + figure(panel(99, 99))))
    assert text(shown.content) == "A sentence that is long enough to be said. All of it. And the rest."
    assert shown.content.count("<svg") == 1
    assert "Behind it." in shown.notes


@pytest.mark.parametrize("word", ["Level:", "Short.", "No sentence, but a long name of something"])
def test_what_is_bold_and_no_sentence_is_not_shown(word: str) -> None:
    assert text(slide_of("pictured", section("one", bold(word) + figure(panel(640, 200)))).content).startswith("All of")


def test_a_sentence_whose_beginning_is_not_bold_has_a_capital() -> None:
    assert '<p class="bold">What' in slide_of("told", section("one", bold("what is said here is long enough."))).content


def test_a_tall_figure_stands_beside_its_text_and_a_wide_one_below() -> None:
    assert kinds(made(section("one", bold() + figure(panel(300, 300)))))[1] == "beside"
    assert kinds(made(section("one", bold() + figure(panel(690, 200)))))[1] == "pictured"


def test_panels_stand_in_the_rows_that_make_them_largest() -> None:
    four = slide_of("pictured", section("one", figure(*[panel(160, 160)] * 4))).content
    six = slide_of("pictured", section("one", figure(*[panel(300, 150)] * 6))).content
    assert [len(row.select("svg")) for row in BeautifulSoup(four, "html.parser").select(".row")] == [4]
    assert [len(row.select("svg")) for row in BeautifulSoup(six, "html.parser").select(".row")] == [3, 3]


def test_the_form_of_a_figure_is_the_one_that_can_be_drawn_larger() -> None:
    chart = section("one", bold() + figure(panel(640, 420), panel(340, 300, "narrow")))
    assert 'class="panel narrow"' in slide_of("beside", chart).content
    flat = section("one", bold() + figure(panel(640, 150), panel(340, 400, "narrow")))
    assert "narrow" not in slide_of("pictured", flat).content


def test_a_formula_that_leaves_its_figure_no_room_stands_in_the_notes() -> None:
    formula = MATH.format(letters="x" * 50, name="long")
    tight = slide_of("beside", section("one", bold("A long sentence." * 12) + formula + figure(panel(800, 500))))
    assert "formula" not in tight.content
    assert "x" * 50 in tight.notes
    flat = slide_of("pictured", section("one", bold() + formula + figure(panel(640, 120))))
    assert "formula" in flat.content


def test_a_wide_formula_beside_a_figure_is_set_smaller_then_has_a_wider_column() -> None:
    def shown(letters: int) -> Slide:
        formula = MATH.format(letters="x" * letters, name="one")
        return made(section("one", bold() + formula + figure(panel(300, 420))))[1]

    assert [shown(letters).kind for letters in (10, 20, 28)] == ["beside", "beside", "beside roomy"]
    assert 'class="formula"' in shown(10).content
    assert 'class="formula wide"' in shown(20).content
    assert "formula" not in shown(40).content


def test_a_formula_ends_without_the_mark_of_its_sentence() -> None:
    assert text(slide_of("told", section("one", MATH.format(letters="T = x.", name="one"))).content) == "T = x (1)"


def test_a_long_table_is_cut_and_says_so() -> None:
    rows = "".join(f"<tr><td>row {number}</td></tr>" for number in range(9))
    shown = text(slide_of("tabled", section("one", f"{bold()}<table><tbody>{rows}</tbody></table>")).content)
    assert "row 6" in shown
    assert "row 7" not in shown
    assert "2 more rows in the chapter" in shown


def test_a_live_figure_is_shown_alive_and_on_paper_by_its_picture() -> None:
    shown = slide_of("live", section("one", bold() + LIVE))
    frame = BeautifulSoup(shown.content, "html.parser").iframe
    assert frame
    assert frame["data-src"] == "../../live/stepper/?theme=light&slide"
    assert frame["title"] == "Step it"
    assert '<div class="on-paper"><svg' in shown.content
    assert 'href="./#figure-7"' in shown.content
    assert "A sentence that is long" in shown.content


def test_a_live_figure_beside_a_figure_of_its_section_has_a_slide_of_its_own() -> None:
    slides = made(section("one", bold() + figure(panel(640, 200)) + LIVE))
    assert [(slide.kind, slide.title) for slide in slides[1:3]] == [("pictured", "One"), ("live", "One")]


def test_the_answer_shows_the_models_without_the_readers_guess_and_the_70b() -> None:
    said = text(slide_of("answer").content)
    assert (
        said == "A ring takes half a second for it. ring 0.501 s For the 70B Send at least a whole layer as a message."
    )


def test_a_claim_is_answered_after_a_step() -> None:
    claim = BeautifulSoup(slide_of("wrong").content, "html.parser")
    assert claim.blockquote
    assert claim.blockquote.get_text() == '"It is free"'
    assert [part.get_text() for part in claim.select(".fragment")] == ["It costs as much as this."]


def test_a_claim_without_a_title_is_its_bold_beginning() -> None:
    untitled = '<p class="admonition-title">Warning</p><p><strong>"It is free"</strong> It costs.</p>'
    body = re.sub(r'<p class="admonition-title">.*?this:</p>', untitled, page())
    shown = next(slide for slide in deck(BeautifulSoup(body, "html.parser"), ABOUT) if slide.kind == "wrong")
    assert text(shown.content) == '"It is free" It costs.'


@pytest.mark.parametrize(
    ("begun", "of"),
    [("(<a>A blog</a> on rings)", "(A blog on rings)"), (", of a cluster (A blog).", "of a cluster (A blog)")],
)
def test_who_makes_a_claim_stands_below_it_and_no_question_is_left_open(begun: str, of: str) -> None:
    told = f"<p>{begun} That holds for large messages. Does it for small ones?</p>"
    body = page().replace("<p>It costs as much as this:</p>", told)
    shown = next(slide for slide in deck(BeautifulSoup(body, "html.parser"), ABOUT) if slide.kind == "wrong")
    claim = BeautifulSoup(shown.content, "html.parser")
    assert [part.get_text() for part in claim.select("blockquote .of")] == [of]
    assert [part.get_text() for part in claim.select(".fragment")] == ["That holds for large messages."]


def test_the_shortest_question_of_the_quiz_comes_first_and_its_answer_after_a_step() -> None:
    first, second = (slide for slide in made() if slide.kind == "quiz")
    assert text(first.content) == "Which? (a) This. (b) That. (a) It is so."
    assert text(first.notes) == "(b) It never was."
    assert text(second.content).endswith("(b) Because of it.")
    assert BeautifulSoup(first.content, "html.parser").select(".fragment")[0].get_text() == "(a) It is so."


def test_the_last_slide_leads_to_the_exercises_and_to_other_chapters() -> None:
    links = BeautifulSoup(slide_of("next").content, "html.parser").find_all("a")
    assert [(link["href"], link.get_text()) for link in links] == [
        ("./#exercise-1-add", "1 · Add"),
        ("../14-costs/", "Chapter 14"),
    ]


def test_of_many_sections_two_without_a_picture_share_a_slide() -> None:
    spine = [section(f"s{number}", bold() + figure(panel(640, 200))) for number in range(7)]
    slides = made(*spine, section("told-1", bold()), section("told-2", bold()))
    assert len(slides) == MOST - 1
    (pair,) = (slide for slide in slides if slide.kind == "pair")
    assert "Told-1" in pair.content
    assert "Told-2" in pair.content
    assert not pair.title


def test_of_many_sections_a_live_figure_stands_for_the_figure_of_its_section() -> None:
    spine = [section(f"s{number}", bold() + figure(panel(640, 200))) for number in range(7)]
    slides = made(*spine, section("live", bold() + figure(panel(640, 200)) + LIVE))
    assert kinds(slides).count("live") == 1
    assert kinds(slides).count("pictured") == 7
    assert "A sentence that is long" in next(slide.content for slide in slides if slide.kind == "live")


def test_more_sections_than_slides_lose_the_last_without_a_picture() -> None:
    spine = [section(f"s{number}", bold() + figure(panel(640, 200))) for number in range(9)]
    slides = made(*spine[:4], section("told", bold()), *spine[4:])
    assert len(slides) == MOST - 1
    assert "Told" not in [slide.title for slide in slides]


def test_a_deck_is_a_document_of_its_own_that_is_not_to_be_found() -> None:
    about = About("A & B", "Its authors", "https://example.org/13/", part="One", root="../../")
    text = deck_html(page(section("one", bold() + figure(panel(640, 200)))), about, head="<!--head-->")
    document = BeautifulSoup(text, "html.parser")
    assert document.title
    assert document.title.get_text() == "Slides: 13 · Ring · A & B"
    assert document.select_one('meta[name="robots"]')["content"] == "noindex"  # type: ignore[index]
    assert document.select_one('link[rel="canonical"]')["href"] == "https://example.org/13/"  # type: ignore[index]
    ids = [tag["id"] for tag in document.find_all(id=True)]
    assert ids == []
    assert "CC BY-SA 4.0" in text
    assert "article" not in {tag.name for tag in document.find_all(True)}


def test_what_shows_a_deck_comes_from_the_site_or_is_checked() -> None:
    here, elsewhere = (head("../../", here=here, serving=False) for here in (True, False))
    assert "https:" not in here
    assert here.count("assets/runtime/reveal.js@") == 3
    assert elsewhere.count('integrity="sha384-') == elsewhere.count(f'"{runtime.CDN}/npm/reveal.js@') == 3


def test_a_deck_may_run_the_sites_scripts_and_show_its_pages_and_nothing_else() -> None:
    rules = _rules(head("../../", here=True, serving=False))
    (inline,) = (file["inline"] for file in runtime.record()["slides"] if "inline" in file)
    assert rules["default-src"] == ["'none'"]
    assert rules["frame-src"] == ["'self'"]
    assert rules["script-src"] == ["'self'", f"'{inline}'"]
    assert runtime.CDN in _rules(head("../../", here=False, serving=False))["script-src"]


def _rules(elements: str) -> dict[str, list[str]]:
    policy: Any = BeautifulSoup(elements, "html.parser").meta
    return {name: allowed for name, *allowed in (rule.split() for rule in policy["content"].split("; "))}


def test_a_chapter_has_a_deck_if_it_asks_and_answers() -> None:
    assert has_deck("# 1\n\n## The question\n\n## The answer\n")
    assert not has_deck("# 1\n\n## The question\n")


def test_sections_leave_out_folds_and_code() -> None:
    body = "<details><summary>Side road</summary>fold</details><div class='highlight'>code</div><p>prose</p>"
    found = sections(BeautifulSoup(page(section("one", body)), "html.parser"))["one"]
    assert found.body.get_text() == "prose"


def test_the_list_of_decks_has_a_line_for_each_part() -> None:
    parts = [
        Part("chapters/a/index.md", "Alpha", "?", (Entry("chapters/a/01-x.md", "1 · X", "?"),)),
        Part("chapters/b/index.md", "Beta", "?", (Entry("chapters/b/02-y.md", "2 · Y", "?"),)),
    ]
    listed = all_decks(parts, {"chapters/a/01-x.md": "a/01-x/slides.html"}, "docs/for-teachers.md")
    assert listed == "- **Alpha:** [1 · X](a/01-x/slides.html)"
