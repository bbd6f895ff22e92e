"""Simulators: a small language whose entropy is known, and a network that learns it by stochastic gradient descent.

The language is a Markov chain: each symbol depends on the one before. So the least loss that any model can have is
known exactly, as are the true gradient and the noise of a batch's gradient: they are sums over all pairs of symbols.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import affordable, finite_array, index_array, random_generator, refusing_overflow
from snippets.background.information.formulas import SUM_TOLERANCE
from snippets.domain import at_most, each, nonnegative_integer, positive_integer, positive_number

FloatArray = NDArray[np.float64]

MOST_PAIRS = 2**53  # in a batch; beyond it floats skip integers


@dataclass(frozen=True)
class Language:
    """A Markov chain in a steady state.

    Attributes:
        transitions: J × J, row z holds the probabilities p(y | z) of the symbol that follows z.

    Raises:
        ValueError: the array is not square, or a row is no distribution.

    Example:
        >>> Language(np.array([[0.5, 0.5], [1.0, 0.0]])).joint.round(3).tolist()
        [[0.333, 0.333], [0.333, 0.0]]
    """

    transitions: FloatArray

    def __post_init__(self) -> None:
        rows = finite_array("transitions", self.transitions, dimensions=2)
        if not rows.size or rows.shape[0] != rows.shape[1]:
            raise ValueError(f"transitions must have as many columns as rows, at least one, got shape {rows.shape}")
        if (rows < 0).any() or (abs(rows.sum(axis=1) - 1) > SUM_TOLERANCE).any():
            raise ValueError(f"transitions must hold a distribution in each row, got {rows!r}")
        object.__setattr__(self, "transitions", rows)

    @property
    def joint(self) -> FloatArray:
        """J × J, the probability p(z, y) that two neighbours are z and y; of many steady states it takes one."""
        count = len(self.transitions)
        balance = np.vstack([self.transitions.T - np.eye(count), np.ones(count)])  # (J + 1, J)
        shares = np.linalg.lstsq(balance, np.eye(count + 1)[-1], rcond=None)[0].clip(0)  # (K,)
        joint: FloatArray = (shares / shares.sum())[:, None] * self.transitions  # (J, J)
        return joint


def draw_language(generator: np.random.Generator, *, symbols: int, concentration: float) -> Language:
    """Draw a language whose rows follow a Dirichlet distribution.

    Args:
        generator: source of the draws; it is advanced.
        symbols: J, at least 1.
        concentration: of the Dirichlet distribution, above 0. The smaller, the fewer symbols usually follow a symbol.

    Returns:
        The language.

    Example:
        >>> draw_language(np.random.default_rng(0), symbols=2, concentration=1.0).transitions.shape
        (2, 2)
    """
    random_generator("generator", generator)
    count = positive_integer("symbols", symbols)
    affordable("symbols²", count * count)
    rows = generator.dirichlet(np.full(count, positive_number("concentration", concentration)), size=count)
    if not np.allclose(rows.sum(axis=1), 1):
        raise ValueError(f"concentration must be such that floats can hold the draws, got {concentration!r}")
    return Language(rows)


def draw_text(generator: np.random.Generator, language: Language, *, length: int) -> list[int]:
    """Draw a text: the first symbol from the steady state, each other given the one before.

    Args:
        generator: source of the draws; it is advanced.
        language: what to draw from.
        length: symbols in the text, at least 0.

    Returns:
        Symbols, from 0 to J − 1.

    Example:
        >>> draw_text(np.random.default_rng(0), Language(np.array([[0.0, 1.0], [1.0, 0.0]])), length=4)
        [1, 0, 1, 0]
    """
    random_generator("generator", generator)
    count = nonnegative_integer("length", length)
    affordable("length", count)
    _check_language(language)
    rows, chances = language.transitions.cumsum(axis=1), generator.random(count)
    row, text = language.joint.sum(axis=1).cumsum(), []
    for chance in chances:
        text.append(_draw(row, chance))
        row = rows[text[-1]]
    return text


@dataclass(frozen=True)
class Network:
    """A network that predicts a symbol from the one before: two hidden layers with tanh, then a softmax.

    Attributes:
        weights: J × h, h × h and h × J.

    Raises:
        ValueError: the shapes do not fit, or a number is not finite.

    Example:
        >>> network = Network((np.zeros((2, 1)), np.zeros((1, 1)), np.zeros((1, 2))))
        >>> network.probabilities().tolist(), round(network.loss_nats([[0.5, 0.0], [0.0, 0.5]]), 4)
        ([[0.5, 0.5], [0.5, 0.5]], 0.6931)
        >>> slope = network.gradient([[1.0, 0.0], [0.0, 0.0]])
        >>> len(slope), network.mean_square_of_examples([[1.0, 0.0], [0.0, 0.0]])
        (5, 0.0)
        >>> len(network.stepped(slope, step_size=0.1).weights)
        3
    """

    weights: tuple[FloatArray, FloatArray, FloatArray]

    def __post_init__(self) -> None:
        weights = each("weights", self.weights, lambda name, weight: finite_array(name, weight, dimensions=2))
        shapes = [weight.shape for weight in weights]
        k, h = shapes[0] if shapes else (0, 0)
        if shapes != [(k, h), (h, h), (h, k)]:
            raise ValueError(f"weights must be J × h, h × h and h × J, got {shapes}")
        object.__setattr__(self, "weights", weights)

    def probabilities(self) -> FloatArray:
        """J × J, row z holds the probabilities q(y | z) that the network gives to the symbols after z."""
        return _forward(self.weights)[-1]

    def loss_nats(self, pairs: ArrayLike) -> float:
        """The mean of −ln q(y | z) over pairs (z, y): J × J shares that sum to 1; infinite where q is 0 in floats."""
        shares = self._shares(pairs)
        with np.errstate(divide="ignore"):
            logarithms = np.log(self.probabilities())
        return float(-(shares[shares > 0] * logarithms[shares > 0]).sum())

    @refusing_overflow("weights")
    def gradient(self, pairs: ArrayLike) -> FloatArray:
        """The gradient of ``loss_nats(pairs)``, all weights in one row of 2Jh + h² numbers."""
        return _one_row(_slopes(self.weights, self._shares(pairs)))

    @refusing_overflow("weights")
    def mean_square_of_examples(self, pairs: ArrayLike) -> float:
        """The mean squared norm of the gradients of single pairs, each an example, exactly."""
        shares = self._shares(pairs)
        first, second, guesses = _forward(self.weights)
        total = 0.0
        for x, row in enumerate(shares):
            wrong = guesses[x] - np.eye(len(row))  # one row per symbol that may follow
            behind = (wrong @ self.weights[2].T) * (1 - second[x] ** 2)  # (J, h)
            bottom = (behind @ self.weights[1].T) * (1 - first[x] ** 2)
            inputs = 1.0, first[x] @ first[x], second[x] @ second[x]
            squares = [(part**2).sum(axis=1) for part in (bottom, behind, wrong)]  # each (K,)
            total += float(row @ sum(size * square for size, square in zip(inputs, squares, strict=True)))
        return total

    def stepped(self, gradient: FloatArray, *, step_size: float) -> Network:
        """The network after one step of gradient descent; ``ValueError`` where the shapes do not fit."""
        slope, eta = finite_array("gradient", gradient, dimensions=1), positive_number("step_size", step_size)
        numbers = sum(weight.size for weight in self.weights)
        if len(slope) != numbers:
            raise ValueError(f"gradient must hold one number for each of {numbers} weights, got {len(slope)}")
        pieces = np.split(slope, np.cumsum([weight.size for weight in self.weights])[:-1])
        with refusing_overflow("gradient and step_size"):
            moved = [w - eta * piece.reshape(w.shape) for w, piece in zip(self.weights, pieces, strict=True)]
        return Network((moved[0], moved[1], moved[2]))

    def _shares(self, pairs: ArrayLike) -> FloatArray:
        """Return shares of pairs as an array, or raise ``ValueError``."""
        shares, symbols = finite_array("pairs", pairs, dimensions=2), len(self.weights[0])
        if shares.shape != (symbols, symbols) or (shares < 0).any() or shares.sum() > 1 + 1e-9:
            raise ValueError(f"pairs must hold {symbols} × {symbols} shares that sum to 1, got {shares!r}")
        return shares


_Weights = tuple[FloatArray, FloatArray, FloatArray]  # of a network: J × h, h × h and h × J


def _forward(weights: _Weights) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Both hidden layers and the probabilities, for each symbol a row."""
    first = np.tanh(weights[0])  # (J, h)
    second = np.tanh(first @ weights[1])  # (J, h)
    scores = second @ weights[2]  # (J, J)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return first, second, powers / powers.sum(axis=1, keepdims=True)


def _slopes(weights: _Weights, shares: FloatArray) -> _Weights:
    """The gradient of the loss on pairs, for each of the three matrices one of its shape."""
    first, second, guesses = _forward(weights)
    wrong = shares.sum(axis=1, keepdims=True) * guesses - shares  # (J, J)
    behind = (wrong @ weights[2].T) * (1 - second**2)  # (J, h)
    bottom = (behind @ weights[1].T) * (1 - first**2)  # (J, h)
    return bottom, first.T @ behind, second.T @ wrong


def _one_row(slopes: _Weights) -> FloatArray:
    return np.concatenate([slope.ravel() for slope in slopes])


def draw_network(generator: np.random.Generator, *, symbols: int, hidden: int) -> Network:
    """Draw the starting weights: normal, scaled so that hidden values are of order 1 and first guesses nearly uniform.

    Args:
        generator: source of the draws; it is advanced.
        symbols: J, at least 1.
        hidden: h, at least 1.

    Returns:
        The network.

    Example:
        >>> len(draw_network(np.random.default_rng(0), symbols=4, hidden=3).gradient(np.full((4, 4), 1 / 16)))
        33
    """
    random_generator("generator", generator)
    k, h = positive_integer("symbols", symbols), positive_integer("hidden", hidden)
    affordable("2·symbols·hidden + hidden²", 2 * k * h + h * h)
    shapes = ((k, h), 1.0), ((h, h), h**-0.5), ((h, k), 0.3 * h**-0.5)
    first, second, third = (scale * generator.normal(size=shape) for shape, scale in shapes)
    return Network((first, second, third))


@dataclass(frozen=True)
class Snapshot:
    """What is true of a network before one step of its training.

    Attributes:
        step: steps taken before.
        loss_nats: expected loss per symbol over the whole language, exactly.
        full_gradient: gradient of that loss, d numbers, exactly.
        batch_gradient: gradient of the batch that was drawn for this step, d numbers.
        noise_power: expected squared distance of a batch gradient from the full one, tr(Σ)/B, exactly.
    """

    step: int
    loss_nats: float
    full_gradient: FloatArray
    batch_gradient: FloatArray
    noise_power: float

    @property
    def signal_power(self) -> float:
        """Squared norm of the full gradient."""
        return float(self.full_gradient @ self.full_gradient)

    @property
    def rms(self) -> float:
        """Root mean square of the numbers of the batch gradient: its norm over √d."""
        return float(np.sqrt((self.batch_gradient**2).mean()))


def train_language_network(
    generator: np.random.Generator,
    language: Language,
    network: Network,
    *,
    batch_size: int,
    step_size: float,
    record: Sequence[int],
) -> list[Snapshot]:
    """Train by stochastic gradient descent on fresh pairs of neighbours, and record what is true at some steps.

    Args:
        generator: source of the batches; it is advanced.
        language: what the pairs are drawn from.
        network: where to start, of the language's number of symbols.
        batch_size: B pairs a step, at least 1.
        step_size: η, above 0.
        record: numbers of steps, rising, from 0; the last one is where the run ends.

    Returns:
        One snapshot for each number in ``record``. A loss is infinite where a guess is 0 in floats.

    Raises:
        ValueError: an argument is out of its range, or the weights overflow.

    Example:
        >>> generator = np.random.default_rng(0)
        >>> language = draw_language(generator, symbols=8, concentration=0.2)
        >>> start = draw_network(generator, symbols=8, hidden=16)
        >>> run = train_language_network(generator, language, start, batch_size=64, step_size=0.5, record=[0, 200])
        >>> run[1].loss_nats < run[0].loss_nats
        True
    """
    random_generator("generator", generator)
    size, eta = positive_integer("batch_size", batch_size), positive_number("step_size", step_size)
    at_most("batch_size", size, MOST_PAIRS)
    _check_language(language)
    if not isinstance(network, Network):
        raise ValueError(f"network must be a Network, got {network!r}")
    steps = each("record", record, nonnegative_integer)
    if not steps or list(steps) != sorted(set(steps)):
        raise ValueError(f"record must hold rising numbers of steps, at least one, got {record!r}")
    joint = language.joint
    if network.weights[0].shape[0] != len(joint):
        raise ValueError(f"network must have the language's {len(joint)} symbols, got {len(network.weights[0])}")
    at_most("record", steps[-1])
    chances, found = joint.ravel() / joint.sum(), []
    weights = network.weights
    with refusing_overflow("weights"):
        slopes = _slopes(weights, _draw_pairs(generator, chances, size))
    for step in range(steps[-1] + 1):
        if step in steps:
            found.append(_snapshot(step, Network(weights), joint, _one_row(slopes), size))
        if step == steps[-1]:
            break
        try:
            with refusing_overflow("weights"):
                first, second, third = (w - eta * slope for w, slope in zip(weights, slopes, strict=True))
                weights = first, second, third
                slopes = _slopes(weights, _draw_pairs(generator, chances, size))
        except ValueError:
            raise ValueError(f"step_size must be smaller: the weights overflow, got {step_size!r}") from None
    return found


def _snapshot(step: int, network: Network, joint: FloatArray, batch_gradient: FloatArray, batch_size: int) -> Snapshot:
    """What is true of a network before a step, from the language's pairs and the gradient of the step's batch."""
    full = network.gradient(joint)
    noise = max(0.0, network.mean_square_of_examples(joint) - float(full @ full)) / batch_size
    return Snapshot(step, network.loss_nats(joint), full, batch_gradient, noise)


def _draw_pairs(generator: np.random.Generator, chances: FloatArray, batch_size: int) -> FloatArray:
    """Draw a batch of pairs by their chances, K² numbers; return the share of each pair in it, J × J."""
    symbols = math.isqrt(len(chances))
    return generator.multinomial(batch_size, chances).reshape(symbols, symbols) / batch_size


def _check_language(language: Language) -> None:
    if not isinstance(language, Language):
        raise ValueError(f"language must be a Language, got {language!r}")


def conditional_counts(text: Sequence[int], *, context: int) -> dict[tuple[int, ...], dict[int, int]]:
    """Count which symbols follow each context of a text.

    Args:
        text: integers of at least 0.
        context: symbols in a context, at least 0.

    Returns:
        For each context that occurs with a symbol after it, how often each symbol follows.

    Example:
        >>> conditional_counts([0, 1, 0, 2], context=1)
        {(0,): {1: 1, 2: 1}, (1,): {0: 1}}
    """
    width = nonnegative_integer("context", context)
    symbols = index_array("text", text, population=2**31, dimensions=1).tolist()
    counts: dict[tuple[int, ...], dict[int, int]] = {}
    for place in range(width, len(symbols)):
        after = counts.setdefault(tuple(symbols[place - width : place]), {})
        after[symbols[place]] = after.get(symbols[place], 0) + 1
    return counts


def _draw(cumulated: FloatArray, chance: float) -> int:
    """The place in a row of rising sums, the last one 1 up to rounding, at which a chance from 0 to 1 falls."""
    return min(int(np.searchsorted(cumulated, chance * cumulated[-1], side="right")), len(cumulated) - 1)
