"""The live figure of chapter 31 says what trying every split finds."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from snippets.efficiency.local_sgd.live import fleet_figure
from snippets.live.declaring import Named


def said(numbers: str, pattern: str) -> float:
    found = re.search(pattern, numbers)
    assert found, numbers
    return float(found[1]) * (60 if found[2] == "min" else 1)


def by_hand(values: dict[str, Any], generating: int) -> float:
    """Add up GPU by GPU what each side has to do: work that divides, in turn or at once."""
    gpus = int(values["gpus"])
    generate = values["tail_s"] + sum(values["generation_gpu_s"] / generating / generating for _ in range(generating))
    training = gpus - generating
    train = values["fixed_s"] + sum(values["training_gpu_s"] / training / training for _ in range(training))
    return max(generate, train)


def shown(values: dict[str, Any]) -> None:
    numbers = fleet_figure(**values).numbers
    gpus = int(values["gpus"])
    tried = {number: by_hand(values, number) for number in range(1, gpus)}
    in_turn = said(numbers, r"a step takes ([\d.e+]+) (s|min)")
    work = values["generation_gpu_s"] + values["training_gpu_s"]
    assert in_turn == pytest.approx(values["tail_s"] + values["fixed_s"] + work / gpus, rel=6e-3)
    generating = min(max(1, round(gpus * values["percent"] / 100)), gpus - 1)
    assert said(numbers, r"that train, it's ([\d.e+]+) (s|min)") == pytest.approx(tried[generating], rel=6e-3)
    allowed = [tried[n] for n in tried if n % values["replica"] == 0 and n >= values["least"]]
    if allowed:
        assert said(numbers, r"generating, takes ([\d.e+]+) (s|min)") == pytest.approx(min(allowed), rel=6e-3)
    else:
        assert "No split has" in numbers


@pytest.mark.parametrize("named", fleet_figure.named, ids=lambda named: named.name)
def test_a_named_setting_says_what_trying_finds(named: Named) -> None:
    shown({knob.name: knob.default for knob in fleet_figure.knobs} | dict(named.values))


def test_any_fleet_says_what_trying_finds() -> None:
    chance = Random(31)
    for _ in range(60):
        shown(
            {
                "gpus": 2 * chance.randint(1, 60),
                "tail_s": chance.randint(0, 100),
                "generation_gpu_s": float(chance.randint(16, 9000)),
                "fixed_s": chance.randint(0, 100),
                "training_gpu_s": float(chance.randint(16, 9000)),
                "replica": chance.choice([1, 1, 2, 8]),
                "least": chance.choice([1, 1, 4, 30]),
                "percent": chance.randint(1, 99),
            }
        )


def test_fleets_a_and_b_are_the_chapters() -> None:
    halves = {named.name: fleet_figure(**dict(named.values)).numbers for named in fleet_figure.named}
    for name, times in {"Fleet A, in halves": ("67 s", "111 s"), "Fleet B, in halves": ("300 s", "221 s")}.items():
        assert all(time in halves[name] for time in times)
