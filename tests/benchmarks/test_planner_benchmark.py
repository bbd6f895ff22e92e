"""The benchmark of the planner runs, and compares like with like. Its times are not looked at here."""

from __future__ import annotations

import re

import pytest

from benchmarks import planner
from benchmarks.planner import SMALL, Line, main, model_s, scoring
from snippets.composition.configuration_search.planner import layout_plan, plan


def test_every_step_prints_its_row(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "REPETITIONS", 1)
    assert main(["--small"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| Llama")]
    assert len(rows) == 9
    assert all(re.search(r"\| (yes|NO|) *\|$", row) for row in rows)


def test_the_model_is_the_planners() -> None:
    best = plan(SMALL.model, SMALL.cluster, tokens_per_step=SMALL.tokens_per_step, sequence=8192, most=20).best
    plain = next(one for one in best if not one.dropped)
    again = layout_plan(
        SMALL.model, SMALL.cluster, plain.layout, tokens_per_step=SMALL.tokens_per_step, sequence=SMALL.sequence
    )
    assert model_s(SMALL.job, plain.layout) == again.total_s == plain.total_s


def test_closed_forms_that_differ_from_the_model_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "model_s", lambda job, layout: 1.001 * model_s(job, layout))
    with pytest.raises(AssertionError, match="Layout"):
        scoring(SMALL)


def test_goals_are_kept_from_the_right_side() -> None:
    assert Line("x", 123456, " a second", 100_000).row() == "| x | 123,456 a second | at least 100,000 a second | yes |"
    assert Line("x", 0.3, " s", 2, at_least=False).row() == "| x | 0.3 s | at most 2 s | yes |"
    assert Line("x", 3, " s", 2, at_least=False).row().endswith("| NO |")
    assert Line("x", 12.3, "×").row() == "| x | 12× | | |"
