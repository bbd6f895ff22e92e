"""Reads the recorded runs of the labs, for the chapters. Needs the standard library only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

_WIDEST = 34


def read_record(name: str) -> dict[str, Any]:
    """Return a recorded run, such as ``"ring_all_reduce"``.

    Raises:
        ValueError: there is no record of that name.
    """
    folder = files("labs") / "recorded"
    names = sorted(path.name.removesuffix(".json") for path in folder.iterdir() if path.name.endswith(".json"))
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}, got {name!r}")
    record: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return record


def print_record(name: str, *begins: str) -> None:
    """Print what a lab predicted and measured, and on what machine.

    Args:
        name: of the record.
        begins: how the rows begin that are wanted.

    Raises:
        ValueError: there is no such record, or no such row.
    """
    record = read_record(name)
    print(f"{record['ranks']} ranks, {record['backend']}, PyTorch {record['versions']['torch']}, {record['date']}")
    print(record["machine"])
    for begin in begins:
        found = [row for row in record["rows"] if row["what"].startswith(begin)]
        if not found:
            raise ValueError(f"begins must be how rows of {name} begin, got {begin!r}")
        for row in found:
            predicted, measured = (shortened(shown(row, side), _WIDEST) for side in ("predicted", "measured"))
            unit = f" {row['unit']}" if row["unit"] else ""
            print(f"{row['what']}:\n  {predicted} | {measured}{unit}")


def shown(row: Mapping[str, Any], side: str) -> str:
    """Return what the ranks have to say in a row's column, ``"predicted"`` or ``"measured"``, once if they agree."""
    mark = "≤ " if row["kind"] == "bound" and side == "predicted" else ""
    return mark + "; ".join(map(_one, row[side]))


def shortened(text: str, widest: int) -> str:
    """Return a text, its beginning if it is too wide for a table."""
    return text if len(text) <= widest else text[: widest - 1] + "…"


def _one(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if type(value) is int else str(value)
