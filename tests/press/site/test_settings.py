"""The press's settings: each wrong one is named, with its value and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_book import SmallBook

from press.site.settings import Settings, WrongSetting, docs_folder, read_settings

ROOT = Path(__file__).parents[3]


def test_settings_are_read() -> None:
    assert read_settings({}, ROOT) == Settings(60.0, "")
    assert read_settings({"cell_timeout_s": 5, "reference": "snippets"}, ROOT) == Settings(5, "snippets")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "extra.press must hold settings (cell_timeout_s, reference), got nothing"),
        ("fast", "extra.press must hold settings (cell_timeout_s, reference), got 'fast'"),
        ([60], "extra.press must hold settings (cell_timeout_s, reference), got [60]"),
        ({"timeout": 3}, "extra.press.timeout is no setting of the press; there are cell_timeout_s and reference"),
        ({"cell_timeout_s": "a"}, "extra.press.cell_timeout_s must be a number of seconds above 0, got 'a'"),
        ({"cell_timeout_s": None}, "extra.press.cell_timeout_s must be a number of seconds above 0, got nothing"),
        ({"cell_timeout_s": 0}, "extra.press.cell_timeout_s must be a number of seconds above 0, got 0"),
        ({"cell_timeout_s": True}, "extra.press.cell_timeout_s must be a number of seconds above 0, got True"),
        ({"cell_timeout_s": float("nan")}, "extra.press.cell_timeout_s must be a number of seconds above 0, got nan"),
        (
            {"reference": "snipets"},
            "extra.press.site.reference must be the name of a package in the book's folder, got 's",
        ),
        ({"reference": 3}, "extra.press.site.reference must be the name of a package in the book's folder, got 3"),
    ],
)
def test_a_wrong_setting_is_named(given: Any, message: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        read_settings(given, ROOT)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("docs", [ROOT.parent / "elsewhere", ROOT, ROOT / "chapters", ROOT / "chapters/part"])
def test_pages_that_lie_elsewhere_are_refused(docs: Path) -> None:
    with pytest.raises(WrongSetting, match="docs_dir must be a folder in the book's folder, beside chapters, got '/"):
        docs_folder(docs, ROOT)
    assert docs_folder(ROOT / "docs", ROOT) == "docs"


@pytest.mark.book
def test_a_build_ends_with_one_sentence(small_book: SmallBook) -> None:
    small_book.settings["extra"]["press"] = {"cell_timeout_s": "fast"}
    small_book.save_settings()
    refused = "extra.press.cell_timeout_s must be a number of seconds above 0, got 'fast'"
    _ends_with(small_book, "cell_timeout_s", refused)
    small_book.settings["extra"]["press"] = None
    small_book.save_settings()
    _ends_with(small_book, "press", "extra.press must hold settings (cell_timeout_s, reference), got nothing")
    small_book.settings["extra"]["press"] = {}
    small_book.settings["use_directory_urls"] = False
    small_book.save_settings()
    _ends_with(small_book, "use_directory_urls", "use_directory_urls must be true")
    elsewhere = small_book.root.with_name("elsewhere")
    elsewhere.mkdir()
    small_book.settings |= {"use_directory_urls": True, "docs_dir": str(elsewhere)}
    small_book.save_settings()
    refused = f"docs_dir must be a folder in the book's folder, beside chapters, got '{elsewhere}'"
    _ends_with(small_book, "docs_dir", refused)


def _ends_with(book: SmallBook, key: str, message: str) -> None:
    done = book.build()
    lines = book.read("mkdocs.yml").splitlines()
    line = next(number for number, line in enumerate(lines, 1) if line.strip().startswith(f"{key}:"))
    assert done.returncode == 1
    assert f"\nmkdocs.yml:{line}: {message}" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
