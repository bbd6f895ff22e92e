"""Formulas: what a program of ``sharded_programs`` is given and yields; data alone, so that NumPy is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class ReduceScatter(NamedTuple):
    """Add up an array that has an entry for each parameter over the ranks; each rank gets its shard of the sum.

    >>> ReduceScatter([1.0, 2.0]).array
    [1.0, 2.0]
    """

    array: Any


class AllReduce(NamedTuple):
    """Add up an array that has an entry for each parameter over the ranks; each rank gets all of the sum.

    >>> AllReduce([1.0, 2.0]).array
    [1.0, 2.0]
    """

    array: Any


class AllGather(NamedTuple):
    """Join the ranks' shards, in new memory or in an array ``into`` that has an entry for each parameter.

    >>> AllGather([1.0]).into is None
    True
    """

    array: Any
    into: Any = None


Request = ReduceScatter | AllReduce | AllGather


@dataclass
class Rank:
    """What a rank of a data-parallel group sees: Ψ parameters, of which it owns a shard.

    Attributes:
        number: its number, from 0.
        ranks: how many there are, N.
        shard: the slice of the parameters that it owns, cut as by ``numpy.array_split``.
        parameters: its copy of all parameters.
        gradients: the gradient of its own examples, of all parameters.
        first: Adam's first average of its shard.
        second: Adam's second average of its shard.

    >>> Rank(0, 2, slice(0, 1), [1.0, 1.0], [0.0, 0.0], [0.0], [0.0]).shard
    slice(0, 1, None)
    """

    number: int
    ranks: int
    shard: slice
    parameters: Any
    gradients: Any
    first: Any
    second: Any
