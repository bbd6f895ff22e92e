"""Simulators: both ends of a language model with the vocabulary cut among ranks: token table, output head, loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import finite_array, index_array, refusing_overflow
from snippets.domain import at_most, positive_integer
from snippets.parallelism.tensor.programs import MOST_RANKS
from snippets.simulation.account import Account
from snippets.simulation.machine import AllGather, AllReduce, Machine, Program

Array = NDArray[np.float64]


@dataclass(frozen=True)
class VocabularyRun:
    """What the ends of the model computed, and what they cost.

    Attributes:
        losses: of each token, as rank 0 has them.
        gradient: of the mean loss with respect to the table, put together from the ranks' rows.
        account: what each rank sent, 8 bytes a number.

    >>> VocabularyRun(np.ones(1), np.ones((1, 1)), Account(1, ())).account.ranks
    1
    """

    losses: Array
    gradient: Array
    account: Account


@refusing_overflow("table")
def run_vocabulary_parallel(table: Any, tokens: Any, targets: Any, *, ranks: int) -> VocabularyRun:
    """Run a model that is a token table, a tanh, and the same table as output head, its rows cut among ranks.

    A rank looks up the tokens that it has, and adds zeros for the others; it makes the logits of its rows. One
    all-gather of three numbers a token from each rank is all that the loss needs.

    Args:
        table: v × h numbers, one row for each entry of the vocabulary.
        tokens: n integers from 0 to v − 1, the inputs.
        targets: likewise, what is to follow.
        ranks: t, among which the rows are cut.

    Returns:
        Losses, gradient and account.

    Raises:
        ValueError: if shapes do not fit or an index is out of range.

    Source: Shoeybi et al. 2019, section 3, for the cut; derived for the single all-gather.
    Convention: the loss is the mean over tokens; rings.
    Leaves out: everything between the ends but a tanh.

    Example:
        >>> run = run_vocabulary_parallel([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 2], [2, 1], ranks=2)
        >>> run.losses.round(3), run.account.sent_bytes
        (array([0.903, 1.421]), (112, 112))
    """
    table = finite_array("table", table, dimensions=2)
    if 0 in table.shape:
        raise ValueError(f"table must have rows and columns, got shape {table.shape}")
    tokens = index_array("tokens", tokens, population=len(table), dimensions=1)
    targets = index_array("targets", targets, population=len(table), dimensions=1)
    if not len(tokens) or tokens.shape != targets.shape:
        raise ValueError(f"targets must be as many as tokens, at least 1, got {len(targets)} and {len(tokens)}")
    t = at_most("ranks", positive_integer("ranks", ranks), min(MOST_RANKS, len(table)))
    machine = Machine(t)
    bounds = [(rank * len(table) // t, (rank + 1) * len(table) // t) for rank in range(t)]
    done = machine.run([_ends(table[start:stop], start, tokens, targets) for start, stop in bounds])
    return VocabularyRun(done[0][0], np.concatenate([rows for _, rows in done]), machine.account)


def _ends(rows: Array, start: int, tokens: Any, targets: Any) -> Program:
    """One rank: its rows of the table, which begin at ``start``."""
    count, everyone = len(tokens), np.arange(len(tokens))
    # The table: each rank looks up the tokens that it has.
    mine, aim = tokens - start, targets - start
    here, hit = (mine >= 0) & (mine < len(rows)), (aim >= 0) & (aim < len(rows))
    embedded = np.zeros((count, rows.shape[1]))  # (n, h)
    embedded[here] = rows[mine[here]]
    embedded = yield AllReduce(embedded)
    hidden = np.tanh(embedded)

    # The head: each rank has the logits of its rows, and tells the others what the loss needs.
    logits = hidden @ rows.T  # (n, own v)
    largest = logits.max(axis=1)  # (n,)
    powers = np.exp(logits - largest[:, None])  # (n, own v)
    target = np.where(hit, logits[everyone, np.where(hit, aim, 0)], 0.0)  # (n,)
    told = yield AllGather(np.stack([largest, powers.sum(axis=1), target]))
    most, sums, right = told.reshape(-1, 3, count).transpose(1, 0, 2)  # (t, n)
    top = most.max(axis=0)
    total = (sums * np.exp(most - top)).sum(axis=0)  # (n,)
    losses = top + np.log(total) - right.sum(axis=0)  # (n,)

    # Backward: the head, then the table.
    back = powers * (np.exp(largest - top) / total)[:, None]  # (n, own v)
    back[everyone[hit], aim[hit]] -= 1
    back /= count
    gradient = back.T @ hidden  # (own v, h)
    towards = yield AllReduce(back @ rows)  # (n, h)
    np.add.at(gradient, mine[here], (towards * (1 - hidden**2))[here])
    return losses, gradient
