"""Where chapter 35 takes a trace, as the build writes it: whole without scripts, its archive enough."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from made_page import MadePages

from press.book import Book
from press.reading.checks import Scan
from press.site import runtime
from press.site.traces import MODULE, SUBJECT, traces_html
from snippets.synthesis.profiling.trace_view import trace_view
from snippets.synthesis.profiling.traces import recorded_trace

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def page() -> BeautifulSoup:
    return BeautifulSoup(traces_html().decode(), "html.parser")


def test_the_page_has_the_opening_answer_whole(page: BeautifulSoup) -> None:
    answer = json.loads(trace_view("{}"))
    for name, part in answer["parts"].items():
        (place,) = page.select(f"[data-part={name}]")
        assert place.decode_contents() == BeautifulSoup(part, "html.parser").decode_contents(), name
    for name in ("rank", "step"):
        (chosen,) = page.select(f"#traces-{name} option[selected]")
        assert chosen["value"] == answer["shown"][name]


def test_every_field_has_its_label_and_room_for_what_is_wrong(page: BeautifulSoup) -> None:
    controls = page.select("input, select")
    assert len(controls) == 6
    for control in controls:
        assert page.select(f'label[for="{control["id"]}"]')
        assert page.select(f"#{control['id']}-error")
    ids = [str(found["id"]) for found in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert Scan(traces_html().decode()).findings == []
    assert "sent nowhere" in page.get_text()


def test_a_page_that_asks_for_it_gets_it(tmp_path: Path) -> None:
    made = MadePages(tmp_path)
    for name in ("snippets", "press", "requirements.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    made.write("docs/index.md", '# Home\n\nBefore.\n\n[It](../snippets/x.py "collected: traces")\n\nAfter.\n')
    found = BeautifulSoup(made.rendered().html, "html.parser").find(class_="traces")
    assert isinstance(found, Tag)
    assert found.decode() == BeautifulSoup(traces_html().decode(), "html.parser").decode()


ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from snippets.synthesis.profiling import trace_view
assert trace_view.__file__.startswith(sys.argv[1])
print(json.dumps([trace_view.trace_view(*asked) for asked in json.load(sys.stdin)]))
"""


def test_the_archive_answers_with_its_files_alone_as_the_book_does(tmp_path: Path) -> None:
    book = Book(ROOT, docs="docs", source_url="", extensions=[], extension_configs={})
    files = {name: content for name, content in book.runtime().items() if isinstance(content, bytes)}
    (name,) = json.loads(files[runtime.MANIFEST])["archives"][SUBJECT]
    content = files[f"{runtime.FOLDER}/{name}"]
    assert len(content) < 150_000
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        packed.extractall(tmp_path)
        assert MODULE.replace(".", "/") + ".py" in packed.namelist()
    asked: list[tuple[Any, ...]] = [("{}",), ('{"step": "9"}',), ("{}", [recorded_trace(rank=1)], ["own.json"])]
    command = [sys.executable, "-S", "-I", "-B", "-c", ALONE, str(tmp_path)]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [trace_view(*each) for each in asked]
