"""Simulators: a layer of experts on one device, and divided among the ranks of the machine; tokens sent to nodes.

An expert is a gated block, (silu(x·first) ⊙ (x·gate))·second. Everything is float64, forward and backward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import finite_array, index_array, refusing_overflow
from snippets.domain import at_most, flag, nonnegative_integer, one_of, positive_integer
from snippets.parallelism.expert.routing import top_experts
from snippets.simulation.account import Account
from snippets.simulation.machine import AllReduce, AllToAll, Compute, Machine, Program

Array = NDArray[np.float64]
MOST_RANKS = 64
MOST_EXPERTS = 4096
WAYS = ("each choice", "each rank", "each node")
NUMBER_BYTES = 8


@dataclass(frozen=True)
class ExpertLayerRun:
    """What a layer of experts computed, and what it cost.

    Attributes:
        output: of the layer, for all tokens in the ranks' order.
        input_gradient: likewise.
        gradients: of ``"router"``, ``"first"``, ``"gate"`` and ``"second"``, summed over all tokens.
        loads: for each expert, the tokens that it computed.
        dropped: assignments for which there was no room.
        account: what each rank sent and multiplied; of one device nothing is sent.

    >>> ExpertLayerRun(np.ones(1), np.ones(1), {}, (3, 1), 0, Account(1, ())).loads
    (3, 1)
    """

    output: Array
    input_gradient: Array
    gradients: Mapping[str, Array]
    loads: tuple[int, ...]
    dropped: int
    account: Account


def expert_weights(*, hidden: int, width: int, experts: int, seed: int = 0) -> dict[str, Array]:
    """Return random weights of a layer of experts.

    Args:
        hidden: width h of a token's vector, at most 4096.
        width: inner width f of an expert, at most 4096.
        experts: E of them, at most 4096.
        seed: at least 0.

    Returns:
        ``"router"`` (h, E), ``"first"`` and ``"gate"`` (E, h, f), ``"second"`` (E, f, h).

    >>> expert_weights(hidden=2, width=3, experts=4)["second"].shape
    (4, 3, 2)
    """
    h, f, E = (
        at_most(name, positive_integer(name, value), 4096)
        for name, value in (("hidden", hidden), ("width", width), ("experts", experts))
    )
    at_most("hidden × width × experts", h * f * E, 2**22)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    shapes = {"router": (h, E), "first": (E, h, f), "gate": (E, h, f), "second": (E, f, h)}
    return {name: rng.normal(size=shape) / np.sqrt(shape[-2]) for name, shape in shapes.items()}


@dataclass(frozen=True)
class _Layer:
    """The checked weights and settings; the same on all ranks."""

    weights: dict[str, Array]
    experts_per_token: int
    normalised: bool
    capacity: int | None

    @property
    def experts(self) -> int:
        return int(self.weights["router"].shape[1])


def _checked(weights: Any, experts_per_token: int, normalised: bool, capacity: int | None) -> _Layer:
    names = ("router", "first", "gate", "second")
    if not isinstance(weights, Mapping) or set(weights) != set(names):
        raise ValueError(f"weights must have the keys {', '.join(names)}, got {weights!r:.80}")
    given = {
        name: finite_array(f"weights[{name!r}]", weights[name], dimensions=2 if name == "router" else 3)
        for name in names
    }
    h, E = given["router"].shape
    f = given["first"].shape[2]
    for name, shape in zip(names, ((h, E), (E, h, f), (E, h, f), (E, f, h)), strict=True):
        if given[name].shape != shape or 0 in shape:
            raise ValueError(f"weights[{name!r}] must have shape {shape} without a 0, got {given[name].shape}")
    k = positive_integer("experts_per_token", experts_per_token)
    if k > E:
        raise ValueError(f"experts_per_token must be at most {E}, the experts, got {experts_per_token!r}")
    room = None if capacity is None else at_most("capacity", positive_integer("capacity", capacity), 2**16)
    return _Layer(given, k, flag("normalised", normalised), room)


def _tokens(x: Any, gradient: Any, layer: _Layer) -> tuple[Array, Array]:
    x, gradient = finite_array("x", x, dimensions=2), finite_array("gradient", gradient, dimensions=2)
    h = layer.weights["router"].shape[0]
    if x.shape[1] != h or not len(x):
        raise ValueError(f"x must have rows of {h} numbers, at least one, got shape {x.shape}")
    if gradient.shape != x.shape:
        raise ValueError(f"gradient must have the shape of x, {x.shape}, got {gradient.shape}")
    return x, gradient


def _softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _silu(z: Array) -> tuple[Array, Array]:
    """The function and its slope."""
    gate = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
    return z * gate, gate * (1 + z * (1 - gate))


@refusing_overflow("weights, x and gradient")
def dense_expert_layer(
    weights: Mapping[str, Any], x: Any, gradient: Any, *, experts_per_token: int, normalised: bool = True
) -> ExpertLayerRun:
    """Run a layer of experts forward and backward on one device, with every expert for every token and a mask.

    Args:
        weights: as ``expert_weights`` makes them.
        x: tokens, shape (T, h).
        gradient: of the loss with respect to the output, shape (T, h).
        experts_per_token: k, experts that a token's output is made of.
        normalised: whether the k weights are divided by their sum.

    Returns:
        The results; nothing is sent or dropped.

    Source: Shazeer et al. 2017, equation 1, with gates that are 0 for all experts but k.
    Convention: the choice itself has no gradient.
    Leaves out: capacity, noise, shared experts.

    Example:
        >>> weights = expert_weights(hidden=2, width=3, experts=4)
        >>> run = dense_expert_layer(weights, np.eye(2), np.eye(2), experts_per_token=2)
        >>> sum(run.loads)
        4
    """
    layer = _checked(weights, experts_per_token, normalised, None)
    x, gradient = _tokens(x, gradient, layer)
    w = layer.weights
    chances = _softmax(x @ w["router"])
    mask = np.zeros_like(chances)
    np.put_along_axis(mask, top_experts(chances, experts_per_token=layer.experts_per_token), 1.0, axis=1)
    kept = chances * mask
    total = kept.sum(axis=1, keepdims=True) if layer.normalised else np.ones((len(x), 1))
    gates = kept / total
    made, up = np.einsum("th,ehf->etf", x, w["first"]), np.einsum("th,ehf->etf", x, w["gate"])
    act, slope = _silu(made)
    outputs = np.einsum("etf,efh->eth", act * up, w["second"])
    output = np.einsum("te,eth->th", gates, outputs)

    d_gates = np.einsum("th,eth->te", gradient, outputs) * mask
    d_kept = d_gates / total - (d_gates * gates).sum(axis=1, keepdims=True) / total * mask * layer.normalised
    d_logits = chances * (d_kept - (d_kept * chances).sum(axis=1, keepdims=True))
    d_out = np.einsum("te,th->eth", gates, gradient)
    d_inner = np.einsum("eth,efh->etf", d_out, w["second"])
    d_made, d_up = d_inner * up * slope, d_inner * act
    back = np.einsum("etf,ehf->th", d_made, w["first"]) + np.einsum("etf,ehf->th", d_up, w["gate"])
    grads = {
        "router": x.T @ d_logits,
        "first": np.einsum("th,etf->ehf", x, d_made),
        "gate": np.einsum("th,etf->ehf", x, d_up),
        "second": np.einsum("etf,eth->efh", act * up, d_out),
    }
    loads = tuple(int(load) for load in mask.sum(axis=0))
    return ExpertLayerRun(output, back + d_logits @ w["router"].T, grads, loads, 0, Account(1, ()))


@refusing_overflow("weights, x and gradient")
def run_expert_layer(
    weights: Mapping[str, Any],
    x: Any,
    gradient: Any,
    *,
    ranks: int,
    experts_per_token: int,
    replicas: int = 1,
    normalised: bool = True,
    capacity: int | None = None,
) -> ExpertLayerRun:
    """Run a layer of experts forward and backward on a mesh of ranks, tokens and experts divided.

    Rank r has the r-th part of the tokens. Each group of ``ranks / replicas`` ranks that follow one another has all
    experts, evenly divided; the groups are replicas of each other.

    Args:
        weights: as ``expert_weights`` makes them.
        x: tokens, shape (T, h).
        gradient: of the loss with respect to the output, shape (T, h).
        ranks: in all, at most 64.
        experts_per_token: k.
        replicas: groups with all experts; they divide the ranks.
        normalised: whether the k weights are divided by their sum.
        capacity: room of an expert for the tokens of one rank; tokens that come later are dropped, and room that is
            left travels as zeros. ``None``: no limit, and ranks tell each other the counts first.

    Returns:
        The results, put together, and the account, 8 bytes a number. Gradients are those of all tokens.

    Source: Lepikhin et al. 2020, section 3.2; Fedus et al. 2022, section 2.2, for the room.
    Convention: pairwise all-to-alls, ring all-reduces. ``"product_flops"`` counts 2 operations for each entry of a
        product, of the experts alone.
    Leaves out: shared experts, attention, that copies of a token for one rank could travel once.

    Example:
        >>> weights = expert_weights(hidden=2, width=3, experts=4)
        >>> x = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
        >>> run_expert_layer(weights, x, x, ranks=2, experts_per_token=1).loads
        (1, 1, 2, 0)
    """
    layer = _checked(weights, experts_per_token, normalised, capacity)
    x, gradient = _tokens(x, gradient, layer)
    N = at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS)
    D = positive_integer("replicas", replicas)
    if N % D or layer.experts % (N // D):
        raise ValueError(f"replicas must divide ranks = {N}, and what is left the {layer.experts} experts, got {D}")
    machine = Machine(N, number_bytes=NUMBER_BYTES)
    part = layer.experts // (N // D)
    held = sum(each.nbytes * part // layer.experts for name, each in layer.weights.items() if name != "router")
    for memory in machine.memories:
        memory.hold(held + layer.weights["router"].nbytes, "parameters")
    parts = np.array_split(np.arange(len(x)), N)
    done = machine.run([_rank(layer, x[mine], gradient[mine], rank, N, D) for rank, mine in enumerate(parts)])
    own = N // D
    grads = {name: np.concatenate([each[2][name] for each in done[:own]]) for name in ("first", "gate", "second")}
    grads["router"] = done[0][2]["router"]
    loads = np.sum([each[3] for each in done], axis=0)
    output, back = (np.concatenate([each[place] for each in done]) for place in (0, 1))
    dropped = sum(each[4] for each in done)
    return ExpertLayerRun(output, back, grads, tuple(int(load) for load in loads), dropped, machine.account)


def _rank(layer: _Layer, x: Array, gradient: Array, rank: int, ranks: int, replicas: int) -> Program:
    """One rank: route its tokens, send them, compute its experts' tokens, send back; and the same backward."""
    size = ranks // replicas
    start = rank // size * size
    group, own = range(start, start + size), layer.experts // size
    mine = slice((rank - start) * own, (rank - start + 1) * own)
    first, gate, second = (layer.weights[name][mine] for name in ("first", "gate", "second"))
    chances = _softmax(x @ layer.weights["router"])
    chosen = top_experts(chances, experts_per_token=layer.experts_per_token)
    kept = np.take_along_axis(chances, chosen, axis=1)
    total = kept.sum(axis=1, keepdims=True) if layer.normalised else np.ones((len(x), 1))
    gates = kept / total

    # Assignments in the order of their experts, and the slot of each in what is sent to its rank.
    order = np.argsort(chosen.ravel(), kind="stable")
    counts = np.bincount(chosen.ravel(), minlength=layer.experts)
    if layer.capacity is None:
        told = yield AllToAll([[int(n) for n in part] for part in counts.reshape(size, own)], group=group)
        arriving = np.array(told)  # for each source, the rows for each own expert
        rooms = counts
    else:
        arriving = np.full((size, own), layer.capacity)
        rooms = np.full(layer.experts, layer.capacity)
    starts = np.cumsum(rooms) - rooms
    expert = chosen.ravel()[order]
    place = np.arange(len(order)) - (np.cumsum(counts) - counts)[expert]
    fits = place < rooms[expert]
    order, slots = order[fits], (starts[expert] + place)[fits]
    token, choice = order // layer.experts_per_token, order % layer.experts_per_token
    edges = np.cumsum(rooms.reshape(size, own).sum(axis=1))[:-1]

    def parcels(rows: Array) -> list[Array]:
        sent = np.zeros((int(rooms.sum()), x.shape[1]))
        sent[slots] = rows
        return np.split(sent, edges)

    # To the experts, through them, and back.
    there = yield AllToAll(parcels(x[token]), group=group)
    rows, sources = np.concatenate(there), np.cumsum([len(part) for part in there])[:-1]
    local = np.concatenate([np.repeat(np.arange(own), source) for source in arriving])
    made, up, out = np.empty((len(rows), first.shape[2])), np.empty((len(rows), first.shape[2])), np.empty(rows.shape)
    for e in range(own):
        at = local == e
        made[at], up[at] = rows[at] @ first[e], rows[at] @ gate[e]
        out[at] = (_silu(made[at])[0] * up[at]) @ second[e]
    yield Compute("product_flops", 3 * 3 * 2 * len(rows) * x.shape[1] * first.shape[2])  # both passes
    results = np.concatenate((yield AllToAll(np.split(out, sources), group=group)))[slots]
    output = np.zeros_like(x)
    np.add.at(output, token, gates[token, choice][:, None] * results)

    # Backward: the same two ways, with gradients.
    back = yield AllToAll(parcels(gates[token, choice][:, None] * gradient[token]), group=group)
    d_out = np.concatenate(back)
    d_rows = np.empty_like(rows)
    grads = {"first": np.zeros_like(first), "gate": np.zeros_like(gate), "second": np.zeros_like(second)}
    for e in range(own):
        at = local == e
        act, slope = _silu(made[at])
        d_inner = d_out[at] @ second[e].T
        d_made, d_up = d_inner * up[at] * slope, d_inner * act
        d_rows[at] = d_made @ first[e].T + d_up @ gate[e].T
        grads["first"][e], grads["gate"][e] = rows[at].T @ d_made, rows[at].T @ d_up
        grads["second"][e] = (act * up[at]).T @ d_out[at]
    returned = np.concatenate((yield AllToAll(np.split(d_rows, sources), group=group)))[slots]
    input_gradient = np.zeros_like(x)
    np.add.at(input_gradient, token, returned)

    # The router: through the weights of the chosen experts alone.
    d_gates = np.zeros_like(gates)
    d_gates[token, choice] = (gradient[token] * results).sum(axis=1)
    d_kept = d_gates / total - (d_gates * gates).sum(axis=1, keepdims=True) / total * layer.normalised
    d_chances = np.zeros_like(chances)
    np.put_along_axis(d_chances, chosen, d_kept, axis=1)
    d_logits = chances * (d_chances - (d_chances * chances).sum(axis=1, keepdims=True))
    input_gradient += d_logits @ layer.weights["router"].T
    grads["router"] = yield AllReduce(x.T @ d_logits)
    if replicas > 1:
        copies = range(rank - start, ranks, size)
        for name in ("first", "gate", "second"):
            grads[name] = yield AllReduce(grads[name], group=copies)
    loads = np.bincount(expert[fits], minlength=layer.experts)
    return output, input_gradient, grads, loads, int(counts.sum()) - len(order)


@dataclass(frozen=True)
class Dispatched:
    """Tokens on their way to the experts.

    Attributes:
        received: for each expert, the tokens that have come, counted over all ranks in their order.
        between_nodes: rows that went from one node to another, all ranks together.
        inside_nodes: rows that went from rank to rank in one node.

    >>> Dispatched(((0, 1), ()), 1, 0).between_nodes
    1
    """

    received: tuple[tuple[int, ...], ...]
    between_nodes: int
    inside_nodes: int


def run_dispatch(chosen: Any, *, experts: int, nodes: int, gpus_per_node: int, way: str) -> Dispatched:
    """Send tokens to the ranks of their experts, in one of three ways.

    Args:
        chosen: for each token the experts that it goes to, shape (T, k), different ones; rank r has the r-th part of
            the tokens.
        experts: divided evenly among the ranks, in their order, at most 4096.
        nodes: nodes of ``gpus_per_node`` ranks each, at most 64 ranks in all.
        gpus_per_node: ranks that follow one another.
        way: ``"each choice"``: a row for each chosen expert. ``"each rank"``: one for each rank that has any of them.
            ``"each node"``: one to each node, to the rank with the sender's number there, which hands it on.

    Returns:
        Who received what, and the rows that travelled.

    Source: DeepSeek-AI 2024, section 3.2.2, for the last way.
    Convention: a row that stays on its rank does not count.
    Leaves out: the rows' numbers; here a row is the token's number and the experts it goes to.

    Example:
        >>> found = run_dispatch([[0, 3], [1, 2]], experts=4, nodes=1, gpus_per_node=2, way="each rank")
        >>> found.received, found.inside_nodes
        (((0,), (1,), (1,), (0,)), 2)
    """
    E, M = at_most("experts", positive_integer("experts", experts), MOST_EXPERTS), positive_integer("nodes", nodes)
    table = index_array("chosen", chosen, population=E, dimensions=2)
    G = positive_integer("gpus_per_node", gpus_per_node)
    N = at_most("nodes × gpus_per_node", M * G, MOST_RANKS)
    if E % N:
        raise ValueError(f"experts must be a multiple of the {N} ranks, got {experts!r}")
    if not table.size or any(len(set(row)) < len(row) for row in table.tolist()):
        raise ValueError(f"chosen must have rows of different experts, at least one each, got {chosen!r:.60}")
    way = one_of("way", way, WAYS)
    width = table.shape[1] + 1
    numbered = np.column_stack([np.arange(len(table)), table])
    machine = Machine(N)
    done = machine.run(
        [_hand_out(part, rank, E // N, M, G, way) for rank, part in enumerate(np.array_split(numbered, N))]
    )
    received = tuple(tuple(sorted(tokens)) for rank in done for tokens in rank)
    rows = dict.fromkeys((True, False), 0)
    for (source, destination), sent_bytes in machine.account.link_bytes.items():
        rows[source // G == destination // G] += sent_bytes // (8 * width)
    return Dispatched(received, rows[False], rows[True])


def _hand_out(rows: NDArray[np.int64], rank: int, own: int, nodes: int, gpus: int, way: str) -> Program:
    ranks = nodes * gpus
    if way == "each node":
        homes = rows[:, 1:] // (own * gpus)
        across = [rows[(homes == node).any(axis=1)] for node in range(nodes)]
        rows = np.concatenate((yield AllToAll(across, group=range(rank % gpus, ranks, gpus))))
        here = range(rank // gpus * gpus, rank // gpus * gpus + gpus)
    else:
        here = range(ranks)
    homes = rows[:, 1:] // own
    if way == "each choice":
        parcels = [np.repeat(rows, (homes == peer).sum(axis=1), axis=0) for peer in here]
    else:
        parcels = [rows[(homes == peer).any(axis=1)] for peer in here]
    arrived = np.concatenate((yield AllToAll(parcels, group=here)))
    mine = range(rank * own, (rank + 1) * own)
    return [set(arrived[(arrived[:, 1:] == expert).any(axis=1), 0].tolist()) for expert in mine]
