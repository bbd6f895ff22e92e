"""What programs read: the skill says what the functions give today, and ``llms.txt`` leads to what is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from press.site.agents import FORMULAS, SKILL, SOURCE, executed_call, llms_txt, skill_files
from press.site.collected import lists_asked
from snippets.index import find_formula

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / SOURCE).read_text(encoding="utf-8")
LIMIT = 40_000  # bytes, which an agent loads at once


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return skill_files(PAGE, find_formula, version="9.8.7", requirement="git+https://example.org/book@v9.8.7")


def test_the_skill_has_every_function_of_the_quick_reference_below_its_question(files: dict[str, str]) -> None:
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        question = part.partition("\n")[0]
        section = files[SKILL].partition(f"\n## {question}\n")[2].partition("\n## ")[0]
        lines = [line for line in section.splitlines() if line.startswith("- `")]
        names = lists_asked(part)
        assert names
        assert len(lines) == len(names)
        for name, line in zip(names, lines, strict=True):
            assert f"{name}(" in line.partition(" → ")[0]


def test_each_function_has_its_formula_symbols_and_call_in_the_other_file(files: dict[str, str]) -> None:
    entries = re.split(r"^### ", files[FORMULAS], flags=re.MULTILINE)[1:]
    assert [entry.partition("\n")[0] for entry in entries] == lists_asked(PAGE)
    for entry in entries:
        for label in ("Formula", "Symbols", "Source", "Chapter", "Call"):
            assert f"\n- {label}: " in entry, entry


def test_the_skill_can_be_loaded_at_once_and_says_what_it_is_for(files: dict[str, str]) -> None:
    assert len(files[SKILL].encode()) <= LIMIT
    header = yaml.safe_load(files[SKILL].split("---\n")[1])
    assert header["name"] == SKILL.split("/")[-2]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", header["name"])  # as agentskills.io asks for
    assert len(header["name"]) <= 64
    assert len(header["description"]) <= 1024
    assert 'pip install "git+https://example.org/book@v9.8.7"' in files[SKILL]
    assert "version 9.8.7" in files[SKILL]
    assert not re.search(r"\]\(|<span", files[SKILL]), "its links would lead nowhere from an agent's folder"


def made(code: str) -> Callable[..., Any]:
    """Return the function ``twice`` of a module, which is this one."""
    found: dict[str, Any] = {"__name__": __name__}
    exec(code, found)
    function: Callable[..., Any] = found["twice"]
    return function


def test_a_result_is_what_comes_out_and_not_what_the_docstring_says() -> None:
    function = find_formula("ring_all_reduce_bytes")
    assert executed_call(function).endswith(" → 24500000000.0")
    lying = made('def twice(x):\n    """Double.\n\n    Example:\n        >>> 1 + 1  # twice(\n        3\n    """\n')
    assert executed_call(lying) == "1 + 1 # twice( → 2"


def test_a_function_without_an_example_is_refused() -> None:
    with pytest.raises(ValueError, match="twice has no example that calls it"):
        executed_call(made('def twice(x):\n    """Double."""\n'))


def test_llms_txt_has_a_title_a_summary_and_sections_of_links() -> None:
    """The form of llmstxt.org; a heading with nothing below it is left out."""
    text = llms_txt("A\u00a0Book", "On\n  sums.", {"Chapters": [("1 · One", "one/", "How?\nSo.")], "None": []})
    assert text == "# A\u00a0Book\n\n> On sums.\n\n## Chapters\n\n- [1 · One](one/): How? So.\n"
