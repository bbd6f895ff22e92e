"""What the tests of the collectives share: every algorithm, sizes to try it on, and what NumPy says must come out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from snippets.simulation.algorithms import ALGORITHMS, PIPELINED, build_collective
from snippets.simulation.schedule import ROOTED, Schedule

Arrays = list[npt.NDArray[Any]]

EVERY = [(primitive, algorithm) for primitive, names in ALGORITHMS.items() for algorithm in names]
WITH_DATA = [key for key in EVERY if key[0] != "barrier"]


class Sizes(NamedTuple):
    """One question to an algorithm."""

    ranks: int
    length: int
    root: int = 0
    segments: int = 1


@st.composite
def sizes(draw: st.DrawFn, primitive: str, algorithm: str, most_ranks: int = 13) -> Sizes:
    """Any number of ranks, lengths from 0 past several chunks, any root, any number of blocks."""
    ranks = draw(st.integers(1, most_ranks))
    length = 0 if primitive == "barrier" else draw(st.integers(0, 4 * ranks + 3))
    root = draw(st.integers(0, ranks - 1)) if primitive in ROOTED else 0
    return Sizes(ranks, length, root, draw(st.integers(1, 5)) if algorithm in PIPELINED else 1)


def schedule_of(primitive: str, algorithm: str, at: Sizes) -> Schedule:
    return build_collective(primitive, algorithm, ranks=at.ranks, length=at.length, root=at.root, segments=at.segments)


def inputs_and_outputs(primitive: str, at: Sizes, seed: int, dtype: Any = np.int64) -> tuple[Arrays, Arrays]:
    """Return arrays that differ on every rank, and what the primitive makes of them by its definition."""
    random = np.random.default_rng(seed)
    vectors = [random.integers(-1000, 1000, at.length).astype(dtype) for _ in range(at.ranks)]
    nothing = [np.zeros(0, dtype) for _ in range(at.ranks)]
    first, total = vectors[0], np.sum(vectors, axis=0, dtype=dtype)

    def on_root(values: npt.NDArray[Any]) -> Arrays:
        return [values if rank == at.root else nothing[rank] for rank in range(at.ranks)]

    def chunks(values: npt.NDArray[Any]) -> Arrays:
        return np.array_split(values, at.ranks)

    exchanged = [np.concatenate([chunks(vector)[rank] for vector in vectors]) for rank in range(at.ranks)]
    return {
        "broadcast": (on_root(first), [first] * at.ranks),
        "reduce": (vectors, on_root(total)),
        "scatter": (on_root(first), chunks(first)),
        "gather": (chunks(first), on_root(first)),
        "all_gather": (chunks(first), [first] * at.ranks),
        "reduce_scatter": (vectors, chunks(total)),
        "all_reduce": (vectors, [total] * at.ranks),
        "all_to_all": (vectors, exchanged),
        "barrier": (nothing, nothing),
    }[primitive]
