"""What the chapters show of the labs' recorded runs."""

from __future__ import annotations

import pytest

from labs.records import print_record, read_record


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
    with pytest.raises(ValueError, match=r"name must be one of cost_model, .*, got 'ring'"):
        read_record("ring")
    with pytest.raises(ValueError, match="begins must be how rows of ring_all_reduce begin, got 'odd'"):
        print_record("ring_all_reduce", "odd")
