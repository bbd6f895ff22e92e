"""Closed forms of the data pipeline against queues, buffers and orders in which things are moved and counted."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.foundations.data_pipeline.clocks import busy_shares
from snippets.foundations.data_pipeline.epoch_order import epoch_order, epoch_rank_share, rank_batches
from snippets.foundations.data_pipeline.formulas import (
    batches_in_flight,
    input_bytes_per_s,
    loader_run,
    read_amplification,
    shared_queue_busy_share,
    steady_busy_share,
    still_in_buffer_share,
)
from snippets.foundations.data_pipeline.simulators import ordered_loader, shared_queue, shuffled, unordered_loader

TIMES = st.lists(st.integers(1, 12).map(float), min_size=1, max_size=40)
TENTHS = st.integers(1, 50).map(lambda tenths: 0.1 * tenths)


@given(TIMES, st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_the_clock_of_a_loader_is_that_of_queues_in_which_batches_move(
    times: list[float], step: int, workers: int, factor: int
) -> None:
    run = loader_run(times, step_s=step, workers=workers, prefetch_factor=factor)
    moved = ordered_loader(times, step_s=step, workers=workers, prefetch_factor=factor)
    assert run.takes_s == moved.takes_s
    assert run.busy_share == pytest.approx(moved.busy_share)
    assert moved.batches == len(times)


@given(st.integers(1, 30).flatmap(lambda n: st.lists(st.lists(TENTHS, min_size=n, max_size=n), min_size=1, max_size=4)))
def test_the_clocks_of_many_loaders_are_those_of_each(lists: list[list[float]]) -> None:
    loaders, steps = [(1, 1), (2, 3), (3, 1), (40, 2)], [0.1 * (number + 1) for number in range(len(lists))]
    for given_s, step_of in ((steps, steps), (0.3, [0.3] * len(lists))):
        shares = busy_shares(lists, step_s=given_s, loaders=loaders)
        assert shares.tolist() == [
            [
                loader_run(times, step_s=step, workers=workers, prefetch_factor=factor).busy_share
                for times, step in zip(lists, step_of, strict=True)
            ]
            for workers, factor in loaders
        ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batches_s": [[1.0, 0.0]]}, "batches_s must hold numbers above 0"),
        ({"batches_s": [[]]}, "batches_s must hold numbers above 0, at least one"),
        ({"step_s": -1.0}, "step_s must hold numbers above 0"),
        ({"step_s": [1.0, 1.0]}, "step_s must be a number or one for each of 1 lists"),
        ({"loaders": []}, "loaders must be pairs"),
        ({"loaders": [(1, 2, 3)]}, "loaders must be pairs"),
        ({"loaders": [(0, 1)]}, r"loaders\[0\]\[0\] must be an integer of at least 1"),
        ({"loaders": [(2**10, 2**10)]}, "workers × prefetch_factor must be at most 65536"),
    ],
)
def test_the_clocks_of_many_loaders_refuse(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        busy_shares(**{"batches_s": [[1.0, 2.0]], "step_s": 1.0, "loaders": [(1, 1)], **change})


@given(TIMES, st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_a_loader_that_gives_up_the_order_hands_out_every_batch_and_keeps_littles_law(
    times: list[float], step: int, workers: int, factor: int
) -> None:
    moved = unordered_loader(times, step_s=step, workers=workers, prefetch_factor=factor)
    assert moved.batches == len(times)
    assert all(after - before >= step for before, after in itertools.pairwise(moved.takes_s))
    assert moved.takes_s[-1] >= max(sum(times) / workers, min(times) + (len(times) - 1) * step) - max(times) - 1e-9
    law = batches_in_flight(batches_per_s=len(times) / (moved.takes_s[-1] + step), batch_s=moved.mean_making_s)
    assert moved.mean_in_making == pytest.approx(law)


@given(st.integers(1, 9), st.integers(1, 30), st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_with_equal_times_the_order_costs_nothing(batch: int, count: int, step: int, workers: int, factor: int) -> None:
    sizes = {"step_s": step, "workers": workers, "prefetch_factor": factor}
    times = [float(batch)] * count
    assert ordered_loader(times, **sizes).takes_s == unordered_loader(times, **sizes).takes_s


@given(TIMES, st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_a_batch_that_takes_longer_than_its_head_start_makes_the_gpu_wait(
    times: list[float], step: int, workers: int, factor: int
) -> None:
    takes = loader_run(times, step_s=step, workers=workers, prefetch_factor=factor).takes_s
    ahead = workers * factor
    for batch in range(ahead, len(times)):
        waited = takes[batch] - takes[batch - ahead] - ahead * step
        assert waited >= times[batch] - ahead * step - 1e-9


@given(st.integers(1, 5), st.integers(1, 3), st.integers(1, 4), st.integers(1, 60))
def test_behind_spare_workers_a_lone_slow_batch_costs_what_exceeds_its_head_start(
    batch: int, spare: int, factor: int, slow: int
) -> None:
    workers, count = batch + spare, 200
    times = [float(batch)] * count
    times[120] = float(batch + slow)
    takes = ordered_loader(times, step_s=1, workers=workers, prefetch_factor=factor).takes_s
    assert takes[119] - takes[100] == 19
    assert takes[-1] - takes[119] - 80 == max(0, batch + slow - workers * factor)


@pytest.mark.parametrize("factor", [2, 3, 4, 8])
def test_without_spare_workers_a_longer_head_start_saves_nothing(factor: int) -> None:
    times = [6.0 if i == 8 else 2.0 for i in range(40)]
    takes = ordered_loader(times, step_s=1, workers=2, prefetch_factor=factor).takes_s
    assert takes[8] - takes[7] - 1 == 4


@given(TIMES, st.integers(1, 6), st.integers(1, 5), st.integers(1, 3))
def test_more_workers_or_prefetch_never_end_later(times: list[float], step: int, workers: int, factor: int) -> None:
    sizes = {"step_s": step, "workers": workers, "prefetch_factor": factor}
    end = loader_run(times, **sizes).takes_s[-1]
    assert loader_run(times, **{**sizes, "prefetch_factor": factor + 1}).takes_s[-1] <= end
    # Another worker may get a slow batch that the round had spared, but as many requests for each cannot end the run
    # later than one worker does.
    assert end <= loader_run(times, step_s=step, workers=1, prefetch_factor=factor).takes_s[-1]


@given(TIMES, st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_littles_law_holds_for_every_run(times: list[float], step: int, workers: int, factor: int) -> None:
    moved = ordered_loader(times, step_s=step, workers=workers, prefetch_factor=factor)
    rate = moved.batches / (moved.takes_s[-1] + step)
    law = batches_in_flight(batches_per_s=rate, batch_s=moved.mean_making_s)
    assert moved.mean_in_making == pytest.approx(law)
    assert moved.mean_in_making <= workers + 1e-9


@pytest.mark.parametrize(("workers", "batch", "step"), [(1, 3, 1), (2, 5, 1), (5, 5, 1), (7, 5, 1), (3, 7, 2)])
def test_with_equal_times_the_busy_share_is_the_closed_one(workers: int, batch: int, step: int) -> None:
    seen = ordered_loader([float(batch)] * 2000, step_s=step, workers=workers).busy_share
    assert seen == pytest.approx(steady_busy_share(workers=workers, batch_s=batch, step_s=step), abs=5e-3)


@pytest.mark.parametrize(
    ("workers", "outstanding", "batch", "step"),
    [(1, 1, 1, 1), (1, 6, 2, 1), (3, 3, 1, 0.3), (4, 12, 1, 0.25), (2, 7, 1, 3)],
)
def test_the_exponential_queue_has_its_closed_form(workers: int, outstanding: int, batch: float, step: float) -> None:
    sizes: dict[str, Any] = {"workers": workers, "outstanding": outstanding, "batch_s": batch, "step_s": step}
    drawn = shared_queue(**sizes, batches=40_000, seed=11)
    assert drawn.busy_share == pytest.approx(shared_queue_busy_share(**sizes), abs=0.012)


@given(st.integers(1, 5), st.integers(0, 6), st.fractions(Fraction(1, 8), 4))
def test_the_closed_form_balances_every_state(workers: int, more: int, ratio: Fraction) -> None:
    outstanding = workers + more
    size = outstanding + 2
    up = [min(workers, outstanding + 1 - n) for n in range(size)]
    chances = [Fraction(1)]
    for n in range(size - 1):
        chances.append(chances[-1] * up[n] * ratio)
    whole = sum(chances)
    for n in range(1, size - 1):  # what enters a state leaves it
        assert chances[n - 1] * up[n - 1] * ratio + chances[n + 1] == chances[n] * (up[n] * ratio + 1)
    share = shared_queue_busy_share(workers=workers, outstanding=outstanding, batch_s=1, step_s=float(ratio))
    assert share == pytest.approx(float(1 - chances[0] / whole))


@given(st.integers(1, 3), st.integers(2, 5))
def test_a_buffer_keeps_an_example_as_its_formula_says(draws: int, slots: int) -> None:
    kept = sum(0 not in path for path in itertools.product(range(slots), repeat=draws))
    assert still_in_buffer_share(slots=slots, draws=draws) == pytest.approx(kept / slots**draws)


@given(st.integers(1, 200), st.integers(1, 50))
def test_a_buffer_hands_out_every_example_once_and_none_too_early(count: int, slots: int) -> None:
    out = shuffled(range(count), slots=slots, seed=count)
    assert sorted(out) == list(range(count))
    assert all(place >= example - slots + 1 for place, example in enumerate(out))


@given(st.integers(1, 60), st.integers(1, 60))
def test_the_amplification_is_the_mean_over_all_places(example: int, block: int) -> None:
    read = sum((start + example - 1) // block + 1 for start in range(block)) * block
    assert read_amplification(example_bytes=example, block_bytes=block) == pytest.approx(read / block / example)


def test_the_demand_is_counted_example_by_example() -> None:
    assert input_bytes_per_s(examples_per_s=3, example_bytes=7) == sum([7] * 3)


@given(st.integers(1, 60), st.integers(1, 20), st.data())
@settings(max_examples=60)
def test_any_ranks_and_any_stops_give_every_example_once_in_the_same_order(
    examples: int, batch: int, data: st.DataObject
) -> None:
    order = epoch_order(examples=examples, seed=3, epoch=1)
    assert sorted(order) == list(range(examples))
    position, steps = 0, []
    while position < examples:
        ranks = data.draw(st.integers(1, 7))
        left = [rank_batches(order, position=position, batch=batch, ranks=ranks, rank=rank) for rank in range(ranks)]
        for step in range(data.draw(st.integers(1, len(left[0])))):
            shares = [rank[step] for rank in left]
            assert max(map(len, shares)) - min(map(len, shares)) <= 1
            steps.append([example for share in shares for example in share])
            position += len(steps[-1])
    assert steps == [order[first : first + batch] for first in range(0, examples, batch)]


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 9))
def test_shares_follow_each_other_and_are_even(first: int, count: int, ranks: int) -> None:
    shares = [epoch_rank_share(position=first, examples=count, ranks=ranks, rank=rank) for rank in range(ranks)]
    assert [place for share in shares for place in share] == list(range(first, first + count))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    orders = [epoch_order(examples=50, seed=seed, epoch=epoch) for seed in (0, 1) for epoch in (0, 1)]
    assert len({tuple(order) for order in orders}) == 4
    assert epoch_order(examples=50, seed=1, epoch=0) == orders[2]


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="workers must be at most outstanding = 2, got 3"):
        shared_queue_busy_share(workers=3, outstanding=2, batch_s=1, step_s=1)
    with pytest.raises(ValueError, match="outstanding must be at most 4096"):
        shared_queue_busy_share(workers=3, outstanding=5000, batch_s=1, step_s=1)
    with pytest.raises(ValueError, match="rank must be below ranks = 2, got 2"):
        epoch_rank_share(position=0, examples=4, ranks=2, rank=2)
    for run in (loader_run, ordered_loader):
        with pytest.raises(ValueError, match="batches_s must hold at least one time"):
            run([], step_s=1, workers=1)
