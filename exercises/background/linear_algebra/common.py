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
    low, high, unit = (-36, 37, 4) if np.issubdtype(kind, np.floating) else (1, most + 1, 1)
    a, b = ((generator.integers(low, high, shape) / unit).astype(kind) for shape in ((m, k), (k, n)))
    return {"a": a, "b": b, "parts": parts}


ONE_NUMBER: Inputs = {"a": np.array([[2]]), "b": np.array([[3]]), "parts": 1}


def products(st: Any) -> Any:
    sizes = {name: st.integers(1, 6) for name in ("m", "k", "n", "parts")}
    return st.builds(product, **sizes, kind=st.sampled_from((np.int64, np.float32)), most=st.sampled_from((9, 5000)))
