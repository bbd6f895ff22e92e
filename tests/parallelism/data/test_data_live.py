"""The shared batch's figure says what a clock says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.parallelism.data.live import LINKS, shared_batch
from snippets.parallelism.data.steps import shared_step


@settings(max_examples=30)
@given(
    machines=st.integers(1, 10).map(lambda power: 2**power),
    batch=st.integers(12, 20).map(lambda power: 2**power),
    most=st.integers(11, 16).map(lambda power: 2**power),
    buckets=st.sampled_from([1, 3, 25, 119]),
    tera=st.sampled_from([25, 125, 500]),
    link=st.sampled_from(list(LINKS)),
)
def test_the_share_of_waiting_is_that_of_a_clock(
    machines: int, batch: int, most: int, buckets: int, tera: int, link: str
) -> None:
    parameters = 2e9
    said = shared_batch(
        machines=machines, batch=batch, most=most, buckets=buckets, parameters=parameters, tera=tera, link=link
    ).numbers
    count = max(1, batch // machines // most)
    tokens = batch / machines / count
    step = shared_step(
        micro_batches=min(count, 2048),
        forward_s=2 * parameters * tokens / (tera * 1e12),
        backward_s=4 * parameters * tokens / (tera * 1e12),
        total_bytes=2 * parameters,
        buckets=buckets,
        latency_s=2 * (machines - 1) * 5e-6,
        bandwidth_bytes_per_s=float(link) * 1e9 * machines / (2 * (machines - 1)),
    )
    if count <= 2048:
        found = re.search(r"of it, ([\d.e-]+)%", said)
        assert found
        assert float(found[1]) == pytest.approx(100 * step.waiting_share, rel=6e-3)


def test_one_machine_waits_for_nobody() -> None:
    picture = shared_batch(machines=1)
    assert "0%, the GPU waits" in picture.numbers
    assert set(picture.idle) == {"link", "buckets"}
