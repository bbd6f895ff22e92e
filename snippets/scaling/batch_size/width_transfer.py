"""Simulators: a small network at several widths, trained with Adam at many learning rates, in two parametrisations.

The network has two hidden layers of rectified linear units and no biases. It learns a fixed smooth function of normal
inputs, with new examples in every step. What differs between the parametrisations is how starting values and learning
rates depend on the width; at the base width they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import affordable, refusing_overflow
from snippets.domain import at_most, each, nonnegative_integer, one_of, positive_integer, positive_number

FloatArray = NDArray[np.float64]
Parametrisation = Literal["standard", "mup", "mup_values_only", "mup_rates_only"]
PARAMETRISATIONS: tuple[Parametrisation, ...] = ("standard", "mup", "mup_values_only", "mup_rates_only")
_INPUTS, _BATCH, _LAST = 8, 64, 20
_TEACHER = 24


@refusing_overflow("rates and base_width")
def width_losses(
    *,
    width: int,
    rates: Sequence[float],
    parametrisation: Parametrisation,
    steps: int = 120,
    base_width: int = 32,
    seed: int = 0,
) -> FloatArray:
    """Train a network of one width at each of several learning rates.

    ``"standard"`` draws every matrix with variance 1/inputs and gives all the same learning rate. ``"mup"`` divides the
    learning rates of the hidden and the output matrix by ``width / base_width``, and the output's starting values by
    the root of that besides. ``"mup_values_only"`` has the starting values of ``"mup"`` and the rates of the standard,
    ``"mup_rates_only"`` the rates of ``"mup"`` and the starting values of the standard.

    Args:
        width: units of both hidden layers.
        rates: Adam's learning rates at the base width.
        parametrisation: which.
        steps: of 64 new examples each.
        base_width: the width at which all parametrisations agree.
        seed: of starting values and examples, at least 0; the function to learn is always the same.

    Returns:
        For each rate, the mean squared error over the last 20 steps, each on examples not seen before.

    Source: Yang et al. 2022, table 3 and its example of a multilayer perceptron.

    Leaves out: biases, weight decay, and Adam's epsilon, which would have to shrink too if it counted.

    Example:
        >>> losses = width_losses(width=8, rates=[0.01, 0.001], parametrisation="mup", steps=25)
        >>> losses.shape, bool(losses[0] < losses[1])
        ((2,), True)
    """
    h, base = at_most("width", positive_integer("width", width), 4096), positive_integer("base_width", base_width)
    tried = each("rates", rates, positive_number)
    one_of("parametrisation", parametrisation, PARAMETRISATIONS)
    count = at_most("steps", positive_integer("steps", steps), 10_000)
    affordable("rates × width²", max(len(tried), 1) * h * h)
    draws = np.random.default_rng(nonnegative_integer("seed", seed))
    grown = h / base if parametrisation in ("mup", "mup_rates_only") else 1.0
    shrink = np.sqrt(h / base) if parametrisation in ("mup", "mup_values_only") else 1.0
    starts = [draws.standard_normal(shape) / np.sqrt(shape[0]) for shape in ((_INPUTS, h), (h, h), (h, 1))]
    starts[2] /= shrink
    weights = [np.repeat(start[None].astype(np.float32), len(tried), axis=0) for start in starts]
    moments = [(np.zeros_like(one), np.zeros_like(one)) for one in weights]
    rate = np.array(tried, np.float32)[:, None, None]  # (rates, 1, 1)
    layer_rates = (rate, rate / np.float32(grown), rate / np.float32(grown))
    losses = []
    for step in range(1, count + 1):
        x = draws.standard_normal((_BATCH, _INPUTS)).astype(np.float32)
        error, gradients = _backward(weights, x, _target(x))  # error (rates,)
        losses.append(error)
        for one, pair, gradient, own in zip(weights, moments, gradients, layer_rates, strict=True):
            _adam(one, pair, gradient, own, step)
    return np.asarray(np.mean(losses[-_LAST:], axis=0), np.float64)


def best_rate(rates: Sequence[float], losses: Sequence[float]) -> float:
    """Return where the loss is least, between the rates tried: by a parabola through the least and its neighbours.

    Args:
        rates: at least 3, each twice or half the one before, or another fixed ratio.
        losses: one for each.

    Returns:
        The rate; an end, where the least loss is at an end.

    Example:
        >>> best_rate([1.0, 2.0, 4.0], [3.0, 1.0, 3.0])
        2.0
    """
    tried, found = each("rates", rates, positive_number), each("losses", losses, positive_number)
    if len(tried) < 3 or len(found) != len(tried):
        raise ValueError(f"losses must be one for each of at least 3 rates, got {len(found)} for {len(tried)}")
    place = int(np.argmin(found))
    if place in (0, len(tried) - 1):
        return tried[place]
    before, least, after = found[place - 1 : place + 2]
    shift = (before - after) / (2 * (before - 2 * least + after))
    return float(tried[place] * (tried[place + 1] / tried[place]) ** shift)


def _target(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The function to learn: sines of fixed directions, added up."""
    fixed = np.random.default_rng(99)
    directions = fixed.standard_normal((_INPUTS, _TEACHER)) / np.sqrt(_INPUTS)  # (inputs, teacher)
    heights = 2 * fixed.standard_normal((_TEACHER, 1)) / np.sqrt(_TEACHER)
    return np.asarray(np.sin(2 * x @ directions) @ heights, np.float32)


def _backward(
    weights: Sequence[NDArray[np.float32]], x: NDArray[np.float32], y: NDArray[np.float32]
) -> tuple[FloatArray, list[NDArray[np.float32]]]:
    """The mean squared error for each rate, and the gradients of the three matrices."""
    first, second, last = weights  # first (rates, inputs, h), second (rates, h, h), last (rates, h, 1)
    one = np.maximum(x @ first, 0)  # (rates, batch, h)
    two = np.maximum(one @ second, 0)  # (rates, batch, h)
    residual = two @ last - y  # (rates, batch, 1)
    at_output = residual * np.float32(2 / len(x))
    at_two = (at_output @ last.transpose(0, 2, 1)) * (two > 0)  # (rates, batch, h)
    at_one = (at_two @ second.transpose(0, 2, 1)) * (one > 0)  # (rates, batch, h)
    gradients = [x.T @ at_one, one.transpose(0, 2, 1) @ at_two, two.transpose(0, 2, 1) @ at_output]
    return (residual**2).mean(axis=(1, 2)), gradients


def _adam(
    weights: NDArray[np.float32],
    moments: tuple[NDArray[np.float32], NDArray[np.float32]],
    gradient: NDArray[np.float32],
    rate: NDArray[np.float32],
    step: int,
) -> None:
    """One step of Adam with betas 0.9 and 0.99, in place."""
    mean, square = moments
    mean *= np.float32(0.9)
    mean += np.float32(0.1) * gradient
    square *= np.float32(0.99)
    np.multiply(gradient, gradient, out=gradient)
    gradient *= np.float32(0.01)
    square += gradient
    np.sqrt(square, out=gradient)
    gradient += np.float32(1e-8)
    np.divide(mean, gradient, out=gradient)
    gradient *= rate * np.float32(np.sqrt(1 - 0.99**step) / (1 - 0.9**step))
    weights -= gradient
