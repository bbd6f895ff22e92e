"""Which state of the book a page, an edition or a feed is of: the version in ``pyproject.toml`` and the day of making.

The version is the one that pip installs; a tag ``v1.0.0`` releases version 1.0.0 (``.github/workflows/release.yml``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

UNDATED = "<time data-built></time>"  # stands in a page for the day, so that a kept page serves on another day too
_DATED = re.compile(rb'<time datetime="[^"]*">[^<]*</time>')


def version_of(root: Path) -> str:
    """Return the book's version, such as ``1.0.0``; ``""`` if the folder is no package, as a small book's is not."""
    try:
        described = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    return str(described.get("project", {}).get("version", ""))


def made_at(environment: Mapping[str, str]) -> datetime:
    """Return the time that what is made says it was made at, which SOURCE_DATE_EPOCH may set.

    >>> made_at({"SOURCE_DATE_EPOCH": "1764547200"}).date().isoformat()
    '2025-12-01'
    """
    given = environment.get("SOURCE_DATE_EPOCH", "")
    if given and not given.isdecimal():
        raise ValueError(f"SOURCE_DATE_EPOCH must be a number of seconds since 1970, got {given!r}")
    return datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC)


def dated(page: str, made: datetime) -> str:
    """Return a page that says on which day it was made.

    >>> dated("built <time data-built></time>", datetime(2026, 11, 30))
    'built <time datetime="2026-11-30">2026-11-30</time>'
    """
    return page.replace(UNDATED, f'<time datetime="{made:%Y-%m-%d}">{made:%Y-%m-%d}</time>')


def undated(page: bytes) -> bytes:
    """Return a page without the day, for a digest of what else it says."""
    return _DATED.sub(b"", page)
