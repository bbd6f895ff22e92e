"""Reads the recorded runs of the labs, for the chapters. Needs the standard library only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def recorded_layouts(name: str = "layout_times") -> dict[str, list[Any]]:
    """Return a table of the layouts that a lab has timed, the fastest first.

    Args:
        name: of the record.

    Returns:
        Columns for ``snippets.tables.table``. Waiting is all but computing and the update, as it was predicted.
    """
    rows = []
    for entry in read_record(name)["layouts"]:
        terms_s = entry["terms_s"]
        total_s = sum(terms_s.values())
        work_s = terms_s["compute"] + terms_s["optimizer"]
        rows.append((entry["layout"], total_s * 1e3, entry["measured_s"] * 1e3, 1 - work_s / total_s))
    names = ("layout", "predicted, ms", "measured, ms", "of it waiting, predicted")
    columns = zip(*sorted(rows, key=lambda row: row[2]), strict=True)
    return {heading: list(column) for heading, column in zip(names, columns, strict=True)}


def plot_layouts(name: str = "layout_times") -> Figure:
    """Return a picture of the layouts that a lab has timed: each a point, measured over predicted.

    Args:
        name: of the record.

    Returns:
        A figure for ``snippets.figures.show``.
    """
    from snippets.figures import colour, plot

    columns = recorded_layouts(name)
    points = list(zip(*(columns[key] for key in ("layout", "predicted, ms", "measured, ms")), strict=True))
    ends = [min(min(point[1:]) for point in points) * 0.8, max(max(point[1:]) for point in points) * 1.25]
    kinds = (  # each has the layouts that no kind before it has
        ("tensor", "communication", "o", "cut matrices"),
        ("pipeline", "accent", "s", "cut layers"),
        ("", "forward", "^", "cut batch alone"),
    )
    with plot(width_px=340, height_px=320) as (figure, axes):
        axes.loglog(ends, ends, color=colour("muted"), linewidth=1)
        for axis, shade, marker, label in kinds:
            here = [point for point in points if axis in point[0]]
            points = [point for point in points if point not in here]
            _, predicted_ms, measured_ms = zip(*here, strict=True)
            axes.loglog(predicted_ms, measured_ms, marker, color=colour(shade), label=label)
        axes.set(xlabel="predicted, ms a step", ylabel="measured, ms a step", xlim=ends, ylim=ends)
        ticks = [tick for power in range(5) for tick in (10**power, 2 * 10**power, 5 * 10**power)]
        inside = [tick for tick in ticks if ends[0] <= tick <= ends[1]]
        for side in (axes.xaxis, axes.yaxis):
            side.set_ticks(inside, [f"{tick:,}" for tick in inside])
            side.set_ticks([], minor=True)
        axes.legend()
    return figure


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
