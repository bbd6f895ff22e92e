"""Formulas: two binary trees over the same ranks, each rank a leaf in at least one of them, and when their edges carry.

Sanders, Speck and Träff (2009): an inner node of a binary tree sends everything twice, a leaf nothing. Two trees that
swap the roles, each with half of the data, let every rank send about as much as it receives. Edges of two colours take
turns, so that no rank sends two messages or receives two in one round.
"""

from __future__ import annotations

from functools import cache

from snippets.domain import MOST_LISTED, at_most, positive_integer


def double_binary_tree(ranks: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the parents of ranks 1 to R − 1 in two binary trees that hang from rank 0.

    Formula: $\\text{parent}(r) = (r - 2^i) \\mathbin{|} 2^{i+1} \\text{ if that is below } R, \\text{ else } r - 2^i$
    Symbols: r = a rank from 1; 2^i = the lowest bit set in r; R = ranks; the second tree is the first with its ranks
        mirrored (R odd) or shifted by one (R even)
    Chapter: 13

    Args:
        ranks: number of ranks, root included, at most 2¹⁶.

    Returns:
        For each tree the parents of ranks 1, 2, … in order. Rank 0 has one child in each tree, every other rank at
        most two children, and none in at least one of the trees.

    Source: Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009.
    Convention: the root stands outside both trees and feeds them in turn.
    Leaves out: the machine's wiring; neighbours in the tree need not be neighbours on the network.

    Example:
        >>> double_binary_tree(5)
        ((2, 4, 2, 0), (0, 3, 1, 3))
    """
    others = at_most("ranks", positive_integer("ranks", ranks), MOST_LISTED) - 1
    first = {}
    for node in range(1, others + 1):
        low = node & -node
        above = (node ^ low) | (low << 1)
        first[node] = above if above <= others else node ^ low
    rename = {0: 0} | {
        node: others + 1 - node if others % 2 == 0 else node % others + 1 for node in range(1, others + 1)
    }
    second = {rename[node]: rename[parent] for node, parent in first.items()}
    return tuple(first[node] for node in sorted(first)), tuple(second[node] for node in sorted(second))


def edge_delays(ranks: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the round in which each rank first receives in each of the two trees of a pipelined broadcast.

    Formula: $\\tau(r) = \\tau(r') + 1 + [\\text{colour}(r) = \\tau(r') \\bmod 2], \\quad r' = \\text{parent}(r)$
    Symbols: τ(r) = delay of the edge that ends in rank r; colour(r) = the edge's colour, 0 or 1;
        τ = colour for the two edges that leave the root
    Chapter: 13

    Args:
        ranks: number of ranks R, root included, at most 2¹⁶.

    Returns:
        For each tree the delays of ranks 1, 2, … in order. Block j of a tree travels the edge in round τ + 2j.

    Source: Sanders, Speck and Träff 2009: the two-colouring exists because the edges, each joining a sender to a
        receiver, form a bipartite graph of degree 2.
    Convention: rounds count from 0; edges of colour c carry in rounds of parity c.
    Leaves out: messages of different length; every round is one step for all.

    Example:
        >>> edge_delays(5)
        ((2, 1, 3, 0), (1, 4, 2, 3))
    """
    return _edge_delays(at_most("ranks", positive_integer("ranks", ranks), MOST_LISTED))


@cache
def _edge_delays(ranks: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    trees = double_binary_tree(ranks)
    colour = _edge_colours(trees)
    delays: tuple[dict[int, int], dict[int, int]] = ({0: -1}, {0: -1})
    for tree, parents in enumerate(trees):
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(parents, start=1):
            children.setdefault(parent, []).append(node)
        reached = [0]
        for parent in reached:
            for node in children.get(parent, []):
                at = delays[tree][parent] + 1
                delays[tree][node] = at + (at - colour[tree, node]) % 2
                reached.append(node)
    first, second = (tuple(delay[node] for node in range(1, len(delay))) for delay in delays)
    return first, second


@cache
def _last_delay(ranks: int) -> int:
    return max(map(max, edge_delays(ranks)))


def double_tree_rounds(*, ranks: int, segments: int) -> int:
    """Return the rounds of a broadcast (or a reduce) over the two trees.

    Formula: $S_1 + 2 (K - 1), \\quad S_1 = 1 + \\max_r \\tau(r) \\le 2 \\lfloor \\log_2 (R-1) \\rfloor + 2$
    Symbols: R = ranks; K = segments; τ = edge_delays; S_1 = the steps of one block
    Chapter: 13

    Args:
        ranks: number of ranks, at most 2¹⁶.
        segments: blocks into which each tree's half of the vector is cut.

    Returns:
        Rounds; 0 for one rank.

    Source: Sanders, Speck and Träff 2009, with the delays of this module's colouring.
    Convention: single port, full duplex: a rank sends one message and receives one in a round.
    Leaves out: overlap of the reduce with the broadcast in an all-reduce.

    Example:
        >>> double_tree_rounds(ranks=5, segments=10)
        23
    """
    ranks, segments = positive_integer("ranks", ranks), positive_integer("segments", segments)
    if ranks == 1:
        return 0
    return 1 + _last_delay(ranks) + 2 * (segments - 1)


def _edge_colours(trees: tuple[tuple[int, ...], tuple[int, ...]]) -> dict[tuple[int, int], int]:
    """Return a colour, 0 or 1, for each edge (tree, child): a rank's edges to children, and to parents, differ."""
    edges = [(tree, node) for tree, parents in enumerate(trees) for node in range(1, len(parents) + 1)]
    at_sender: dict[int, list[tuple[int, int]]] = {}
    for tree, node in edges:
        at_sender.setdefault(trees[tree][node - 1], []).append((tree, node))
    colour: dict[tuple[int, int], int] = {}
    for start in edges:
        if start in colour:
            continue
        colour[start] = 0
        reached = [start]
        for tree, node in reached:
            rivals = [(1 - tree, node), *at_sender[trees[tree][node - 1]]]
            for rival in rivals:
                if rival not in colour:
                    colour[rival] = 1 - colour[tree, node]
                    reached.append(rival)
    return colour
