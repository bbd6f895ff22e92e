"""The page Planner as the build writes it: whole without scripts, each field with its label, its archive enough."""

from __future__ import annotations

import ast
import gzip
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from made_page import MadePages

from press.book import Book
from press.reading.checks import Scan
from press.running.freshness import Freshness
from press.site import planner, runtime
from press.site.planner import ACCURACY, MODULE, SUBJECT, WRITTEN_BY, accuracy_json, measured_html, planner_html
from snippets.composition.configuration_search.judged import judged_groups
from snippets.composition.configuration_search.planner_fields import FIELDS, PRESETS
from snippets.composition.configuration_search.planner_view import planned_view

ROOT = Path(__file__).parents[3]
PAGE = "docs/planner.md"
_ENDS = (".py", "/__init__.py")


@pytest.fixture(scope="module")
def page() -> BeautifulSoup:
    return BeautifulSoup(planner_html().decode(), "html.parser")


def test_the_page_has_the_opening_answer_whole(page: BeautifulSoup) -> None:
    parts = json.loads(planned_view("{}"))["parts"]
    assert len(parts) == 5
    for name in parts:
        (place,) = page.select(f"[data-part={name}]")
        assert place.decode_contents() == BeautifulSoup(parts[name], "html.parser").decode_contents(), name


def test_every_field_has_its_label_its_default_and_room_for_what_is_wrong(page: BeautifulSoup) -> None:
    for name, field in FIELDS.items():
        (control,) = page.select(f'[name="{name}"]')
        assert control["data-default"] == field.default
        label = page.find("label", attrs={"for": control["id"]})
        assert isinstance(label, Tag)
        assert label.get_text() == field.label
        assert page.find(id=f"{control['id']}-error") is not None
        if field.options:
            chosen = control.find("option", selected=True)
            assert isinstance(chosen, Tag)
            assert chosen["value"] == field.default
        place = control.find_parent("p")
        assert isinstance(place, Tag)
        assert place.has_attr("hidden") is (field.needs is not None)


def test_every_preset_is_a_button_and_the_first_is_pressed(page: BeautifulSoup) -> None:
    buttons = page.select("button[data-setting]")
    assert {button.get_text(): json.loads(str(button["data-setting"])) for button in buttons} == PRESETS
    assert [button["aria-pressed"] for button in buttons] == ["true"] + ["false"] * (len(PRESETS) - 1)


def test_ids_are_unique_and_nothing_in_it_is_refused(page: BeautifulSoup) -> None:
    ids = [str(found["id"]) for found in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    for written in (planner_html(), measured_html()):
        assert Scan(written.decode()).findings == []


def test_the_table_of_measured_groups_is_whole() -> None:
    measured = BeautifulSoup(measured_html().decode(), "html.parser")
    names = [found.get_text() for found in measured.find_all("th", scope="row")]
    assert names == list(judged_groups())
    region = measured.find(role="region")
    assert isinstance(region, Tag)
    assert region["tabindex"] == "0"
    assert region["aria-label"]
    dots = sum(path["d"].count("h0") for path in measured.find_all("path") if "h0" in str(path["d"]))
    assert dots == sum(map(len, judged_groups().values()))
    assert f"Seconds of {dots} steps" in measured.get_text()


def test_the_books_page_asks_for_both_and_the_navigation_and_the_home_page_lead_to_it() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert re.findall(r'"collected: (\w+)"\)$', text, re.MULTILINE) == ["planner", "measured"]
    assert "planner.md" in yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    home = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    row = next(line for line in home.splitlines() if line.startswith("| **Decide next week** |"))
    assert "(planner.md)" in row
    assert re.search(r"^\| combine them into one layout \|.*\(planner\.md\)", home, re.MULTILINE)


def test_a_page_that_asks_for_it_gets_it(tmp_path: Path) -> None:
    made = MadePages(tmp_path)
    (tmp_path / "snippets").symlink_to(ROOT / "snippets")
    (tmp_path / "press").symlink_to(ROOT / "press")
    (tmp_path / "requirements.txt").symlink_to(ROOT / "requirements.txt")
    made.write("docs/index.md", '# Home\n\nBefore.\n\n[It](../snippets/x.py "collected: planner")\n\nAfter.\n')
    html = made.rendered().html
    found = BeautifulSoup(html, "html.parser").find(class_="planner")
    assert isinstance(found, Tag)
    assert found.decode() == BeautifulSoup(planner_html().decode(), "html.parser").decode()
    assert len(gzip.compress(html.encode())) < 60_000


ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from snippets.composition.configuration_search import planner_page, planner_view
assert planner_view.__file__.startswith(sys.argv[1])
assert planner_page._recorded_accuracy()
planner_page.accuracy_of = None  # no measured rows are asked for
print(json.dumps([planner_view.planned_view(setting) for setting in json.load(sys.stdin)]))
"""


def test_the_archive_answers_with_its_files_alone_as_the_book_does(tmp_path: Path) -> None:
    book = Book(ROOT, docs="docs", source_url="", extensions=[], extension_configs={})
    files = {name: content for name, content in book.runtime().items() if isinstance(content, bytes)}
    (name,) = json.loads(files[runtime.MANIFEST])["archives"][SUBJECT]
    with zipfile.ZipFile(io.BytesIO(files[f"{runtime.FOLDER}/{name}"])) as packed:
        assert json.loads(packed.read(ACCURACY)) == json.loads(accuracy_json())
        assert not [path for path in packed.namelist() if path.endswith(".csv")]
        packed.extractall(tmp_path)
    settings = [json.dumps({"nodes": "1", "model": "Llama 3 8B"}), json.dumps({"tensor": "x"})]
    command = [sys.executable, "-S", "-I", "-B", "-c", ALONE, str(tmp_path)]
    done = subprocess.run(command, input=json.dumps(settings), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [planned_view(setting) for setting in settings]
    assert MODULE.replace(".", "/") + ".py" in packed.namelist()


def test_a_lean_archive_has_the_code_alone() -> None:
    source = b'"""A module."""\n\nX = 1  # one\n\n\nclass A:\n    """A."""\n\n\n'
    source += b'def f() -> str:\n    """F."""\n    return "kept"\n'
    packed = zipfile.ZipFile(io.BytesIO(runtime.lean_archive({"a.py": source, "a.json": b'{"a": "b"}'})))
    assert packed.read("a.json") == b'{"a": "b"}'
    made: dict[str, Any] = {}
    exec(packed.read("a.py"), made)
    assert (made["X"], made["A"].__doc__, made["f"].__doc__) == (1, None, None)
    assert made["f"]() == "kept"
    assert b"one" not in packed.read("a.py")
    broken = zipfile.ZipFile(io.BytesIO(runtime.lean_archive({"a.py": b"def def f():"})))
    assert broken.read("a.py") == b"def def f():"  # so that the build can say where, and goes on


def test_what_writes_the_page_is_written_anew_when_any_module_of_it_changes() -> None:
    """The parts are kept while the files that WRITTEN_BY reaches stay the same, so it has to reach all of them."""
    tree = ast.parse(Path(planner.__file__).read_text(encoding="utf-8"))
    imported = [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    wanted = {name for name in imported if name.startswith("snippets.")}
    reached = set(Freshness(ROOT).reached([f"import {module}" for module in WRITTEN_BY]))
    lacking = {name for name in wanted if not reached & {ROOT / f"{name.replace('.', '/')}{end}" for end in _ENDS}}
    assert len(wanted) > 5
    assert not lacking
