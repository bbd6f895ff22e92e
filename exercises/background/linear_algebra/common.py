"""What the exercises on cut products share: their inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.exercise import Inputs


def product(m: int, k: int, n: int, parts: int, kind: Any = np.int64, most: int = 9) -> Inputs:
    """Return matrices, different for each shape, and a number of parts.

    Whole numbers are positive, up to ``most``; floats are quarters of either sign, whose sums of products are exact.
    """
    generator = np.random.default_rng((m, k, n))
    if np.issubdtype(kind, np.floating):
        a, b = (generator.integers(-36, 37, shape) / 4 for shape in ((m, k), (k, n)))
    else:
        a, b = (generator.integers(1, most + 1, shape) for shape in ((m, k), (k, n)))
    return {"a": a.astype(kind), "b": b.astype(kind), "parts": parts}


ONE_NUMBER: Inputs = {"a": np.array([[2]]), "b": np.array([[3]]), "parts": 1}


def products(st: Any) -> Any:
    sizes = {name: st.integers(1, 6) for name in ("m", "k", "n", "parts")}
    return st.builds(product, **sizes, kind=st.sampled_from((np.int64, np.float32)), most=st.sampled_from((9, 5000)))
