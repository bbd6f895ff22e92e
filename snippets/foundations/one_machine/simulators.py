"""Simulators: a tiny GPT that runs one training step, every matrix product of which passes through a counter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import affordable, finite_array, index_array, refusing_overflow
from snippets.domain import named, nonnegative_integer, one_of, positive_integer

Array = NDArray[np.float64]
Parameters = Mapping[str, Array]
PARTS = ("projections", "attention", "feed-forward", "head")
PASSES = ("forward", "backward")
_EPSILON = 1e-5
_SLOPE = float(np.sqrt(2 / np.pi))


def gpt_shapes(*, layers: int, hidden: int, vocabulary: int, positions: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a GPT-2 with these sizes, by name.

    Args:
        layers: transformer blocks.
        hidden: width d of the residual stream; the inner width is 4d.
        vocabulary: rows of the token table, which is also the head.
        positions: rows of the position table.

    Returns:
        Shapes, in the order in which a token meets the tensors.

    Example:
        >>> sum(prod(s) for s in gpt_shapes(layers=12, hidden=768, vocabulary=50257, positions=1024).values())
        124439808
    """
    d = positive_integer("hidden", hidden)
    shapes: dict[str, tuple[int, ...]] = {
        "tokens": (positive_integer("vocabulary", vocabulary), d),
        "positions": (positive_integer("positions", positions), d),
    }
    layers = positive_integer("layers", layers)
    affordable("layers", layers)
    for layer in range(layers):
        shapes |= {
            f"{layer} norm 1": (2, d),
            f"{layer} qkv": (d, 3 * d),
            f"{layer} qkv bias": (3 * d,),
            f"{layer} out": (d, d),
            f"{layer} out bias": (d,),
            f"{layer} norm 2": (2, d),
            f"{layer} up": (d, 4 * d),
            f"{layer} up bias": (4 * d,),
            f"{layer} down": (4 * d, d),
            f"{layer} down bias": (d,),
        }
    return shapes | {"norm": (2, d)}


def gpt_weights(*, layers: int, hidden: int, vocabulary: int, positions: int, seed: int = 0) -> dict[str, Array]:
    """Return random weights in the shapes of ``gpt_shapes``.

    Args:
        layers: transformer blocks.
        hidden: width d of the residual stream.
        vocabulary: rows of the token table.
        positions: rows of the position table.
        seed: of the random numbers, at least 0.

    Returns:
        Arrays by name. Row 0 of a norm is its scale, row 1 its shift.

    Example:
        >>> weights = gpt_weights(layers=1, hidden=4, vocabulary=5, positions=3)
        >>> sum(weight.size for weight in weights.values())
        284
    """
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    shapes = gpt_shapes(layers=layers, hidden=hidden, vocabulary=vocabulary, positions=positions)
    affordable(
        "12 × layers × hidden² + (vocabulary + positions) × hidden, about,",
        sum(prod(shape) for shape in shapes.values()),
    )
    weights = {name: 0.3 * rng.normal(size=shape) for name, shape in shapes.items()}
    for name in shapes:
        if "norm" in name:
            weights[name][0] += 1
    return weights


@dataclass(frozen=True)
class CountedStep:
    """What one step of training computed, and what it cost.

    Attributes:
        loss: mean cross-entropy of the next token, in nats.
        gradients: of the loss, for each weight.
        multiplications: of numbers, in matrix products, by part and pass.

    Example:
        >>> CountedStep(0.0, {}, {("head", "forward"): 3, ("head", "backward"): 6}).flops(part="head")
        18
    """

    loss: float
    gradients: Mapping[str, Array]
    multiplications: Mapping[tuple[str, str], int]

    def flops(self, *, part: str = "all", phase: str = "all") -> int:
        """Return the operations: each multiplication and the addition that belongs to it.

        Args:
            part: ``"projections"``, ``"attention"``, ``"feed-forward"``, ``"head"``, or ``"all"``.
            phase: ``"forward"``, ``"backward"``, or ``"all"``.
        """
        part, phase = named("part", part, (*PARTS, "all")), named("phase", phase, (*PASSES, "all"))
        return 2 * sum(
            count
            for (counted_part, counted_phase), count in self.multiplications.items()
            if part in (counted_part, "all") and phase in (counted_phase, "all")
        )


@dataclass
class ProductCounter:
    """A counter through which matrix products pass.

    Example:
        >>> counter = ProductCounter()
        >>> counter.product([[1, 2, 3]], [[4], [5], [6]], "head", "forward")
        array([[32.]])
        >>> counter.multiplications
        {('head', 'forward'): 3}
    """

    multiplications: dict[tuple[str, str], int] = field(default_factory=dict)

    def product(self, left: ArrayLike, right: ArrayLike, part: str, phase: str) -> Array:
        """Return left · right of (…, m, k) and (…, k, n), and count the multiplications, mkn for each pair."""
        one_of("part", part, PARTS)
        one_of("phase", phase, PASSES)
        left, right = _matrices("left", left), _matrices("right", right)
        if left.shape[-1] != right.shape[-2] or left.shape[:-2] != right.shape[:-2] != ():
            raise ValueError(f"left and right must fit each other, got the shapes {left.shape} and {right.shape}")
        with refusing_overflow("left · right"):
            result: Array = left @ right
        key = (part, phase)
        self.multiplications[key] = self.multiplications.get(key, 0) + result.size * left.shape[-1]
        return result


def counted_step(weights: Parameters, tokens: ArrayLike, *, heads: int) -> CountedStep:
    """Run a GPT-2 forward and backward on a batch, counting the multiplications of its matrix products.

    Args:
        weights: as ``gpt_weights`` makes them.
        tokens: shape (B, n + 1): in each of B sequences, n tokens are read, and at each the next one is predicted.
        heads: heads of each layer; a divisor of the width.

    Returns:
        The loss, the gradients and the counts.

    Raises:
        ValueError: if the tokens are no array of (B, n + 1) numbers of the vocabulary, n is larger than the position
            table, or ``heads`` does not divide the width.

    Convention: both masked and unmasked scores are computed, so the causal mask saves nothing.
    Leaves out: of the count, all that is no matrix product: norms, softmax, GELU, biases, the look-up of embeddings.

    Example:
        >>> step = counted_step(
        ...     gpt_weights(layers=1, hidden=4, vocabulary=5, positions=3), [[0, 1, 2, 3]], heads=2
        ... )
        >>> step.flops(part="attention", phase="forward"), step.flops(part="attention", phase="backward")
        (144, 288)
    """
    heads = positive_integer("heads", heads)
    batch, hidden = _checked(weights, tokens, heads)
    run = _Step(weights, batch, heads, hidden)
    run.forward()
    run.backward()
    return CountedStep(run.loss, run.gradients, run.counter.multiplications)


def _matrices(name: str, value: ArrayLike) -> Array:
    array = finite_array(name, value)
    if array.ndim < 2:
        raise ValueError(f"{name} must be a matrix, or several of them, got {value!r}")
    return array


def _checked(weights: Parameters, tokens: ArrayLike, heads: int) -> tuple[NDArray[np.int64], int]:
    if not isinstance(weights, Mapping) or "tokens" not in weights:
        raise ValueError(f"weights must be a mapping as gpt_weights returns it, got {type(weights).__name__}")
    vocabulary, hidden = weights["tokens"].shape
    array = index_array("tokens", tokens, population=vocabulary, dimensions=2)
    if not 2 <= array.shape[1] <= len(weights["positions"]) + 1 or not len(array):
        most = len(weights["positions"])
        raise ValueError(f"tokens must be of the shape (B, n + 1) with n from 1 to {most}, got {tokens!r}")
    if hidden % heads:
        raise ValueError(f"heads must be a divisor of the width {hidden}, got {heads}")
    return array, hidden


class _Step:
    """One step: the forward pass keeps what the backward pass needs."""

    def __init__(self, weights: Parameters, tokens: NDArray[np.int64], heads: int, hidden: int) -> None:
        self.weights, self.heads, self.hidden = weights, heads, hidden
        self.read, self.next = tokens[:, :-1], tokens[:, 1:]
        self.layers = sum(name.endswith("qkv") for name in weights)
        self.counter = ProductCounter()
        self.gradients = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self.kept: list[dict[str, Array]] = []
        self.loss = 0.0

    def forward(self) -> None:
        w = self.weights
        x = w["tokens"][self.read] + w["positions"][: self.read.shape[1]]  # (B, n, d)
        for layer in range(self.layers):
            x = self._layer(layer, x)
        self.last = x
        self.final = _norm(x, w["norm"])
        logits = self.counter.product(self.final, w["tokens"].T, "head", "forward")  # (B, n, V)
        self.chances = _softmax(logits)
        right = np.take_along_axis(self.chances, self.next[..., None], axis=-1)  # (B, n, 1)
        self.loss = float(-np.log(right).mean())

    def backward(self) -> None:
        w, g = self.weights, self.gradients
        wrong = self.chances.copy()  # (B, n, V)
        np.put_along_axis(
            wrong, self.next[..., None], np.take_along_axis(wrong, self.next[..., None], axis=-1) - 1, axis=-1
        )
        wrong /= self.next.size
        g["tokens"] += self._weight_gradient(wrong, self.final, "head")
        dx = self.counter.product(wrong, w["tokens"], "head", "backward")  # (B, n, d)
        dx, g["norm"] = _norm_backward(self.last, w["norm"], dx)
        for layer in reversed(range(self.layers)):
            dx = self._layer_backward(layer, dx)
        np.add.at(g["tokens"], self.read, dx)
        g["positions"][: dx.shape[1]] = dx.sum(axis=0)

    def _linear(self, name: str, x: Array, part: str) -> Array:
        return self.counter.product(x, self.weights[name], part, "forward") + self.weights[f"{name} bias"]

    def _linear_backward(self, name: str, x: Array, gradient: Array, part: str) -> Array:
        """Two products for the one of the forward pass: the gradient of the weight, and that of the input."""
        self.gradients[name] = self._weight_gradient(x, gradient, part)
        self.gradients[f"{name} bias"] = gradient.sum(axis=(0, 1))
        return self.counter.product(gradient, self.weights[name].T, part, "backward")

    def _weight_gradient(self, left: Array, right: Array, part: str) -> Array:
        rows, columns = left.reshape(-1, left.shape[-1]), right.reshape(-1, right.shape[-1])  # (B·n, k), (B·n, m)
        return self.counter.product(rows.T, columns, part, "backward")

    def _layer(self, layer: int, x: Array) -> Array:
        w, keep = self.weights, {"in": x}
        # Attention.
        keep["normed 1"] = _norm(x, w[f"{layer} norm 1"])
        qkv = self._linear(f"{layer} qkv", keep["normed 1"], "projections")  # (B, n, 3d)
        keep["q"], keep["k"], keep["v"] = (self._split(part) for part in np.split(qkv, 3, axis=-1))  # (B, a, n, d / a)
        scores = self.counter.product(keep["q"], keep["k"].swapaxes(-1, -2), "attention", "forward")  # (B, a, n, n)
        hidden_from = np.triu(np.ones(scores.shape[-2:], dtype=bool), 1)
        keep["shares"] = _softmax(np.where(hidden_from, -np.inf, scores / np.sqrt(self.hidden / self.heads)))
        keep["mixed"] = self._join(self.counter.product(keep["shares"], keep["v"], "attention", "forward"))  # (B, n, d)
        keep["middle"] = x + self._linear(f"{layer} out", keep["mixed"], "projections")

        # Feed-forward block.
        keep["normed 2"] = _norm(keep["middle"], w[f"{layer} norm 2"])
        keep["up"] = self._linear(f"{layer} up", keep["normed 2"], "feed-forward")  # (B, n, 4d)
        keep["active"] = _gelu(keep["up"])
        self.kept.append(keep)
        out: Array = keep["middle"] + self._linear(f"{layer} down", keep["active"], "feed-forward")
        return out

    def _layer_backward(self, layer: int, dx: Array) -> Array:
        w, keep, product = self.weights, self.kept[layer], self.counter.product
        # Feed-forward block.
        d_active = self._linear_backward(f"{layer} down", keep["active"], dx, "feed-forward")  # (B, n, 4d)
        d_up = d_active * _gelu_slope(keep["up"])
        d_normed = self._linear_backward(f"{layer} up", keep["normed 2"], d_up, "feed-forward")  # (B, n, d)
        d_norm, self.gradients[f"{layer} norm 2"] = _norm_backward(keep["middle"], w[f"{layer} norm 2"], d_normed)
        dx = dx + d_norm

        # Attention.
        d_mixed = self._split(self._linear_backward(f"{layer} out", keep["mixed"], dx, "projections"))
        d_shares = product(d_mixed, keep["v"].swapaxes(-1, -2), "attention", "backward")  # (B, a, n, n)
        d_v = product(keep["shares"].swapaxes(-1, -2), d_mixed, "attention", "backward")  # (B, a, n, d / a)
        d_scores = keep["shares"] * (d_shares - (d_shares * keep["shares"]).sum(axis=-1, keepdims=True))
        d_scores /= np.sqrt(self.hidden / self.heads)
        d_q = product(d_scores, keep["k"], "attention", "backward")  # (B, a, n, d / a)
        d_k = product(d_scores.swapaxes(-1, -2), keep["q"], "attention", "backward")
        d_qkv = np.concatenate([self._join(part) for part in (d_q, d_k, d_v)], axis=-1)  # (B, n, 3d)
        d_normed = self._linear_backward(f"{layer} qkv", keep["normed 1"], d_qkv, "projections")
        d_norm, self.gradients[f"{layer} norm 1"] = _norm_backward(keep["in"], w[f"{layer} norm 1"], d_normed)
        return dx + d_norm

    def _split(self, x: Array) -> Array:
        return x.reshape(*x.shape[:2], self.heads, -1).swapaxes(1, 2)

    def _join(self, x: Array) -> Array:
        return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def _softmax(scores: Array) -> Array:
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances: Array = raised / raised.sum(axis=-1, keepdims=True)
    return chances


def _standard(x: Array) -> tuple[Array, Array]:
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
    return centred / deviation, deviation


def _norm(x: Array, scale_and_shift: Array) -> Array:
    out: Array = _standard(x)[0] * scale_and_shift[0] + scale_and_shift[1]
    return out


def _norm_backward(x: Array, scale_and_shift: Array, gradient: Array) -> tuple[Array, Array]:
    standard, deviation = _standard(x)
    inner = gradient * scale_and_shift[0]
    back = inner - inner.mean(axis=-1, keepdims=True)
    back -= standard * (inner * standard).mean(axis=-1, keepdims=True)
    weights = np.stack([(gradient * standard).sum(axis=(0, 1)), gradient.sum(axis=(0, 1))])
    return back / deviation, weights


def _gelu(x: Array) -> Array:
    out: Array = 0.5 * x * (1 + np.tanh(_SLOPE * (x + 0.044715 * x**3)))
    return out


def _gelu_slope(x: Array) -> Array:
    inner = np.tanh(_SLOPE * (x + 0.044715 * x**3))
    slope: Array = 0.5 * (1 + inner) + 0.5 * x * (1 - inner**2) * _SLOPE * (1 + 3 * 0.044715 * x**2)
    return slope
