"""Chapter 35: what the page shows of traces: a stranger's names escaped, numbers those of the analyser, faults said."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from bs4 import BeautifulSoup

from snippets.hardware import dense_peak_flops_per_s
from snippets.synthesis.profiling.trace_view import trace_view
from snippets.synthesis.profiling.traces import read_trace, recorded_trace, step_budgets

HOSTILE = '<img src=x onerror="alert(1)">&</code></table>$x$'
PARTS = {"summary", "step", "steps", "kernels", "ranks", "unread"}


def kernel(name: str, ts: float, dur: float, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "kernel", "name": name, "ts": ts, "dur": dur, "pid": 0, "tid": 7} | more


def answer(setting: dict[str, str] | None = None, *texts: str, names: tuple[str, ...] = ()) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(trace_view(json.dumps(setting or {}), texts, names))
    return found


def words(html: str) -> str:
    return re.sub(r"\s+", " ", BeautifulSoup(html, "html.parser").get_text(" "))


def cells(html: str, caption: str) -> list[list[str]]:
    (table,) = (
        table
        for table in BeautifulSoup(html, "html.parser").find_all("table")
        if table.caption and caption in table.caption.get_text()
    )
    return [[cell.get_text(" ").strip() for cell in row.find_all(["th", "td"])] for row in table.select("tbody tr")]


def test_it_opens_with_the_recorded_traces_and_their_typical_step() -> None:
    found = answer()
    assert set(found["parts"]) == PARTS
    assert found["shown"] == {"rank": "0", "step": "3"}
    assert found["ranks"] == ["rank 0", "rank 1"]
    budget = step_budgets(read_trace(recorded_trace(rank=0)))[3]
    rows = cells(found["parts"]["step"], "Where the step")
    assert len(rows) == len(budget.parts) + 1
    for row, spent in zip(rows, budget.parts.values(), strict=False):
        number, unit = row[-2].split()
        assert float(number) * {"ms": 1e-3, "µs": 1e-6}[unit] == pytest.approx(spent, rel=0.006)
    assert rows[-1][-1] == "100.0%"
    assert [row[1] for row in cells(found["parts"]["ranks"], "Whom the others wait for")] == [
        "rank 1", "rank 1", "rank 0", "rank 1", "rank 1", "rank 0",
    ]  # fmt: skip
    assert "Every event that could count was read" in words(found["parts"]["unread"])


def test_names_of_kernels_and_files_are_escaped() -> None:
    hostile = json.dumps([kernel(HOSTILE, 0, 5), kernel("gemm" + HOSTILE, 5, 9)])
    found = answer(None, hostile, names=(HOSTILE,))
    for part in found["parts"].values():
        assert not BeautifulSoup(part, "html.parser").find_all(["img", "script"])
        assert "<img" not in part
    assert HOSTILE in words(found["parts"]["kernels"])
    assert HOSTILE in words(found["parts"]["unread"])
    wrong = json.loads(trace_view("{}", ["no trace"], [HOSTILE]))
    assert wrong["errors"]["file"].startswith(HOSTILE)  # a page shows it as text
    assert set(wrong) == {"errors"}


def test_a_category_that_is_markup_is_not_shown_as_such() -> None:
    rows = [{"ph": "X", "cat": HOSTILE, "name": "f", "ts": 0, "dur": 1}]
    assert set(answer(None, json.dumps(rows))) == {"errors"}


@pytest.mark.parametrize(
    ("setting", "field", "said"),
    [
        ({"step": "6"}, "step", "there are 6 steps, counted from 0, and you ask for 6"),
        ({"rank": "2"}, "rank", "there are 2 ranks"),
        ({"rank": "-1"}, "rank", "there are 2 ranks"),
        ({"step": "½"}, "step", "there are 6 steps"),
        ({"device": "Abacus", "parameters": "1", "tokens": "1"}, "device", "there is no Abacus in the catalogue"),
        ({"device": "H100 SXM", "parameters": "many", "tokens": "1"}, "parameters", "must be a number above 0"),
        ({"device": "H100 SXM", "parameters": "8B", "tokens": "nan"}, "tokens", "must be a number above 0"),
        ({"device": "H100 SXM", "parameters": "8B", "tokens": "0"}, "tokens", "must be a number above 0"),
    ],
)
def test_what_a_field_cannot_be_is_said_beside_it(setting: dict[str, str], field: str, said: str) -> None:
    errors = answer(setting)["errors"]
    assert list(errors) == [field]
    assert said in errors[field]


def test_too_many_files_and_a_setting_that_is_none_are_refused() -> None:
    assert "at most 8 traces" in json.loads(trace_view("{}", ["x"] * 9))["errors"]["file"]
    with pytest.raises(ValueError, match="setting_json must be JSON of a mapping, got '7'"):
        trace_view("7")


def test_from_the_peak_to_the_mfu_adds_up() -> None:
    """6 N tokens in 10 ms, of which 4 ms matmuls: the oracle is MFU by its definition."""
    rows = [
        kernel("gemm", 0, 4_000),
        kernel("ncclDevKernel_AllReduce", 4_000, 3_000),
        kernel("vectorized_norm", 9_000, 1_000),
    ]
    found = answer({"device": "H100 SXM", "parameters": "0.1B", "tokens": "2,048"}, json.dumps(rows))
    assert not found["errors"]
    table = cells(found["parts"]["step"], "From the peak of an H100 SXM")
    reached = 6 * 0.1e9 * 2048 / 0.01 / dense_peak_flops_per_s("H100 SXM", "bf16")
    shares = [float(row[-1].removesuffix("%")) for row in table]
    assert shares[-1] == pytest.approx(100 * reached, abs=0.06)
    assert shares[0] - sum(shares[1:-1]) == pytest.approx(shares[-1], abs=0.26)
    lost = {row[0].split("  ")[0]: row[-1] for row in table[1:-2]}
    assert lost == {"− idle": "20.0%", "− exposed communication": "30.0%", "− other kernels": "10.0%"}
    assert table[-2][0].startswith("− below the peak")
    too_much = answer({"device": "H100 SXM", "parameters": "1B", "tokens": "2048"}, json.dumps(rows))
    assert "contradict one another" in words(too_much["parts"]["step"])


def test_ranks_come_in_their_order_and_one_alone_is_compared_with_none() -> None:
    texts = [recorded_trace(rank=1), recorded_trace(rank=0)]
    assert answer({"rank": "0", "step": "3"}, *texts)["parts"]["step"] == answer()["parts"]["step"]
    alone = answer(None, texts[0])
    assert alone["ranks"] == ["rank 1"]
    assert "Choose one trace of each rank" in words(alone["parts"]["ranks"])
    assert "This is your trace." in words(alone["parts"]["summary"])


def test_many_steps_and_an_empty_one_are_shown() -> None:
    steps = [
        {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{k}", "ts": 10 * k, "dur": 10, "pid": 9}
        for k in range(40)
    ]
    found = answer({"step": "39"}, json.dumps([*steps, kernel("gemm", 0, 300)]))
    assert "10 more steps not shown" in words(found["parts"]["steps"])
    assert "100.0%" in words(found["parts"]["step"])
    nothing = answer(None, json.dumps([kernel("gemm", 5, 0)]))
    assert not nothing["errors"]


def ranked(rank: int | None, ranks: int, ts: float, dur: float) -> str:
    info = {} if rank is None else {"rank": rank, "world_size": ranks}
    return json.dumps({"distributedInfo": info, "traceEvents": [kernel("ncclDevKernel_AllReduce", ts, dur)]})


def test_traces_that_do_not_say_their_rank_are_called_by_their_files() -> None:
    late, early = ranked(None, 2, 7, 2), ranked(None, 2, 0, 9)
    found = answer(None, early, late, names=("rank5.json", "<b>2.json"))
    assert found["ranks"] == ["rank5.json", "<b>2.json"]
    assert [row[1] for row in cells(found["parts"]["ranks"], "Whom the others")] == ["<b>2.json"]
    assert "called by its file" in words(found["parts"]["ranks"])
    assert not BeautifulSoup(found["parts"]["ranks"], "html.parser").find_all("b")
    assert found["said"].startswith("rank5.json, the whole trace")


def test_two_traces_of_one_rank_are_refused_and_unseen_ranks_said() -> None:
    same = answer(None, ranked(0, 8, 0, 9), ranked(0, 8, 0, 9), names=("a.json", "b.json"))
    assert same["errors"] == {"file": "a.json and b.json are both of rank 0: choose one of each rank"}
    some = answer(None, ranked(0, 8, 0, 9), ranked(5, 8, 7, 2))
    assert "The run has 8 ranks, and these are 2" in words(some["parts"]["ranks"])
    assert "The run has" not in words(answer(None, ranked(0, 2, 0, 9), ranked(1, 2, 7, 2))["parts"]["ranks"])


def test_a_trace_in_which_nothing_takes_time_says_so() -> None:
    found = answer(None, json.dumps([kernel("gemm", 5, 0)]))
    assert "Nothing in it takes any time" in words(found["parts"]["summary"])
    assert "1 kernel or copy of a GPU" in words(found["parts"]["summary"])
    assert found["said"] == "file 1, the whole trace: 0.00 µs."
