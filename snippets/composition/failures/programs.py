"""Simulators: training that loses a rank and goes on from a checkpoint, and training in which a bit flips.

The ranks are those of ``snippets.simulation.machine``. A dead rank asks for nothing more, so the others wait until the
machine finds that none can go on: that is how the failure is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import (
    at_most,
    flag,
    integer_at_least,
    nonnegative_integer,
    number_between,
    one_of,
    positive_integer,
)
from snippets.simulation.account import Account
from snippets.simulation.machine import (
    AllGather,
    AllReduce,
    Barrier,
    Deadlock,
    Exchange,
    Machine,
    Program,
    Receive,
    ReduceScatter,
    Send,
)
from snippets.simulation.schedule import chunk_bounds

Array = npt.NDArray[np.float64]
KINDS = 3  # weights and Adam's two averages
_RATE, _DECAY_1, _DECAY_2, _EPSILON = 0.02, 0.9, 0.999, 1e-8
_MOST = 10_000


def examples(step: int, *, batch: int, features: int, seed: int = 0) -> tuple[Array, Array]:
    """Return the examples of a step, which depend on nothing but its number: the place in the data is the step.

    Args:
        step: counted from 0.
        batch: how many.
        features: of each.
        seed: of all data, at least 0.

    Returns:
        Features of shape (batch, features), targets of shape (batch,).

    Example:
        >>> examples(3, batch=4, features=2)[0].shape
        (4, 2)
    """
    rng = np.random.default_rng((nonnegative_integer("seed", seed), nonnegative_integer("step", step)))
    count, width = at_most("batch", positive_integer("batch", batch), _MOST), positive_integer("features", features)
    at_most("features", width, _MOST)
    x = rng.normal(size=(count, width))
    return x, x @ np.linspace(-1, 1, width) + 0.1 * rng.normal(size=count)


@dataclass
class Store:
    """Storage for checkpoints that outlives the ranks, and counts what they write and read.

    Attributes:
        pieces: by step and rank, where the rank's shard begins, and its weights and averages.
        complete: steps whose checkpoint all ranks have finished.
        written_bytes, read_bytes: by step and rank; by rank.

    Example:
        >>> store = Store()
        >>> store.write(4, 0, 0, np.zeros((3, 2)))
        >>> store.read(4, 0, 0, 1).shape, store.written_bytes[4, 0], store.read_bytes[0]
        ((3, 1), 48, 24)
    """

    pieces: dict[tuple[int, int], tuple[int, Array]] = field(default_factory=dict)
    complete: list[int] = field(default_factory=list)
    written_bytes: dict[tuple[int, int], int] = field(default_factory=dict)
    read_bytes: dict[int, int] = field(default_factory=dict)

    def write(self, step: int, rank: int, begin: int, state: npt.ArrayLike) -> None:
        """Keep a copy of a rank's shard, of shape (3, entries), and where it begins; step, rank, begin at least 0."""
        mine = finite_array("state", state, dimensions=2)
        if len(mine) != KINDS:
            raise ValueError(f"state must have shape ({KINDS}, entries), got {mine.shape}")
        self.pieces[nonnegative_integer("step", step), nonnegative_integer("rank", rank)] = (
            nonnegative_integer("begin", begin),
            mine,
        )
        self.written_bytes[step, rank] = int(mine.nbytes)

    def read(self, step: int, rank: int, begin: int, end: int) -> Array:
        """Return the entries from begin to end for a rank, cut out of whatever shards hold them; all at least 0."""
        first, last = nonnegative_integer("begin", begin), nonnegative_integer("end", end)
        if last < first:
            raise ValueError(f"end must be at least begin = {first}, got {end!r}")
        wanted, reader = nonnegative_integer("step", step), nonnegative_integer("rank", rank)
        found = []
        for (of, _), (start, state) in sorted(self.pieces.items(), key=lambda piece: piece[1][0]):
            low, high = max(first, start), min(last, start + state.shape[1])
            if of == wanted and low < high:
                found.append(state[:, low - start : high - start])
        joined: Array = np.concatenate(found, axis=1) if found else np.zeros((KINDS, 0))
        if joined.shape[1] != last - first:
            raise ValueError(
                f"step must be one whose checkpoint is whole from begin {first} to end {last}, got {step!r}"
            )
        self.read_bytes[reader] = self.read_bytes.get(reader, 0) + int(joined.nbytes)
        return joined


@dataclass(frozen=True)
class ElasticRun:
    """A run of two lives.

    Attributes:
        losses: of each step, as it went into the weights that came out.
        first_losses: of the steps of the first life, those that were lost too.
        resumed: the step from which the second life went on.
        weights: in the end.
        noticed: what the machine said when no rank could go on; ``""`` if none was lost.
        written_bytes: of each rank, in one checkpoint.
        read_bytes: of each rank of the second life, from storage.
        accounts: what the ranks sent, one account a life.
    """

    losses: tuple[float, ...]
    first_losses: tuple[float, ...]
    resumed: int
    weights: Array
    noticed: str
    written_bytes: tuple[int, ...]
    read_bytes: tuple[int, ...]
    accounts: tuple[Account, ...]


def run_elastic(
    *,
    ranks: int,
    then_ranks: int,
    features: int,
    batch: int,
    steps: int,
    save_every: int,
    lost_rank: int | None,
    lost_step: int = 0,
    neighbours: bool = False,
    seed: int = 0,
) -> ElasticRun:
    """Train a linear model by Adam in shards; lose a rank in mid-step; go on from the last checkpoint.

    Args:
        ranks: of the first life.
        then_ranks: of the second life: as many, fewer or more.
        features: entries of the model, dealt to the ranks in stretches.
        batch: examples of a step, dealt to the ranks.
        steps: steps of the run.
        save_every: steps between two checkpoints; the start counts as one.
        lost_rank: which rank dies, counted from 0; ``None`` for none.
        lost_step: in which step it dies, before the gradients are reduced, counted from 0.
        neighbours: whether checkpoints stay in the ranks' own memories and their right neighbours', instead of in
            storage; then the second life has as many ranks, and the lost one's place is taken by a new one.
        seed: of the data, at least 0.

    Returns:
        The run, with its bytes.

    Raises:
        ValueError: if a rank would have no example or no entry; or neighbours come with another number of ranks.

    Example:
        >>> calm, struck = (
        ...     run_elastic(
        ...         ranks=4, then_ranks=3, features=12, batch=12, steps=9, save_every=3, lost_rank=lost, lost_step=7
        ...     )
        ...     for lost in (None, 2)
        ... )
        >>> struck.resumed, struck.noticed[:42], struck.read_bytes
        (6, 'rank 0 waits in ReduceScatter for rank 2, ', (96, 96, 96))
        >>> bool(np.allclose(struck.losses, calm.losses))
        True
    """
    most = min(at_most("features", positive_integer("features", features), _MOST), positive_integer("batch", batch))
    R, then = positive_integer("ranks", ranks), positive_integer("then_ranks", then_ranks)
    if max(R, then) > most:
        raise ValueError(
            f"ranks and then_ranks must be at most features and batch, {most}, got {ranks!r}, {then_ranks!r}"
        )
    count, every = at_most("steps", positive_integer("steps", steps), _MOST), positive_integer("save_every", save_every)
    if lost_rank is not None:
        nonnegative_integer("lost_rank", lost_rank)
        number_between("lost_rank", lost_rank, low=0, high=R - 1)
    nonnegative_integer("lost_step", lost_step)
    number_between("lost_step", lost_step, low=0, high=count - 1)
    nonnegative_integer("seed", seed)
    if flag("neighbours", neighbours) and (then != R or R < 2):
        raise ValueError(f"then_ranks must be ranks, at least 2, if neighbours is True, got {then_ranks!r}")
    plan = _Plan(features, batch, count, every, seed, neighbours)
    store, losses = Store(), dict[int, float]()
    copies: list[dict[int, Array]] = [{} for _ in range(R)]  # by rank: whose shard it keeps, and the shard
    first = Machine(R)
    try:
        out = first.run([_life(plan, r, R, store, copies, losses, 0, lost_rank, lost_step) for r in range(R)])
        lived, resumed, noticed, accounts = dict(losses), 0, "", [first.account]
    except Deadlock as error:
        lived, noticed, accounts = dict(losses), str(error), [first.account]
        resumed = max(store.complete, default=0)
        store.read_bytes.clear()
        if lost_rank is not None:
            copies[lost_rank] = {}  # the new rank's memory is empty
        second = Machine(then)
        out = second.run([_life(plan, r, then, store, copies, losses, resumed, None, 0) for r in range(then)])
        accounts.append(second.account)
    return ElasticRun(
        tuple(losses[step] for step in range(count)),
        tuple(lived[step] for step in sorted(lived)),
        resumed,
        out[0],
        noticed,
        tuple(8 * KINDS * (end - begin) for begin, end in chunk_bounds(features, R)),
        tuple(store.read_bytes.get(rank, 0) for rank in range(then)),
        tuple(accounts),
    )


@dataclass(frozen=True)
class _Plan:
    features: int
    batch: int
    steps: int
    save_every: int
    seed: int
    neighbours: bool


def _life(
    plan: _Plan,
    rank: int,
    ranks: int,
    store: Store,
    copies: list[dict[int, Array]],
    losses: dict[int, float],
    start: int,
    lost_rank: int | None,
    lost_step: int,
) -> Program:
    """What a rank does from a checkpoint to the last step, or to its death."""
    begin, end = chunk_bounds(plan.features, ranks)[rank]
    mine = chunk_bounds(plan.batch, ranks)[rank]
    state = np.zeros((KINDS, end - begin))  # weights, Adam's first and second average
    if start and plan.neighbours:
        state = yield from _restored(rank, ranks, copies)
    elif start:
        state = store.read(start, rank, begin, end)
    for step in range(start, plan.steps):
        whole = yield AllGather(state[0].copy())
        x, y = examples(step, batch=plan.batch, features=plan.features, seed=plan.seed)
        x, y = x[slice(*mine)], y[slice(*mine)]
        error = x @ whole - y
        if rank == lost_rank and step == lost_step:
            return None  # it asks for nothing more
        gradient = yield ReduceScatter(x.T @ error / plan.batch)
        total = yield AllReduce(np.array([error @ error / (2 * plan.batch)]))
        losses[step] = float(total[0])
        _adam(state, gradient, step + 1)
        if (step + 1) % plan.save_every == 0:
            if plan.neighbours:
                kept = yield Exchange(to=(rank + 1) % ranks, numbers=state.copy(), source=(rank - 1) % ranks)
                copies[rank] = {rank: state.copy(), (rank - 1) % ranks: kept}
            else:
                store.write(step + 1, rank, begin, state)
            yield Barrier()  # nobody trusts a checkpoint before all have finished
            if rank == 0:
                store.complete.append(step + 1)
    return (yield AllGather(state[0].copy()))


def _restored(rank: int, ranks: int, copies: list[dict[int, Array]]) -> Program:
    """Take up one's own copy; a new rank gets the one that its right neighbour has kept."""
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    if not copies[left]:
        yield Send(left, copies[rank][left])
    if copies[rank]:
        return copies[rank][rank].copy()
    return (yield Receive(right))


def _adam(state: Array, gradient: Array, step: int) -> None:
    """Update weights and averages in place."""
    state[1] = _DECAY_1 * state[1] + (1 - _DECAY_1) * gradient
    state[2] = _DECAY_2 * state[2] + (1 - _DECAY_2) * gradient**2
    mean, square = state[1] / (1 - _DECAY_1**step), state[2] / (1 - _DECAY_2**step)
    state[0] -= _RATE * mean / (np.sqrt(square) + _EPSILON)


@dataclass(frozen=True)
class CorruptedRun:
    """A run in which one bit of one number flips.

    Attributes:
        losses: of each step.
        replicas_differ: for each step, whether the replicas' weights differ after it.
        redone_differs: for each step, whether a rank that repeats its neighbour's gradient gets another one.
        off: how far the weights are from those of a run without the flip in the end, at most, over the ranks.
    """

    losses: tuple[float, ...]
    replicas_differ: tuple[bool, ...]
    redone_differs: tuple[bool, ...]
    off: float


def run_corrupted(
    *, ranks: int, features: int, batch: int, steps: int, where: str, flip_step: int, flip_bit: int = 60, seed: int = 0
) -> CorruptedRun:
    """Train replicas of a linear model by data parallelism; flip a bit on rank 0 in one step, and look for it.

    Args:
        ranks: replicas, at least 2.
        features: entries of the model.
        batch: examples of a step, dealt to the ranks.
        steps: steps of the run.
        where: ``"gradient"``: in rank 0's gradient, before the all-reduce; ``"weights"``: in its copy of the weights,
            after the update; ``"nowhere"``.
        flip_step: in which step, counted from 0.
        flip_bit: which of the 64 bits of the first number: 0 is the last of the fraction, 62 the first of the exponent.
        seed: of the data, at least 0.

    Returns:
        The losses, and what two checks would have seen after each step.

    Raises:
        ValueError: if a rank would have no example, or a place or a step isn't there.

    Example:
        >>> run = run_corrupted(ranks=2, features=4, batch=8, steps=6, where="gradient", flip_step=3)
        >>> any(run.replicas_differ), run.redone_differs.index(True)
        (False, 3)
    """
    R, width = integer_at_least("ranks", ranks, 2), at_most("features", positive_integer("features", features), _MOST)
    count, size = at_most("steps", positive_integer("steps", steps), _MOST), positive_integer("batch", batch)
    if size < R:
        raise ValueError(f"batch must be at least ranks = {R}, got {batch!r}")
    one_of("where", where, ("gradient", "weights", "nowhere"))
    nonnegative_integer("flip_step", flip_step)
    number_between("flip_step", flip_step, low=0, high=count - 1)
    bit = nonnegative_integer("flip_bit", flip_bit)
    number_between("flip_bit", flip_bit, low=0, high=63)
    nonnegative_integer("seed", seed)
    flips = {"step": int(flip_step), "bit": bit, "where": where}
    calm = {**flips, "where": "nowhere"}
    ends = []
    for how in (flips, calm):
        with np.errstate(over="ignore", invalid="ignore"):
            out = Machine(R).run([_replica(r, R, width, size, count, seed, how) for r in range(R)])
        ends.append(out)
    struck, right = ends
    off = max(float(np.abs(mine[0] - whole[0]).max()) for mine, whole in zip(struck, right, strict=True))
    _, losses, differ, redone = struck[0]
    return CorruptedRun(losses, differ, redone, off)


def _replica(
    rank: int, ranks: int, features: int, batch: int, steps: int, seed: int, flip: dict[str, object]
) -> Program:
    """What a replica does, and both checks after each step."""
    bounds = chunk_bounds(batch, ranks)
    state = np.zeros((KINDS, features))
    losses, differ, redone = [], [], []
    for step in range(steps):
        data = examples(step, batch=batch, features=features, seed=seed)
        begun = state[0].copy()
        mine, loss = _gradient(begun, data, bounds[rank])
        if rank == 0 and flip["where"] == "gradient" and flip["step"] == step:
            _flip(mine, int(str(flip["bit"])))
        theirs = yield Exchange(to=(rank - 1) % ranks, numbers=mine.copy(), source=(rank + 1) % ranks)
        again, _ = _gradient(begun, data, bounds[(rank + 1) % ranks])
        total = yield AllReduce(mine)
        _adam(state, total, step + 1)
        if rank == 0 and flip["where"] == "weights" and flip["step"] == step:
            _flip(state[0], int(str(flip["bit"])))
        digests = yield AllGather(state[0][None, :].copy())  # of a real run, a checksum of some bytes
        seen = np.array([loss, float(not np.array_equal(again, theirs))])
        summed = yield AllReduce(seen)
        losses.append(float(summed[0]))
        differ.append(bool((digests != digests[0]).any()))
        redone.append(bool(summed[1] > 0))
    return state[0], tuple(losses), tuple(differ), tuple(redone)


def _gradient(weights: Array, data: tuple[Array, Array], rows: tuple[int, int]) -> tuple[Array, float]:
    """Return a rank's gradient and its part of the loss."""
    x, y = data[0][slice(*rows)], data[1][slice(*rows)]
    error = x @ weights - y
    return x.T @ error / len(data[1]), float(error @ error / (2 * len(data[1])))


def _flip(numbers: Array, bit: int) -> None:
    """Flip one bit of the first number, in place."""
    numbers[:1].view(np.uint64)[0] ^= np.uint64(1) << np.uint64(bit)
