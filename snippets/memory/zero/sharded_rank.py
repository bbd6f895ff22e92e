"""Formulas: what a program of ``sharded_programs`` sees of its rank; data alone, so that NumPy is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Rank:
    """What a rank of a data-parallel group sees: N parameters, of which it owns a shard.

    Attributes:
        number: its number, from 0.
        ranks: how many there are, R.
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
