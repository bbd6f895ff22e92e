"""Exercises of chapter A4: entropy, divergence and perplexity, the best code with whole words, floors and sums."""

from __future__ import annotations

from collections.abc import Sequence


def entropy_and_divergence_bits(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    """Say how long the best code for p is, and how much longer the code is that was made for q.

    Args:
        p: the probabilities that the symbols follow, one entry per symbol; entries may be 0, their sum is 1.
        q: the probabilities that the code was made for, as many entries, of the same kind.

    Returns:
        The entropy H(p) and the Kullback–Leibler divergence D(p ‖ q), both in bits per symbol. Where q rules out a
        symbol that p does not, the divergence is ``math.inf``.
    """
    raise NotImplementedError("entropy_and_divergence_bits is still to be written")


def perplexity_of_text(token_probabilities: Sequence[float]) -> float:
    """Return a model's perplexity on a text.

    Args:
        token_probabilities: for each token of the text, the probability that the model gave to it before it came; at
            least one, each from 0 to 1.

    Returns:
        How many equally likely tokens would have been as hard to predict as those of the text, from 1 up; ``math.inf``
        where the model gave a token that came no chance.
    """
    raise NotImplementedError("perplexity_of_text is still to be written")


def huffman_bits_per_symbol(probabilities: Sequence[float], *, block: int) -> float:
    """Return the mean length of Huffman's code when symbols are coded in blocks.

    Args:
        probabilities: of the symbols, each above 0; their sum is 1. Symbols are independent.
        block: symbols that share one code word, at least 1.

    Returns:
        Mean bits per symbol (not per block). If there is only one block to choose from, its word is empty: 0 bits.
    """
    raise NotImplementedError("huffman_bits_per_symbol is still to be written")


def loss_floor_nats(text: Sequence[int], *, context: int) -> float:
    """Return the least mean loss on exactly this text of any model that sees a fixed number of symbols before each.

    Args:
        text: symbols, longer than ``context``.
        context: symbols that the model sees, from 0 up. The first ``context`` symbols of the text are not predicted.

    Returns:
        The mean of −ln of the probability given to a symbol, over all symbols that are predicted, in nats.
    """
    raise NotImplementedError("loss_floor_nats is still to be written")


def partial_sum_bits(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    """Return how many bits the partial sums of a ring need.

    Args:
        probabilities: of the integers 0, 1, 2, …, one entry each; entries may be 0, their sum is 1. Each rank draws one
            integer, independently of the others.
        ranks: number of ranks, at least 1.

    Returns:
        The entropies of the sums of 1, 2, …, ``ranks`` such integers, in bits.
    """
    raise NotImplementedError("partial_sum_bits is still to be written")
