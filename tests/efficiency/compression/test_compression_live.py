"""The live figure of chapter 30 says what a step waits that is simulated layer by layer, and what arrays are off by."""

from __future__ import annotations

import re

import numpy as np
import pytest

from snippets.efficiency.compression.live import compression_figure
from snippets.efficiency.compression.programs import run_rounded_reduction
from snippets.live.declaring import Named
from tests.efficiency.compression.lockstep import lockstep_s


def said(values: dict[str, object]) -> list[float]:
    text = compression_figure(**values).numbers
    times = [float(n) * (1e-3 if unit == "ms" else 1) for n, unit in re.findall(r"([\d.e+]+) (ms|s)\b", text)]
    return times + [float(n) for n in re.findall(r"([\d.e+-]+)%", text)]


@pytest.mark.parametrize("named", compression_figure.named, ids=lambda named: named.name)
def test_the_wait_is_that_of_a_step_in_lockstep(named: Named) -> None:
    values = {knob.name: knob.default for knob in compression_figure.knobs} | dict(named.values)
    gather, again, reduce, forward, backward, *rest = said(values)
    rounding = rest.pop(0) if "rounding takes no time" not in compression_figure(**values).numbers else 0.0
    total, share = rest[:2]
    end = lockstep_s(layers=80, passes=(forward, backward), gathers=(gather, again), reduce=reduce)
    assert total == pytest.approx(end + 80 * rounding, rel=0.02)
    assert backward == pytest.approx(3 * forward, rel=0.01)
    waits = end - 80 * (forward + backward)
    assert share == pytest.approx(100 * waits / total, rel=0.02, abs=0.5)


def test_the_errors_are_those_of_rounded_arrays() -> None:
    rng = np.random.default_rng(3)
    everything = rng.normal(size=(16, 16 * 8192))
    for way in ("ring", "two-hop", "one-shot"):
        assert "gradients by less than 0.001%" in compression_figure(gradients="32", way=way).numbers
        for gradients in ("16", "8", "4"):
            block = 8192 if gradients == "4" else 256  # four bits come in DeepSpeed's blocks
            arrays = everything[:, : 16 * block]
            exact = arrays.sum(axis=0)
            run = run_rounded_reduction(arrays, way=way, bits=int(gradients), block=block, node_ranks=8)
            off = np.sqrt(np.mean((run.shares - exact) ** 2) / np.mean(exact**2))
            error = said({"nodes": 2, "gradients": gradients, "way": way})[-1]
            assert error == pytest.approx(100 * off, rel=0.15)


def test_a_single_node_sends_nothing_over_the_network() -> None:
    assert said({"nodes": 1, "network": 50}) == said({"nodes": 1, "network": 3200})
