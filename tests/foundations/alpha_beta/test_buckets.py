"""The clock of a link, advanced bucket by bucket, proves the closed form of the bucketed step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.alpha_beta.buckets import bucketed_step, sent_in_order
from snippets.foundations.alpha_beta.formulas import best_buckets, bucketed_step_time_s

SECONDS = st.floats(0, 1)
MACHINE = st.fixed_dictionaries(
    {
        "total_bytes": st.floats(0, 1e10),
        "compute_s": SECONDS,
        "latency_s": SECONDS,
        "bandwidth_bytes_per_s": st.floats(1e6, 1e12),
    }
)


@given(machine=MACHINE, buckets=st.integers(1, 60))
def test_the_last_bucket_ends_when_the_formula_says(machine: dict[str, float], buckets: int) -> None:
    run = bucketed_step(buckets=buckets, **machine)
    assert run[-1].end_s == pytest.approx(bucketed_step_time_s(buckets=buckets, **machine), rel=1e-12)


@given(machine=MACHINE, buckets=st.integers(1, 60))
def test_a_bucket_waits_until_it_is_full_and_the_link_is_free(machine: dict[str, float], buckets: int) -> None:
    run = bucketed_step(buckets=buckets, **machine)
    assert len(run) == buckets
    assert run[-1].ready_s == machine["compute_s"]
    free = 0.0
    for bucket in run:
        assert bucket.start_s == max(bucket.ready_s, free)
        assert bucket.waited_s >= 0
        free = bucket.end_s


def test_the_best_number_of_buckets_is_the_simulators() -> None:
    for compute in (0.01, 0.04, 0.2):
        machine = {"total_bytes": 1e9, "compute_s": compute, "latency_s": 1e-3, "bandwidth_bytes_per_s": 25e9}
        ends = {buckets: bucketed_step(buckets=buckets, **machine)[-1].end_s for buckets in range(1, 300)}
        assert best_buckets(**machine) == min(ends, key=lambda buckets: round(ends[buckets], 15))


@pytest.mark.parametrize(
    "wrong", [{"buckets": 0}, {"total_bytes": -1}, {"compute_s": -1}, {"latency_s": -1}, {"bandwidth_bytes_per_s": 0}]
)
def test_bad_buckets_are_named(wrong: dict[str, float]) -> None:
    good = {"total_bytes": 1, "buckets": 1, "compute_s": 1, "latency_s": 1, "bandwidth_bytes_per_s": 1}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        bucketed_step(**{**good, **wrong})  # type: ignore[arg-type]


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=30))
def test_buckets_of_any_times_end_when_the_longest_chain_does(drawn: list[tuple[float, float]]) -> None:
    ready, busy = [full for full, _ in drawn], [time for _, time in drawn]
    run = sent_in_order(ready, busy)
    # No clock: the end is the largest sum of one bucket's filling and the sending of it and of all later ones.
    longest = max(full + sum(busy[number:]) for number, full in enumerate(ready))
    assert run[-1].end_s == pytest.approx(longest, rel=1e-12)
    assert [bucket.ready_s for bucket in run] == ready


@pytest.mark.parametrize(("ready", "busy"), [([], []), ([1.0], [1.0, 2.0]), ([1.0], [-1.0]), ([-1.0], [1.0])])
def test_bad_times_are_named(ready: list[float], busy: list[float]) -> None:
    with pytest.raises(ValueError, match=r"ready_s|busy_s"):
        sent_in_order(ready, busy)
