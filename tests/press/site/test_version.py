"""The version and the day that a page says it is of."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from press.site.version import UNDATED, dated, made_at, undated, version_of


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    assert version_of(tmp_path) == ""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    assert version_of(tmp_path) == "1.2.3"


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH must be a number of seconds since 1970, got 'today'"):
        made_at({"SOURCE_DATE_EPOCH": "today"})


def test_pages_of_two_days_differ_in_the_day_alone() -> None:
    page = f"<p>built {UNDATED}</p>"
    one, two = (dated(page, datetime(2026, 11, day)) for day in (29, 30))
    assert one != two
    assert undated(one.encode()) == undated(two.encode()) == b"<p>built </p>"
