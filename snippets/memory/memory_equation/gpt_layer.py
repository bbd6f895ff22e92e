"""Simulators: a GPT layer that keeps named tensors in its forward pass and computes its gradients from these alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import affordable, finite_array, refusing_overflow
from snippets.domain import named, nonnegative_integer, positive_integer
from snippets.memory.memory_equation.activations import ATTENTIONS

Array = NDArray[np.float64]
Kept = dict[str, NDArray[Any]]

KEEP = 0.9  # share of entries that a dropout lets through
_KEPT = (
    "first norm's input",
    "query, key and value's input",
    "query",
    "key",
    "value",
    "output projection's input",
    "attention dropout's mask",
    "second norm's input",
    "first matrix's input",
    "activation function's input",
    "second matrix's input",
    "feed-forward dropout's mask",
)
_SCORES = ("softmax's output", "score dropout's mask", "score dropout's output")
_EPSILON = 1e-5
_SLOPE = float(np.sqrt(2 / np.pi))


def layer_weights(*, hidden: int, seed: int = 0) -> dict[str, Array]:
    """Return random weights of one layer, without biases.

    Args:
        hidden: width h of the residual stream; the inner width is 4h.
        seed: of the random numbers.

    Returns:
        The scales of both norms, shape (h,), and the matrices: ``"qkv"`` (h, 3h), ``"projection"`` (h, h),
        ``"first"`` (h, 4h), ``"second"`` (4h, h).

    Raises:
        ValueError: if ``hidden`` is no integer of at least 1, or ``seed`` none of at least 0.

    Example:
        >>> sum(weights.size for weights in layer_weights(hidden=4).values())
        200
    """
    h, rng = positive_integer("hidden", hidden), np.random.default_rng(nonnegative_integer("seed", seed))
    affordable("hidden² × 12", 12 * h * h)
    shapes = {"qkv": (h, 3 * h), "projection": (h, h), "first": (h, 4 * h), "second": (4 * h, h)}
    weights = {name: rng.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}
    return {"first norm": 1 + 0.1 * rng.normal(size=h), "second norm": 1 + 0.1 * rng.normal(size=h)} | weights


@refusing_overflow("weights and x")
def layer_forward(
    weights: Mapping[str, Array], x: Array, *, heads: int, attention: str = "standard", seed: int = 0
) -> tuple[Array, Kept]:
    """Run one layer forward.

    Args:
        weights: from ``layer_weights``.
        x: the layer's input, shape (s, b, h).
        heads: attention heads a.
        attention: ``"standard"`` keeps the scores; ``"flash"`` one log-sum-exp for each row of them.
        seed: of the dropouts' masks.

    Returns:
        The output, of the shape of x, and what is kept for the backward pass, by the names and in the order of
        ``snippets.memory.memory_equation.activations.stored_tensors``.

    Raises:
        ValueError: if x has no three dimensions, ``heads`` does not divide its width, or ``attention`` is unknown.

    Source: Korthikanti et al. 2022, section 4.1 and figure 2, for what is kept.
    Convention: norms before the blocks, causal attention, GeLU by its tanh approximation, everything in float64.
    Leaves out: biases; what the norms could keep besides their input (a mean and a deviation for each token).

    Example:
        >>> out, kept = layer_forward(layer_weights(hidden=4), np.ones((3, 1, 4)), heads=2)
        >>> out.shape, kept["query"].shape
        ((3, 1, 4), (1, 2, 3, 2))
    """
    x, seed = finite_array("x", x, dimensions=3), nonnegative_integer("seed", seed)
    _check_weights(weights, x.shape[2], "x")
    heads = positive_integer("heads", heads)
    if x.shape[2] % heads:
        raise ValueError(f"heads must divide the last of x's three dimensions, got {heads} and shape {x.shape}")
    attention = named("attention", attention, ATTENTIONS)
    tokens, sequences, hidden = x.shape
    kept: Kept = {"first norm's input": x}

    # Attention.
    normed = _norm(x, weights["first norm"])
    kept["query, key and value's input"] = normed
    query, key, value = (_split(part, heads) for part in np.split(normed @ weights["qkv"], 3, axis=2))  # (b, a, s, d)
    kept |= {"query": query, "key": key, "value": value}
    scores = _scores(query, key)  # (b, a, s, s)
    largest = scores.max(axis=3, keepdims=True)
    log_sum = largest + np.log(np.exp(scores - largest).sum(axis=3, keepdims=True))  # (b, a, s, 1)
    soft = np.exp(scores - log_sum)
    mask = _mask((sequences, heads, tokens, tokens), seed)
    dropped = soft * mask / KEEP
    if attention == "flash":
        kept["log-sum-exp"] = log_sum[..., 0]
    else:
        kept |= {"softmax's output": soft, "score dropout's mask": mask, "score dropout's output": dropped}
    together = _join(dropped @ value)  # (s, b, h)
    kept["output projection's input"] = together
    mask = _mask((tokens, sequences, hidden), seed + 1)
    kept["attention dropout's mask"] = mask
    middle = x + (together @ weights["projection"]) * mask / KEEP
    kept["second norm's input"] = middle

    # Feed-forward block.
    normed = _norm(middle, weights["second norm"])
    kept["first matrix's input"] = normed
    inner = normed @ weights["first"]  # (s, b, 4h)
    kept["activation function's input"] = inner
    active = _gelu(inner)
    kept["second matrix's input"] = active
    mask = _mask((tokens, sequences, hidden), seed + 2)
    kept["feed-forward dropout's mask"] = mask
    return middle + (active @ weights["second"]) * mask / KEEP, kept


@refusing_overflow("weights, kept and gradient")
def layer_backward(
    weights: Mapping[str, Array], kept: Mapping[str, NDArray[Any]], gradient: Array, *, seed: int = 0
) -> tuple[Array, dict[str, Array]]:
    """Run one layer backward, from its weights and what its forward pass kept, and from nothing else.

    Args:
        weights: as in the forward pass.
        kept: what ``layer_forward`` returned. Where it has no scores, they are computed again from queries, keys and
            the log-sum-exp.
        gradient: of the loss with respect to the layer's output, shape (s, b, h).
        seed: as in the forward pass; used only to make the scores' mask again where it is not kept.

    Returns:
        The gradient with respect to the layer's input, and for each entry of ``weights`` the gradient.

    Raises:
        ValueError: if a tensor is missing, or a shape does not fit.

    Source: the chain rule.
    Convention: as ``layer_forward``.
    Leaves out: as there.

    Example:
        >>> weights, x = layer_weights(hidden=4), np.ones((3, 1, 4))
        >>> kept = layer_forward(weights, x, heads=2)[1]
        >>> layer_backward(weights, kept, np.ones_like(x))[1]["qkv"].shape
        (4, 12)
    """
    gradient, seed = finite_array("gradient", gradient, dimensions=3), nonnegative_integer("seed", seed)
    _check_weights(weights, gradient.shape[2], "gradient")
    _check_kept(kept, shape=gradient.shape)
    grads: dict[str, Array] = {}

    # Feed-forward block.
    outer = gradient * kept["feed-forward dropout's mask"] / KEEP  # (s, b, h)
    grads["second"] = _weight_gradient(kept["second matrix's input"], outer)
    inner = outer @ weights["second"].T * _gelu_slope(kept["activation function's input"])  # (s, b, 4h)
    grads["first"] = _weight_gradient(kept["first matrix's input"], inner)
    back, grads["second norm"] = _norm_backward(
        kept["second norm's input"], weights["second norm"], inner @ weights["first"].T
    )

    # Attention: projection, then scores, then queries, keys and values.
    middle = gradient + back
    outer = middle * kept["attention dropout's mask"] / KEEP
    grads["projection"] = _weight_gradient(kept["output projection's input"], outer)
    query, key, value = kept["query"], kept["key"], kept["value"]
    context = _split(outer @ weights["projection"].T, query.shape[1])  # (b, a, s, d)
    if "softmax's output" in kept:
        soft, mask, dropped = kept["softmax's output"], kept["score dropout's mask"], kept["score dropout's output"]
    else:
        soft = np.exp(_scores(query, key) - kept["log-sum-exp"][..., None])  # (b, a, s, s)
        mask = _mask(soft.shape, seed)
        dropped = soft * mask / KEEP
    towards = context @ value.swapaxes(2, 3) * mask / KEEP  # (b, a, s, s)
    scores = soft * (towards - (towards * soft).sum(axis=3, keepdims=True)) / np.sqrt(query.shape[3])
    parts = scores @ key, scores.swapaxes(2, 3) @ query, dropped.swapaxes(2, 3) @ context
    joined = np.concatenate([_join(part) for part in parts], axis=2)  # (s, b, 3h)
    grads["qkv"] = _weight_gradient(kept["query, key and value's input"], joined)
    back, grads["first norm"] = _norm_backward(
        kept["first norm's input"], weights["first norm"], joined @ weights["qkv"].T
    )
    return middle + back, {name: grads[name] for name in weights}


def _check_weights(weights: Mapping[str, Array], h: int, width_of: str) -> None:
    """Raise ``ValueError`` unless all weights of a layer of width h are there, and finite."""
    shapes: dict[str, tuple[int, ...]] = {"first norm": (h,), "second norm": (h,), "qkv": (h, 3 * h)}
    shapes |= {"projection": (h, h), "first": (h, 4 * h), "second": (4 * h, h)}
    if not isinstance(weights, Mapping) or set(weights) != set(shapes):
        raise ValueError(f"weights must have the keys {', '.join(shapes)}, got {weights!r:.80}")
    for name, shape in shapes.items():
        if finite_array(f"weights[{name!r}]", weights[name]).shape != shape:
            got = np.shape(weights[name])
            raise ValueError(f"weights[{name!r}] must have shape {shape}, which fits {width_of}, got {got}")


def _check_kept(kept: Mapping[str, NDArray[Any]], *, shape: tuple[int, ...]) -> None:
    """Raise ``ValueError`` unless everything that the backward pass needs is there, for an output of this shape."""
    if not isinstance(kept, Mapping):
        raise ValueError(f"kept must be what layer_forward returned, got {kept!r}")
    scores = ("log-sum-exp",) if "log-sum-exp" in kept else _SCORES
    missing = [name for name in (*_KEPT, *scores) if name not in kept]
    if missing:
        raise ValueError(f"kept must hold {', '.join(missing)}, got {', '.join(kept)}")
    if kept["first norm's input"].shape != shape:
        raise ValueError(f"gradient must have shape {kept[_KEPT[0]].shape}, as kept has, got {shape}")


def _norm(x: Array, scale: Array) -> Array:
    """Each token's vector, with mean 0 and variance 1, times the scale."""
    return scale * _standard(x)[0]


def _standard(x: Array) -> tuple[Array, Array]:
    """The standardised vectors, and what they were divided by."""
    centred = x - x.mean(axis=2, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=2, keepdims=True) + _EPSILON)
    return centred / deviation, deviation


def _norm_backward(x: Array, scale: Array, gradient: Array) -> tuple[Array, Array]:
    """Gradients of a norm's input, which is all that it needs, and of its scale."""
    standard, deviation = _standard(x)
    inner = gradient * scale
    back = inner - inner.mean(axis=2, keepdims=True) - standard * (inner * standard).mean(axis=2, keepdims=True)
    return back / deviation, (gradient * standard).sum(axis=(0, 1))


def _split(x: Array, heads: int) -> Array:
    """(s, b, h) to (b, a, s, h / a)."""
    tokens, sequences, hidden = x.shape
    return x.reshape(tokens, sequences, heads, hidden // heads).transpose(1, 2, 0, 3)


def _join(x: Array) -> Array:
    """(b, a, s, h / a) to (s, b, h)."""
    sequences, heads, tokens, size = x.shape
    return x.transpose(2, 0, 1, 3).reshape(tokens, sequences, heads * size)


def _scores(query: Array, key: Array) -> Array:
    """Scaled products of queries and keys, minus infinity where a key comes later."""
    scores = query @ key.swapaxes(2, 3) / np.sqrt(query.shape[3])
    later = np.triu(np.ones(scores.shape[2:], dtype=bool), k=1)
    return np.asarray(np.where(later, -np.inf, scores))


def _mask(shape: tuple[int, ...], seed: int) -> NDArray[np.bool_]:
    """Which entries a dropout lets through."""
    return np.asarray(np.random.default_rng(seed).random(shape) < KEEP)


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(_SLOPE * (x + 0.044715 * x**3))))


def _gelu_slope(x: Array) -> Array:
    tanh = np.tanh(_SLOPE * (x + 0.044715 * x**3))
    return np.asarray(0.5 * (1 + tanh) + 0.5 * x * (1 - tanh**2) * _SLOPE * (1 + 3 * 0.044715 * x**2))


def _weight_gradient(x: Array, gradient: Array) -> Array:
    """Xᵀ times the gradient, summed over tokens."""
    return np.asarray(np.tensordot(x, gradient, axes=([0, 1], [0, 1])))
