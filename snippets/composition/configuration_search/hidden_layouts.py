"""Simulators: choices of benchmarks on a measured table of which most layouts are hidden, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from snippets.domain import at_most, each, named, number_between, positive_integer, positive_number, text

WAYS = ("best", "best of each kind", "any")
_AT_A_TIME = 4_000  # tables


def mean_regret(
    predicted_s: Sequence[float],
    measured_s: Sequence[float],
    kinds: Sequence[str],
    *,
    runs: int,
    way: str,
    share: float = 0.5,
    draws: int = 40_000,
    seed: int = 29,
) -> float:
    """Return how much slower than the best a choice by benchmarks is, on average over tables with hidden layouts.

    One table has one best layout, and whether the first prediction hits it is a matter of luck. So we hide layouts at
    random, choose among those that are left, and compare with the best of them.

    Args:
        predicted_s: steps of layouts of one job.
        measured_s: what was measured of each.
        kinds: what each is counted with, ``"t = 8"``.
        runs: how many are benchmarked; the fastest of these is taken.
        way: which: ``"best"`` predicted, ``"best of each kind"``, or ``"any"`` at random.
        share: of the layouts that is left, above 0 and at most 1; at least one is.
        draws: how many tables, at most 100,000.
        seed: of the random numbers.

    Returns:
        A share.

    Source: this book.
    Convention: every layout is as likely to be hidden as any other.
    Leaves out: that a benchmark's own clock is not exact.

    Example:
        >>> kinds = ["t = 4", "t = 4", "t = 8", "t = 8"]
        >>> steps = [10.0, 10.1, 10.5, 11.0], [12.0, 12.1, 10.4, 11.0]
        >>> [round(mean_regret(*steps, kinds, runs=2, way=way, share=1.0), 2) for way in ("best", "best of each kind")]
        [0.15, 0.0]
    """
    x, y = each("predicted_s", predicted_s, positive_number), each("measured_s", measured_s, positive_number)
    names = each("kinds", kinds, text)
    if not x or not len(x) == len(y) == len(names):
        raise ValueError(
            f"measured_s and kinds must have as many entries as predicted_s, {len(x)}, at least 1, got {len(y)} and"
            f" {len(names)}"
        )
    count, way = positive_integer("runs", runs), named("way", way, WAYS)
    left = max(1, round(number_between("share", share, low=1e-9, high=1) * len(x)))
    seed = positive_integer("seed", seed)
    draws = at_most("draws", positive_integer("draws", draws), 100_000)
    by_prediction = sorted(range(len(x)), key=lambda i: (x[i], i))
    took = np.array([y[i] for i in by_prediction])  # layouts are now called by their places in the predicted order
    kinds_in_order = tuple(names.index(names[i]) for i in by_prediction)
    total = 0.0
    for shown, chosen in _tables(kinds_in_order, left, draws, seed, way):
        total += float(np.sum(took[chosen[:, :count]].min(axis=1) / took[shown].min(axis=1) - 1))
    return total / draws


@lru_cache(maxsize=4)
def _tables(kinds: tuple[int, ...], left: int, draws: int, seed: int, way: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return what each table shows, and in which order it is run, some tables at a time, for any number of runs."""
    tables = _hidden(len(kinds), left, draws, seed)
    if way == "any":
        return [(shown, shown) for shown in tables]
    ordered = [(shown, np.sort(shown, axis=1)) for shown in tables]
    if way == "best":
        return ordered
    leads = [_leads(np.array(kinds)[chosen]) for _, chosen in ordered]
    return [
        (shown, np.take_along_axis(chosen, np.argsort(~first, axis=1, kind="stable"), axis=1))
        for (shown, chosen), first in zip(ordered, leads, strict=True)
    ]


@lru_cache(maxsize=1)
def _hidden(layouts: int, left: int, draws: int, seed: int) -> list[np.ndarray]:
    """Return which layouts each table shows, in random order, some tables at a time."""
    chance = np.random.default_rng(seed)
    sizes = [min(_AT_A_TIME, draws - done) for done in range(0, draws, _AT_A_TIME)]
    return [np.argsort(chance.random((tables, layouts)), axis=1)[:, :left].astype(np.int32) for tables in sizes]


def _leads(kinds: np.ndarray) -> np.ndarray:
    """Return which entries of each row are the first of their kind in it."""
    leads = np.zeros(kinds.shape, dtype=bool)
    for kind in np.flatnonzero(np.bincount(kinds.ravel())):
        same = kinds == kind
        rows = np.flatnonzero(same.any(axis=1))
        leads[rows, same[rows].argmax(axis=1)] = True
    return leads
