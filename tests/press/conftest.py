"""Fixtures of the press's tests: a small book, to be built, broken and mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from made_page import MadePages
from small_book import SmallBook


@pytest.fixture
def small_book(tmp_path: Path) -> SmallBook:
    return SmallBook(tmp_path / "book")


@pytest.fixture
def line_in() -> Callable[[str, str], int]:
    """Return the line of a text on which a piece of it stands."""

    def line(text: str, piece: str) -> int:
        return text[: text.index(piece)].count("\n") + 1

    return line


@pytest.fixture
def made_pages(tmp_path: Path) -> MadePages:
    return MadePages(tmp_path / "book")
