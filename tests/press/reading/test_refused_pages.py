"""What a page shows, links to and is called: refused where it leads nowhere, runs, or takes another page's place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_page import CHAPTER, HEADER, PAGE, MadePages

from press import kept
from press.making import mathematics
from press.site import assets

FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'


def shown(data: dict[str, str], **book: Any) -> dict[str, Any]:
    metadata = {"book": book} if book else {}
    return {"output_type": "display_data", "metadata": metadata, "data": data}


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("/etc/passwd", None, "/etc/passwd lies outside of the book"),
        ("../../secret.py", "def double(): ...", "../../secret.py lies outside of the book"),
        ("../link.py", None, "../link.py lies outside of the book"),
        ("../a/b/gone.py", None, "../a/b/gone.py does not exist"),
        ("../a/b", None, "../a/b does not exist"),
        ("../a/b/x.py", b"# \xff\n", "../a/b/x.py is not UTF-8: invalid start byte at byte 2"),
        ("../a/b/x.py", "x = 1\n\ndef double(\n", "../a/b/x.py is not Python: line 3: '(' was never closed"),
        ("../a/b/x.py", "\0", "../a/b/x.py is not Python: "),
        ("../a/b/x.py", "x = " + "(" * 5000, "../a/b/x.py is not Python: "),
        ("../a/b/x.py", "x = 1\n", "../a/b/x.py has no function"),
    ],
)
def test_code_that_cannot_be_shown(made_pages: MadePages, path: str, content: str | bytes | None, message: str) -> None:
    made_pages.write("a/b/other.py", "")
    made_pages.write("../secret.py", "def double(): ...")
    (made_pages.root / "link.py").symlink_to(made_pages.root.parent / "secret.py")
    if content is not None:
        made_pages.write(f"docs/{path}", content)
    problems = made_pages.problems_of(f'# T\n\n[code]({path} "include: double")\n')
    assert any(problem.startswith(f"{PAGE}:3: ") and message in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[x][nope]", "nothing defines the link 'nope'"),
        ("a claim[^nope]", "nothing defines the footnote 'nope'"),
        ("[x]()", "a link without a target"),
        ("<a href=''>x</a>", "a link without a target"),
        ("<a href='gone.md'>x</a>", "a link leads nowhere: gone.md"),
        ("<A HREF=gone.md>x</A>", "a link leads nowhere: gone.md"),
        ('<a title="a > b" href = "gone.md">x</a>', "a link leads nowhere: gone.md"),
        ("[x](/notation/)", "a link must be relative to the file that it stands in, got /notation/"),
        ("[x](/etc/passwd)", "a link must be relative to the file that it stands in, got /etc/passwd"),
        ("[x](//example.org/)", "begins with https:, http: or mailto:, got //example.org/"),
        ("[x](file:///etc/passwd)", "begins with https:, http: or mailto:, got file:"),
        (
            "[x](../chapters/part/01-one.ipynb)",
            "is made by the build and stands beside its page: link to chapters/part",
        ),
        ("<video src='gone.mp4'></video>", "a link leads nowhere: gone.mp4"),
        ("<video poster='gone.png'></video>", "a link leads nowhere: gone.png"),
        ("<video><source src=gone.mp4></video>", "a link leads nowhere: gone.mp4"),
        ("<audio src='gone.mp3'></audio>", "a link leads nowhere: gone.mp3"),
        ("<img src='gone.png' alt='x'>", "a link leads nowhere: gone.png"),
        ("![x](../shown.png)", "the site has no file shown.png: what a page shows must lie in docs/"),
        ("![x](https://example.org/x.png)", "a page may load nothing from another site"),
        ("![x](other.md)", "a page cannot be shown as a picture"),
        ("[x](a%00b)", "a link leads nowhere: a%00b"),
        ("[x](" + "a" * 300 + ")", "a link leads nowhere: aaa"),
    ],
)
def test_links_that_lead_nowhere(made_pages: MadePages, written: str, message: str) -> None:
    made_pages.chapter("Text.")
    made_pages.write("docs/other.md", "# Other\n")
    made_pages.write("shown.png", "")
    problems = made_pages.problems_of(f"# T\n\n`{written}`\n\n{written}\n")
    assert any(problem.startswith(f"{PAGE}:5: ") and message in problem for problem in problems), problems


def test_links_are_led_in_whatever_way_they_are_written(made_pages: MadePages) -> None:
    made_pages.write("docs/other.md", "# Other\n")
    made_pages.write("docs/a b.svg", "")
    prose = "<a href='other.md#other'>x</a> <a HREF=other.md>y</a> <img alt='a > b' src='a%20b.svg'>\n"
    assert made_pages.problems_of(prose) == []
    page = made_pages.rendered().html
    assert '<a href="other/#other">x</a> <a HREF="other/">y</a>' in page
    assert "<img alt='a > b' src=\"a%20b.svg\">" in page


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("<script>alert(1)</script>", "a page may not have the tag <script> in its text"),
        ("Text <ScRipt src='x.js'></ScRipt>", "a page may not have the tag <script> in its text"),
        ("<b onclick='alert(1)'>x</b>", "a page may not have scripts in its text, got onclick='alert(1)'"),
        ("<img src='data:,' alt='x' OnError=alert(1)>", "may not have scripts in its text, got onerror='alert(1)'"),
        ("[x](other.md){ onfocus=alert(1) }", "may not have scripts in its text, got onfocus='alert(1)'"),
        ("[x](javascript:alert(1))", "a link may not be a script, got 'javascript:alert(1)'"),
        ("<a href='java&#9;script:alert(1)'>x</a>", "a link may not be a script"),
        ("<form><button formaction=' javascript:x()'>x</button></form>", "a link may not be a script"),
        ("<svg><a xlink:href='javascript:x()'>x</a></svg>", "a link may not be a script"),
        ("<iframe src='other.md'></iframe>", "a page may not have the tag <iframe>"),
        ("<object data='x'></object>", "a page may not have the tag <object>"),
        ('<meta http-equiv="refresh" content="0">', "a page may not have the tag <meta>"),
    ],
)
@pytest.mark.parametrize("place", ["prose", "output", "output in Markdown"])
def test_scripts_are_refused(made_pages: MadePages, written: str, message: str, place: str) -> None:
    made_pages.write("docs/other.md", "# Other\n")
    if place == "prose":
        problems, line = made_pages.problems_of(f"# T\n\n{written}\n"), f"{PAGE}:"
    else:
        kind = "text/html" if place == "output" and not written.startswith("[") else "text/markdown"
        made_pages.chapter("Text.", [shown({kind: written})])
        problems, line = made_pages.problems(), f"{CHAPTER}:12: in the output: "
        assert "<script" not in made_pages.rendered(CHAPTER).html
    assert any(problem.startswith(line) and message in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("tex", "typeset"),
    [("$$x^2$$", "<msup>"), ("$\\displaystyle x^2$", "<msup>"), ("\\begin{align*}x^2\\end{align*}", "<msup>")],
)
def test_an_output_of_tex_is_shown(made_pages: MadePages, tex: str, typeset: str) -> None:
    made_pages.chapter("Text.", [shown({"text/latex": tex, "text/plain": "<Math object>"})])
    assert made_pages.problems() == []
    page = made_pages.rendered(CHAPTER).html
    assert typeset in page
    assert "Math object" not in page


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (shown({"text/latex": "see $x$ there"}), "an output of TeX must be one formula between dollar signs, got 'see"),
        (shown({"application/javascript": "x()", "text/plain": "<J>"}), "of the type application/javascript cannot be"),
        (shown({"application/json": "{}"}), "an output of the type application/json cannot be shown"),
        (shown({"text/html": "<div>open"}), "in the output: the tag <div> is never closed"),
        (shown({"text/html": "<!-- open"}), "in the output: the comment that begins here is never closed"),
        (
            shown({"image/svg+xml": FIGURE}, role="panel"),
            "metadata named book that neither snippets.figures nor snippets.questions wrote",
        ),
        (
            shown({"text/plain": "x"}, role="caption"),
            "metadata named book that neither snippets.figures nor snippets.questions wrote",
        ),
        (
            shown({"text/plain": "x"}, role=["panel"]),
            "metadata named book that neither snippets.figures nor snippets.questions wrote",
        ),
        (shown({"text/markdown": "x"}, role="caption"), "a caption without a figure"),
        ({**shown({"text/plain": "x"}), "metadata": {"book": "x"}}, "metadata named book that neither"),
    ],
)
def test_outputs_that_cannot_be_shown(made_pages: MadePages, output: dict[str, Any], message: str) -> None:
    made_pages.chapter("Text.", [output])
    (problem,) = made_pages.problems()
    assert problem.startswith(f"{CHAPTER}:12: ")
    assert message in problem


@pytest.mark.parametrize("name", ["01 one", "100%", "a#b", "Grüße", "One", "a_b", "b?c"])
def test_names_that_are_no_addresses(made_pages: MadePages, name: str) -> None:
    made_pages.chapter("Text.", path=f"chapters/part/{name}.md")
    message = "a chapter's path has lower-case letters, digits and hyphens alone, and ends in .md"
    assert f"chapters/part/{name}.md:1: {message}" in made_pages.problems()


def test_what_jupyter_keeps_is_no_page(made_pages: MadePages) -> None:
    made_pages.chapter("Text.")
    made_pages.write("chapters/part/.ipynb_checkpoints/01 one-checkpoint.md", "# T\n")
    made_pages.write("docs/.ipynb_checkpoints/index.md", "# T\n")
    assert made_pages.book().part_pages == []
    assert [str(problem) for problem in made_pages.book().check({})] == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("chapters/glossary.md", "docs/glossary.md"),
        ("chapters/part.md", "chapters/part/index.md"),
        ("docs/README.md", "docs/index.md"),
        ("docs/A.md", "docs/a.md"),
    ],
)
def test_two_files_with_one_address(made_pages: MadePages, first: str, second: str) -> None:
    made_pages.write(first, HEADER if first.startswith("chapters") else "# T\n")
    made_pages.write(second, "# T\n")
    assert f"{second}:1: {first} has the same address on the site" in made_pages.problems()


def test_a_file_that_the_build_makes_itself(made_pages: MadePages) -> None:
    made_pages.write("docs/assets/math.css", "")
    book = made_pages.book()
    book.made = {"docs/assets/math.css", "docs/assets/other.css"}
    assert [str(problem) for problem in book.check({})] == ["docs/assets/math.css:1: the build makes this file itself"]


@pytest.mark.parametrize(
    "heading", ["## Check Yourself", "## check yourself", "## Check yourself {#quiz}", "##  Check yourself ##"]
)
def test_a_quiz_is_checked_however_its_heading_is_written(made_pages: MadePages, heading: str) -> None:
    made_pages.chapter(f"{heading}\n\n1. Which?\n    - (a) This.\n    - (b) That.\n")
    (problem,) = made_pages.problems()
    assert problem.startswith(f"{CHAPTER}:11: the quiz has no fold")


@pytest.mark.parametrize("heading", ["## Check Yourself", "## Check yourself {#quiz}"])
def test_a_quiz_is_marked_however_its_heading_is_written(made_pages: MadePages, heading: str) -> None:
    fold = '<details markdown="1"><summary>Answers</summary>\n\n**1 (a).** So.\n\n- (b) No.\n\n</details>'
    made_pages.chapter(f"{heading}\n\n1. Which?\n    - (a) This.\n    - (b) That.\n\n{fold}\n")
    assert made_pages.problems() == []
    assert '<ol class="quiz" data-right="a">' in made_pages.rendered(CHAPTER).html


@pytest.mark.parametrize("heading", ["### Check yourself", "Check yourself\n--------------", "## **Check yourself**"])
def test_a_quiz_that_would_not_be_checked_is_refused(made_pages: MadePages, heading: str) -> None:
    made_pages.chapter(f"{heading}\n\n1. Which?\n    - (a) This.\n    - (b) That.\n")
    assert made_pages.problems() == [f"{CHAPTER}:11: a quiz stands below a line of its own: ## Check yourself"]


def test_a_kept_file_that_is_not_whole_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "folder/x"
    made = []

    def make() -> bytes:
        made.append(1)
        return b"content"

    for spoil in (lambda: None, lambda: None, lambda: file.write_bytes(file.read_bytes()[:-1]), file.unlink):
        spoil()
        assert kept.kept(file, make) == b"content"
    file.write_bytes(b"other")
    assert kept.kept(file, make) == b"content"
    assert len(made) == 4
    assert [path.name for path in file.parent.iterdir()] == ["x"]


def test_a_spoiled_font_or_cover_is_not_shipped(tmp_path: Path) -> None:
    font, cover = mathematics.font_woff2({"x"}, tmp_path), assets.made(tmp_path)["assets/cover.png"]
    for file in tmp_path.iterdir():
        file.write_bytes(file.read_bytes()[:200])
    assert mathematics.font_woff2({"x"}, tmp_path) == font
    assert assets.made(tmp_path)["assets/cover.png"] == cover


def test_a_spoiled_page_is_not_shipped(made_pages: MadePages) -> None:
    made_pages.write(PAGE, "# T\n\nText.\n")
    page = made_pages.rendered()
    (file,) = (made_pages.root / ".press/pages").iterdir()
    for content in (b"", b"{}", json.dumps({"html": "other"}).encode(), file.read_bytes().replace(b"Text", b"Tex")):
        file.write_bytes(content)
        assert made_pages.rendered() == page
