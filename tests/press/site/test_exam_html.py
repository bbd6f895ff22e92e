"""The page Final exam as the build writes it: whole without scripts, labelled, escaped, its archive enough."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup, Tag

from press.book import Book
from press.reading.checks import Scan
from press.site import runtime
from press.site.exam import MODULE, SUBJECT, exam_html
from snippets.synthesis.conclusion.exam import TASKS
from snippets.synthesis.conclusion.exam_judging import _READS, best_answer
from snippets.synthesis.conclusion.exam_sheet import word_rows
from snippets.synthesis.conclusion.exam_tasks import exam_tasks
from snippets.synthesis.conclusion.exam_view import _PAGES, certificate_view, exam_view, graded_view, solution_view

ROOT = Path(__file__).parents[3]
HOSTILE = '<img src=x onerror="alert(1)"> $x$ t=8'


@pytest.fixture(scope="module")
def page() -> BeautifulSoup:
    return BeautifulSoup(exam_html().decode(), "html.parser")


def test_the_page_has_the_tasks_of_seed_1_whole(page: BeautifulSoup) -> None:
    tasks = json.loads(exam_view("1"))["tasks"]
    assert len(tasks) == TASKS
    for number, html in enumerate(tasks, 1):
        (place,) = page.select(f"[data-task='{number}'] [data-part=task]")
        assert place.decode_contents() == BeautifulSoup(html, "html.parser").decode_contents()
        for _, value in exam_tasks(1)[number - 1].given:
            assert value in place.get_text()
        for _, value in exam_tasks(1)[number - 1].sheet:
            assert value in place.get_text()
    for name, said in word_rows():
        assert name in page.get_text()
        assert said in page.get_text()


def test_every_field_has_a_label_and_nothing_in_the_page_is_refused(page: BeautifulSoup) -> None:
    for field in page.find_all("input"):
        assert isinstance(page.find("label", attrs={"for": field["id"]}), Tag)
    ids = [str(found["id"]) for found in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert Scan(exam_html().decode()).findings == []
    assert "$" not in exam_html().decode()


def test_the_books_page_asks_for_it_and_the_navigation_leads_to_it() -> None:
    text = (ROOT / "docs/exam.md").read_text(encoding="utf-8")
    assert re.findall(r'"collected: (\w+)"\)$', text, re.MULTILINE) == ["exam"]
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    assert nav.index("exam.md") == nav.index("planner.md") + 1


def test_every_chapter_that_a_mistake_names_has_its_page() -> None:
    folder = ROOT / "snippets/synthesis/conclusion"
    source = "".join((folder / f"exam_{name}.py").read_text() for name in ("mistakes", "judging"))
    named = {int(number) for number in re.findall(r'[".\w],\s+(\d\d?),?\s*\)', source)} - {0, 1}
    for number, path in _PAGES.items():
        assert (ROOT / "chapters" / f"{path}.md").is_file()
        assert int(re.search(r"/(\d+)-", path)[1]) == number  # type: ignore[index]
    assert {6, 17, 28, 29} <= named <= _PAGES.keys()
    assert set(_READS.values()) <= _PAGES.keys()


@pytest.mark.parametrize("number", range(1, TASKS + 1))
def test_what_a_reader_types_is_escaped(number: int) -> None:
    answer = json.loads(graded_view(1, number, HOSTILE))
    for html in (answer["html"], solution_view(1, number, HOSTILE)):
        assert BeautifulSoup(html, "html.parser").find("img") is None
        assert "$" not in html
    assert not answer["solved"]


@pytest.mark.parametrize("seed", ["", "-1", "1.5", "x", "1" * 11, "9999999999", "²", "٣", "<b>"])
def test_a_seed_that_is_none_is_answered_with_what_is_allowed(seed: str) -> None:
    assert "whole number from 0 to 1,000,000,000" in json.loads(exam_view(seed))["error"]


def test_a_seed_is_taken_as_it_is_typed() -> None:
    assert json.loads(exam_view(" 007 "))["seed"] == 7
    assert json.loads(exam_view("0"))["seed"] == 0


ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from snippets.synthesis.conclusion import exam_view as view
assert view.__file__.startswith(sys.argv[1])
print(json.dumps([view.exam_view("7"), *(view.graded_view(7, k + 1, a) for k, a in enumerate(json.load(sys.stdin)))]))
"""


def test_the_archive_answers_with_its_files_alone_as_the_book_does(tmp_path: Path) -> None:
    book = Book(ROOT, docs="docs", source_url="", extensions=[], extension_configs={})
    files = {name: content for name, content in book.runtime().items() if isinstance(content, bytes)}
    (name,) = json.loads(files[runtime.MANIFEST])["archives"][SUBJECT]
    assert name.startswith("pages-exam-")
    assert len(files[f"{runtime.FOLDER}/{name}"]) < 150_000
    with zipfile.ZipFile(io.BytesIO(files[f"{runtime.FOLDER}/{name}"])) as packed:
        packed.extractall(tmp_path)
        assert MODULE.replace(".", "/") + ".py" in packed.namelist()
    answers = [best_answer(task) for task in exam_tasks(7)]
    command = [sys.executable, "-S", "-I", "-B", "-c", ALONE, str(tmp_path)]
    done = subprocess.run(command, input=json.dumps(answers), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        exam_view("7"),
        *(graded_view(7, number, answer) for number, answer in enumerate(answers, 1)),
    ]


def test_a_certificate_is_made_of_what_is_typed() -> None:
    written = certificate_view(1, ["", "", "", "", ""], "Ada", "2026-11-29")
    assert "Name: Ada\nDate: 2026-11-29\nSeed: 1\n" in written
    with pytest.raises(ValueError, match="name must have at most 80"):
        certificate_view(1, [""] * 5, "x" * 81, "2026-11-29")
