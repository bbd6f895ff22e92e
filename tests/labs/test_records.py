"""What the chapters show of the labs' recorded runs."""

from __future__ import annotations

import pytest

from labs.records import plot_layouts, print_record, read_record, recorded_layouts
from snippets.figures import svg_of


def test_a_record_says_what_machine_it_was() -> None:
    record = read_record("ring_all_reduce")
    assert record["lab"] == "collectives/ring_all_reduce"
    assert record["machine"]
    assert record["versions"]["torch"]
    assert all(row["agree"] for row in record["rows"])


def test_rows_are_printed_by_how_they_begin(capsys: pytest.CaptureFixture[str]) -> None:
    print_record("ring_all_reduce", "even: sent, as", "uneven: sent")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("4 ranks, gloo, PyTorch ")
    assert lines[2:] == [
        "even: sent, as 2(N−1)/N·n:",
        "  2,400 | 2,400 bytes",
        "uneven: sent:",
        "  2,416; 2,416; 2,420; 2,420 | 2,416; 2,416; 2,420; 2,420 bytes",
    ]


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match=r"name must be one of .*, cost_model, .*, got 'ring'"):
        read_record("ring")
    with pytest.raises(ValueError, match="begins must be how rows of ring_all_reduce begin, got 'odd'"):
        print_record("ring_all_reduce", "odd")


def test_layouts_are_a_table_and_a_picture() -> None:
    columns = recorded_layouts()
    rows = {row["what"].removeprefix("step of "): row for row in read_record("layout_times")["rows"]}
    limits = ("pairs predicted 50% apart: in the wrong order", "regret", "1 − Spearman's correlation", "median error")
    assert all(rows[limit]["agree"] is True for limit in limits)
    for name, predicted_ms, measured_ms, waiting in zip(*columns.values(), strict=True):
        assert predicted_ms == pytest.approx(1e3 * rows[name]["predicted"][0])
        assert measured_ms == pytest.approx(1e3 * rows[name]["measured"][0])
        assert 0 <= waiting < 1
    assert columns["measured, ms"] == sorted(columns["measured, ms"])
    picture = svg_of(plot_layouts())
    assert all(label in picture for label in ("cut matrices", "cut layers", "cut batch alone", "measured, ms a step"))
