"""The page on labs is made of their docstrings and records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from press.site.labs import labs_list, read_lab, recorded_labs

ROOT = Path(__file__).parents[3]
DOCSTRING = '''"""Ring all-reduce: the book's ring, beside the engine's.

It is sent message by message.

    torchrun --standalone --nproc-per-node 4 labs/collectives/ring.py

Chapter: 13

Shown:
    even: sent
    time of
"""
'''
CHAPTERS = {"12": "../chapters/c/12-a.md", "13": "../chapters/c/13-b.md"}


def row(what: str, kind: str, predicted: Any, measured: Any, *, agree: bool = True) -> dict[str, Any]:
    return {
        "what": what,
        "kind": kind,
        "unit": "bytes",
        "predicted": predicted,
        "measured": measured,
        "agree": agree,
    }


def record(lab: str, *rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "lab": lab,
        "command": f"torchrun labs/{lab}.py",
        "ranks": 4,
        "versions": {"torch": "2.13.0"},
        "machine": "a laptop",
        "date": "2026-11-21",
        "rows": list(rows),
    }


RING = record(
    "collectives/ring",
    row("even: sent", "count", [2400, 2420], [2400, 2420]),
    row("even: result", "bound", [1e-05], [2.5e-07]),
    row("time of 1", "time", [0.00346], [0.00303]),
    row("time of 2", "bound", [1e-05], [2.53979e-07]),
)


def test_a_section_has_what_the_docstring_and_the_record_say() -> None:
    text, problems = labs_list([read_lab("labs/collectives/ring.py", DOCSTRING, RING)], CHAPTERS)
    assert problems == []
    assert text.splitlines() == [
        "## Ring all-reduce",
        "",
        "The book's ring, beside the engine's.",
        "",
        "It is sent message by message.",
        "",
        "Chapter [13](../chapters/c/13-b.md). Source: [ring.py](../labs/collectives/ring.py).",
        "",
        "```sh",
        "torchrun labs/collectives/ring.py",
        "```",
        "",
        "| what | predicted | measured | unit |",
        "|---|---|---|---|",
        "| even: sent | 2,400; 2,420 | 2,400; 2,420 | bytes |",
        "| time of 1 | 0.00346 | 0.00303 | bytes |",
        "| time of 2 | ≤ 1e-05 | 2.54e-07 | bytes |",
        "",
        "Recorded on 2026-11-21 with PyTorch 2.13.0 and 4 ranks, on a laptop."
        " These are 3 of 4 rows; every count agrees.",
    ]


def test_what_does_not_agree_is_named() -> None:
    bad = record("a/b", row("x", "count", [1], [2], agree=False))
    text, _ = labs_list([read_lab("labs/a/b.py", '"""B: b."""', bad)], CHAPTERS)
    assert "these do not agree: x." in text


def test_labs_stand_in_the_order_of_their_chapters() -> None:
    docstrings = {"first": "12", "second": "13", "last": "99"}
    labs = [
        read_lab(f"labs/a/{name}.py", f'"""{name}: x.\n\nChapter: {chapter}\n"""', RING)
        for name, chapter in reversed(docstrings.items())
    ]
    text, _ = labs_list(labs, CHAPTERS)
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["first", "second", "last"]


def test_a_row_that_no_record_has_is_refused_with_its_line() -> None:
    lab = read_lab("labs/collectives/ring.py", DOCSTRING.replace("even: sent", "odd: sent"), RING)
    (problem,) = labs_list([lab], CHAPTERS)[1]
    assert str(problem) == "labs/collectives/ring.py:10: Shown must say how rows of the record begin, got 'odd: sent'"


def test_a_record_without_its_lab_is_refused(tmp_path: Path) -> None:
    (tmp_path / "labs/recorded").mkdir(parents=True)
    (tmp_path / "labs/recorded/ring.json").write_text(json.dumps(RING), encoding="utf-8")
    labs, (problem,) = recorded_labs(tmp_path)
    assert labs == []
    assert str(problem) == "labs/recorded/ring.json:1: the record's lab is missing: labs/collectives/ring.py"


LABS, MISSING = recorded_labs(ROOT)


def test_the_book_s_records_have_their_labs() -> None:
    assert MISSING == []
    assert {lab.path for lab in LABS} == {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "labs").rglob("*.py")
        if "run_lab(main" in path.read_text(encoding="utf-8") and path.name != "harness.py"
    }


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.path)
def test_a_lab_names_its_chapter_and_its_rows(lab: Any) -> None:
    assert re.fullmatch(r"A?\d+", lab.chapter)
    assert lab.rows
    assert labs_list([lab], {})[1] == []
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", lab.record["date"])
    assert lab.record["machine"]
