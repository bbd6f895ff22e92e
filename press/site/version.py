"""Which state of the book a page, an edition or a feed is of: the version in ``pyproject.toml`` and the day of making.

The version is the one that pip installs; a tag ``v1.0.0`` releases version 1.0.0 (``.github/workflows/release.yml``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path


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
