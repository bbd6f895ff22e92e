"""Simulators: a small Transformer that tensor, pipeline and data parallelism train together, with ZeRO, on the machine.

A layer is a causal attention block and a feed-forward block with a GeLU, each behind a residual connection. The loss of
a token is half the squared distance between the last layer's output and its target; a step minimizes the mean over all
tokens with Adam. The matrices are cut as in ``snippets.parallelism.tensor``, the layers go to stages that work in the
order of a schedule of ``snippets.parallelism.pipeline``, and the state is cut as in ``snippets.memory.zero``. All
numbers are float64.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import affordable, finite_array, random_generator, refusing_overflow
from snippets.domain import at_most, each, flag, nonnegative_integer, one_of, positive_integer, positive_number
from snippets.memory.zero.sharded_adam import AdamConstants, adam_update
from snippets.parallelism.pipeline.programs import due_tasks, follower_task
from snippets.parallelism.pipeline.schedules import PipelineSchedule, Task, build_pipeline
from snippets.parallelism.tensor.programs import block_inner, block_inner_backward
from snippets.simulation.account import Account
from snippets.simulation.machine import AllGather, AllReduce, Isend, Machine, Program, Receive, ReduceScatter
from snippets.simulation.schedule import chunk_bound

Array = NDArray[np.float64]
RUN_AXES = ("tensor", "pipeline", "data")
MATRICES = ("qkv", "projection", "first", "second")
RUN_STAGES = (0, 1, 3)
MOST_MACHINE_RANKS = 64


class MeshPlace(NamedTuple):
    """Where a rank is on the mesh.

    >>> MeshPlace(tensor=1, data=0, pipeline=1)
    MeshPlace(tensor=1, data=0, pipeline=1)
    """

    tensor: int
    data: int
    pipeline: int


def mesh_place(rank: int, *, tensor_parallel: int, data_parallel: int) -> MeshPlace:
    """Return where a rank is: tensor neighbours are next to each other, then come the copies, then the stages.

    Args:
        rank: at least 0.
        tensor_parallel: t.
        data_parallel: d.

    Returns:
        Its numbers along the three axes.

    Source: Megatron-LM's default order, tensor, then data, then pipeline.
    Convention: ranks of a node follow one another.

    Example:
        >>> mesh_place(5, tensor_parallel=2, data_parallel=2)
        MeshPlace(tensor=1, data=0, pipeline=1)
    """
    t, d = positive_integer("tensor_parallel", tensor_parallel), positive_integer("data_parallel", data_parallel)
    rank = nonnegative_integer("rank", rank)
    return MeshPlace(rank % t, rank // t % d, rank // (t * d))


def draw_small_transformer(generator: np.random.Generator, *, layers: int, hidden: int) -> list[dict[str, Array]]:
    """Draw the weights of the small Transformer.

    Args:
        generator: source of the draws; it is advanced.
        layers: L.
        hidden: h; the feed-forward block is 4h wide.

    Returns:
        For each layer its four matrices. The columns of ``"qkv"`` go head by head: query, key and value of one head.

    Example:
        >>> layer = draw_small_transformer(np.random.default_rng(0), layers=1, hidden=4)[0]
        >>> [matrix.shape for matrix in layer.values()]
        [(4, 12), (4, 4), (4, 16), (16, 4)]
    """
    random_generator("generator", generator)
    count, h = positive_integer("layers", layers), positive_integer("hidden", hidden)
    affordable("layers × hidden²", 12 * count * h * h)
    shapes = {"qkv": (h, 3 * h), "projection": (h, h), "first": (h, 4 * h), "second": (4 * h, h)}
    return [
        {name: generator.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()} for _ in range(count)
    ]


@dataclass(frozen=True)
class ThreeDRun:
    """What the ranks computed together, and what it cost.

    Attributes:
        losses: before each step, the mean over all tokens.
        weights: of each layer in the end, put together from the first copy's ranks.
        copies_agree: whether all copies of the model end with the same weights, bit for bit.
        account: what each rank sent and held, 8 bytes a number.
        places: where each rank is on the mesh.
        stored_peak: for each rank the most pairs of micro-batch and stage that it stored at once.

    >>> ThreeDRun((0.5,), (), True, Account(1, ()), (MeshPlace(0, 0, 0),), (1,)).losses
    (0.5,)
    """

    losses: tuple[float, ...]
    weights: tuple[dict[str, Array], ...]
    copies_agree: bool
    account: Account
    places: tuple[MeshPlace, ...]
    stored_peak: tuple[int, ...]

    def axis_bytes(self) -> dict[str, tuple[int, ...]]:
        """Return, for each axis of the mesh, what every rank sent along it."""
        sent = {axis: [0] * len(self.places) for axis in RUN_AXES}
        for (source, destination), size in self.account.link_bytes.items():
            sent[self.axis_of(source, destination)][source] += size
        return {axis: tuple(sizes) for axis, sizes in sent.items()}

    def axis_of(self, source: int, destination: int) -> str:
        """Return the axis along which two ranks are neighbours.

        Args:
            source: a rank, at least 0.
            destination: another one, at least 0.

        Returns:
            One of ``RUN_AXES``.

        >>> places = tuple(mesh_place(rank, tensor_parallel=2, data_parallel=1) for rank in range(4))
        >>> ThreeDRun((0.5,), (), True, Account(4, ()), places, (1, 1, 1, 1)).axis_of(1, 3)
        'pipeline'
        """
        for name, rank in (("source", source), ("destination", destination)):
            if nonnegative_integer(name, rank) >= len(self.places):
                raise ValueError(f"{name} must be a rank below {len(self.places)}, got {rank!r}")
        here, there = self.places[int(source)], self.places[int(destination)]
        differing = [axis for axis in RUN_AXES if getattr(here, axis) != getattr(there, axis)]
        if len(differing) != 1:
            raise ValueError(f"source and destination must differ along one axis, got {here} and {there}")
        return differing[0]


@dataclass(frozen=True)
class _Job:
    """What is trained, and on which mesh; the same on all ranks."""

    tensor: int
    pipeline: int
    data: int
    heads: int
    hidden: int
    zero_stage: int
    sequence_parallel: bool
    recompute: bool
    steps: int
    adam: AdamConstants
    schedule: PipelineSchedule
    stage_layers: tuple[range, ...]
    tokens: int

    def part(self, name: str, place: int) -> tuple[slice, slice]:
        """Rows and columns of a matrix that a tensor rank has: heads and inner width are cut."""
        width = {"qkv": 3, "projection": 1, "first": 4, "second": 4}[name] * self.hidden // self.tensor
        own = slice(place * width, (place + 1) * width)
        return (slice(None), own) if name in ("qkv", "first") else (own, slice(None))


class _Rank:
    """One rank: the layers of its stages, cut among its tensor group, and their state, cut among its data group."""

    def __init__(
        self, job: _Job, rank: int, place: MeshPlace, weights: Sequence[dict[str, Array]], memory: Any
    ) -> None:
        self.job, self.rank, self.place, self.memory = job, rank, place, memory
        t, d, p = job.tensor, job.data, job.pipeline
        first = rank - place.tensor
        self.tensor_group = range(first, first + t)
        self.data_group = range(place.tensor + place.pipeline * t * d, (place.pipeline + 1) * t * d, t)
        self.line = [place.tensor + t * (place.data + d * stage) for stage in range(p)]
        self.flat: dict[int, Array] = {}
        self.gradient: dict[int, Array] = {}
        self.state: dict[int, tuple[Array, Array]] = {}
        stages = [stage for stage, home in enumerate(job.schedule.placements[0]) if home == place.pipeline]
        for layer in (layer for stage in stages for layer in job.stage_layers[stage]):
            whole = np.concatenate([weights[layer][name][job.part(name, place.tensor)].ravel() for name in MATRICES])
            cut = self.shard(whole.size)
            kept = whole[cut] if job.zero_stage == 3 else whole
            self.flat[layer] = memory.watch(kept.copy(), "parameters")
            self.gradient[layer] = memory.watch(np.zeros(kept.size), "gradients")
            size = kept.size if job.zero_stage in (0, 3) else cut.stop - cut.start
            self.state[layer] = tuple(memory.watch(np.zeros(size), "optimizer") for _ in range(2))
        self.stored: dict[tuple[int, int], Any] = {}
        self.mailbox: dict[Task, Array] = {}
        self.losses: list[float] = []
        self.stored_peak = 0

    def shard(self, size: int) -> slice:
        """This rank's part of a layer's vector among the copies."""
        return slice(*chunk_bound(size, self.job.data, self.place.data))

    def matrices(self, flat: Array) -> dict[str, Array]:
        """Views of a layer's vector as the rank's parts of its four matrices."""
        h, t = self.job.hidden, self.job.tensor
        shapes = {
            "qkv": (h, 3 * h // t),
            "projection": (h // t, h),
            "first": (h, 4 * h // t),
            "second": (4 * h // t, h),
        }
        ends = accumulate((rows * columns for rows, columns in shapes.values()), initial=0)
        return {
            name: flat[start:stop].reshape(shape)
            for (name, shape), (start, stop) in zip(shapes.items(), pairwise(ends), strict=True)
        }

    def fetch(self, layer: int) -> Program:
        """The rank's parts of a layer's matrices, in stage 3 gathered from the copies."""
        flat = self.flat[layer]
        if self.job.zero_stage == 3 and self.job.data > 1:
            flat = yield AllGather(flat, group=self.data_group)
        return self.matrices(flat)

    def enter(self, x: Array) -> Program:
        """Before a block forward, behind it backward: everybody gets all tokens."""
        if self.job.sequence_parallel and self.job.tensor > 1:
            x = yield AllGather(x, group=self.tensor_group)
        return x

    def leave(self, term: Array) -> Program:
        """Behind a block forward, before it backward: the terms are summed."""
        if self.job.tensor == 1:
            return term
        if self.job.sequence_parallel:
            return (yield ReduceScatter(term, group=self.tensor_group))
        return (yield AllReduce(term, group=self.tensor_group))

    def forward_layer(self, weights: dict[str, Array], x: Array) -> Program:
        """Output of a layer, and what its backward pass needs."""
        kept = []
        for first, second, heads in (
            ("qkv", "projection", self.job.heads // self.job.tensor),
            ("first", "second", None),
        ):
            whole = yield from self.enter(x)  # (s, h)
            made = whole @ weights[first]  # (s, own width)
            inner, between = block_inner(made, heads)
            x = x + (yield from self.leave(inner @ weights[second]))  # (own s, h)
            kept.append((whole, made, inner, between))
        return x, kept

    def backward_layer(self, layer: int, kept: Any, gradient: Array) -> Program:
        """Gradient of a layer's input; that of its weights is added up."""
        weights = yield from self.fetch(layer)
        if self.job.recompute:
            _, kept = yield from self.forward_layer(weights, kept)
        total = np.zeros(sum(matrix.size for matrix in weights.values()))
        sums = self.matrices(total)
        own_heads = self.job.heads // self.job.tensor
        blocks = (("first", "second", None), ("qkv", "projection", own_heads))
        for (first, second, heads), (whole, made, inner, between) in zip(blocks, reversed(kept), strict=True):
            outer = yield from self.enter(gradient)  # (s, h)
            sums[second] += inner.T @ outer
            down = block_inner_backward(outer @ weights[second].T, made, between, heads)  # (s, own width)
            sums[first] += whole.T @ down
            gradient = gradient + (yield from self.leave(down @ weights[first].T))  # (own s, h)
        if self.job.zero_stage == 3 and self.job.data > 1:
            total = yield ReduceScatter(total, group=self.data_group)
        self.gradient[layer] += total
        return gradient

    def run_task(self, task: Task, arrived: Array, targets: Sequence[Array]) -> Program:
        """One pass of one micro-batch through one stage."""
        key, layers = (task.micro_batch, task.stage), self.job.stage_layers[task.stage]
        if task.kind == "F":
            inputs, x = [], arrived
            for layer in layers:
                inputs.append(x)
                x, kept = yield from self.forward_layer((yield from self.fetch(layer)), x)
                if not self.job.recompute:
                    inputs[-1] = kept
                del kept
            self.stored[key] = [self.remember(one) for one in inputs]
            self.stored_peak = max(self.stored_peak, len(self.stored))
            if task.stage == self.job.schedule.stages - 1:
                x = (x - targets[task.micro_batch]) / self.job.tokens
                self.losses[-1] += float((x**2).sum() / 2 * self.job.tokens)
            return x
        gradient = arrived
        for layer, kept in reversed(list(zip(layers, self.stored.pop(key), strict=True))):
            gradient = yield from self.backward_layer(layer, kept, gradient)
        return gradient

    def remember(self, kept: Any) -> Any:
        """Count what is stored for the backward pass."""
        if isinstance(kept, np.ndarray):
            return self.memory.watch(kept.view(), "activations")
        return [tuple(self.memory.watch(one.view(), "activations") for one in block[:3]) + block[3:] for block in kept]

    def train(self, inputs: Sequence[Array], targets: Sequence[Array]) -> Program:
        """The rank's program."""
        job = self.job
        for step in range(1, job.steps + 1):
            self.losses.append(0.0)
            due = due_tasks(job.schedule, self.place.pipeline)
            for task in job.schedule.orders[self.place.pipeline]:
                yield from self.receive(task, due)
                first = task.kind == "F" and not task.stage
                arrived = inputs[task.micro_batch] if first else self.mailbox.pop(task)
                result = yield from self.run_task(task, arrived, targets)
                del arrived
                follower = follower_task(job.schedule, task)
                if follower and job.schedule.rank_of(follower) == self.place.pipeline:
                    self.mailbox[follower] = result
                elif follower:
                    yield Isend(self.line[job.schedule.rank_of(follower)], result)
            for layer in self.flat:
                yield from self.update(layer, step)

    def receive(self, task: Task, due: dict[int, deque[Task]]) -> Program:
        """Take messages until the input of a task is there."""
        for source, tasks in due.items():
            while task in tasks:
                arrived = yield Receive(self.line[source])
                self.mailbox[tasks.popleft()] = arrived

    def update(self, layer: int, step: int) -> Program:
        """Sum a layer's gradient over the copies, and make one step of Adam with it."""
        job, flat, gradient, several = self.job, self.flat[layer], self.gradient[layer], self.job.data > 1
        own = slice(None)
        if job.zero_stage == 0 and several:
            yield AllReduce(gradient, into=gradient, group=self.data_group)
        if job.zero_stage == 1 and several:
            own = self.shard(flat.size)
            yield ReduceScatter(gradient, into=gradient[own], group=self.data_group)
        adam_update(flat[own], *self.state[layer], gradient[own], step=step, adam=job.adam)
        if job.zero_stage == 1 and several:
            yield AllGather(flat[own], into=flat, group=self.data_group)
        gradient[...] = 0


@refusing_overflow("weights, inputs and targets")
def train_three_d(
    weights: Sequence[Any],
    inputs: Any,
    targets: Any,
    *,
    heads: int,
    tensor_parallel: int = 1,
    pipeline_parallel: int = 1,
    data_parallel: int = 1,
    micro_batches: int = 1,
    zero_stage: int = 1,
    sequence_parallel: bool = False,
    recompute: bool = False,
    schedule: str = "1f1b",
    chunks: int = 1,
    stage_layers: Sequence[int] | None = None,
    steps: int = 1,
    learning_rate: float = 1e-3,
) -> ThreeDRun:
    """Train the small Transformer on t × p × d ranks, every rank with a memory of its own.

    Args:
        weights: of each layer, as ``draw_small_transformer`` gives them.
        inputs: shape (sequences, s, h). A micro-batch is one sequence.
        targets: of the same shape.
        heads: attention heads, a multiple of ``tensor_parallel``.
        tensor_parallel: t.
        pipeline_parallel: p.
        data_parallel: d.
        micro_batches: m of each copy, so that there are d·m sequences.
        zero_stage: 0, 1 or 3.
        sequence_parallel: whether tokens are cut between the blocks; t must divide s then.
        recompute: whether a layer keeps its input alone and runs again before its backward pass.
        schedule: of the pipeline, ``"1f1b"``, ``"gpipe"`` or ``"interleaved"``.
        chunks: v, for an interleaved schedule.
        stage_layers: layers of each of the p·v stages; as even as can be if ``None``.
        steps: optimizer steps, all on the same batch.
        learning_rate: of Adam.

    Returns:
        Losses, weights and the account.

    Raises:
        ValueError: if shapes do not fit, or a size does not divide what it cuts.

    Source: Narayanan et al. 2021, sections 2 and 3, for the composition; Rajbhandari et al. 2020 for the stages.
    Convention: gradients are of the mean over all tokens, and copies add theirs. In stage 3 they do so for every
        micro-batch; else once a step, when the last backward pass is over.
    Leaves out: norms, biases, dropout, the vocabulary, time.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> start = draw_small_transformer(rng, layers=2, hidden=4)
        >>> x, y = rng.normal(size=(2, 4, 2, 4))
        >>> eight = train_three_d(start, x, y, heads=2, tensor_parallel=2, pipeline_parallel=2, data_parallel=2,
        ...                       micro_batches=2)
        >>> one = train_three_d(start, x, y, heads=2, micro_batches=4)
        >>> np.allclose(eight.weights[1]["qkv"], one.weights[1]["qkv"]), eight.axis_bytes()["pipeline"][:2]
        (True, (128, 128))
    """
    t, p, d = _mesh_sizes(tensor_parallel, pipeline_parallel, data_parallel)
    given, m = _layers(weights), positive_integer("micro_batches", micro_batches)
    cut_tokens = flag("sequence_parallel", sequence_parallel)
    x, y = _tokens(inputs, targets, sequences=d * m, hidden=len(given[0]["projection"]), cut=t if cut_tokens else 1)
    order = build_pipeline(
        one_of("schedule", schedule, ("1f1b", "gpipe", "interleaved")), stages=p, micro_batches=m, chunks=chunks
    )
    job = _Job(
        tensor=t,
        pipeline=p,
        data=d,
        heads=_dealt_heads(heads, hidden=x.shape[2], ranks=t),
        hidden=x.shape[2],
        zero_stage=one_of("zero_stage", nonnegative_integer("zero_stage", zero_stage), RUN_STAGES),
        sequence_parallel=cut_tokens,
        recompute=flag("recompute", recompute),
        steps=at_most("steps", positive_integer("steps", steps), 1000),
        adam=AdamConstants(learning_rate=positive_number("learning_rate", learning_rate)),
        schedule=order,
        stage_layers=_dealt_layers(stage_layers, layers=len(given), stages=order.stages),
        tokens=x.shape[0] * x.shape[1],
    )
    return _run(job, given, x, y)


def _run(job: _Job, weights: Sequence[dict[str, Array]], x: Array, y: Array) -> ThreeDRun:
    """Let the ranks train, and put together what they have."""
    machine = Machine(job.tensor * job.pipeline * job.data)
    places = [mesh_place(rank, tensor_parallel=job.tensor, data_parallel=job.data) for rank in range(machine.ranks)]
    ranks = [_Rank(job, rank, place, weights, machine.memories[rank]) for rank, place in enumerate(places)]
    machine.run([rank.train(_own(x, job, rank.place), _own(y, job, rank.place)) for rank in ranks])
    sums = np.sum([rank.losses for rank in ranks], axis=0) / (1 if job.sequence_parallel else job.tensor)
    copies = [_joined(job, ranks, copy) for copy in range(job.data)]
    return ThreeDRun(
        losses=tuple(map(float, sums)),
        weights=tuple(copies[0]),
        copies_agree=all(
            np.array_equal(one[name], first[name])
            for copy in copies
            for one, first in zip(copy, copies[0], strict=True)
            for name in MATRICES
        ),
        account=machine.account,
        places=tuple(places),
        stored_peak=tuple(rank.stored_peak for rank in ranks),
    )


def _mesh_sizes(tensor_parallel: int, pipeline_parallel: int, data_parallel: int) -> tuple[int, int, int]:
    t, p, d = (
        at_most(name, positive_integer(name, value), MOST_MACHINE_RANKS)
        for name, value in zip(
            ("tensor_parallel", "pipeline_parallel", "data_parallel"),
            (tensor_parallel, pipeline_parallel, data_parallel),
            strict=True,
        )
    )
    at_most("tensor_parallel × pipeline_parallel × data_parallel", t * p * d, MOST_MACHINE_RANKS)
    return t, p, d


def _dealt_heads(heads: int, *, hidden: int, ranks: int) -> int:
    a = positive_integer("heads", heads)
    if hidden % a or a % ranks:
        raise ValueError(
            f"heads must divide the width {hidden} and be a multiple of tensor_parallel = {ranks}, got {a}"
        )
    return a


def _tokens(inputs: Any, targets: Any, *, sequences: int, hidden: int, cut: int) -> tuple[Array, Array]:
    """Return inputs and targets of shapes that fit, or raise ``ValueError``."""
    x, y = finite_array("inputs", inputs, dimensions=3), finite_array("targets", targets, dimensions=3)
    if y.shape != x.shape or x.shape[0] != sequences or x.shape[2] != hidden or not x.shape[1]:
        raise ValueError(
            f"inputs and targets must have shape ({sequences}, s, {hidden}), data_parallel × micro_batches sequences, "
            f"got {x.shape} and {y.shape}"
        )
    if x.shape[1] % cut:
        raise ValueError(f"tensor_parallel must divide the {x.shape[1]} tokens of a sequence, got {cut}")
    return x, y


def _own(x: Array, job: _Job, place: MeshPlace) -> list[Array]:
    """The sequences of a copy; with sequence parallelism a rank's tokens of them."""
    mine = np.split(x, job.data)[place.data]  # (m, s, h)
    if job.sequence_parallel:
        mine = np.split(mine, job.tensor, axis=1)[place.tensor]  # (m, own s, h)
    return list(mine)


def _layers(weights: Any) -> list[dict[str, Array]]:
    """Return the layers' matrices, or raise ``ValueError``."""
    if not isinstance(weights, list | tuple) or not weights:
        raise ValueError(f"weights must be a list of layers, at least one, got {weights!r:.80}")
    given = []
    for number, layer in enumerate(weights):
        if not isinstance(layer, dict) or set(layer) != set(MATRICES):
            raise ValueError(f"weights[{number}] must have the keys {', '.join(MATRICES)}, got {layer!r:.80}")
        given.append(
            {name: finite_array(f"weights[{number}][{name!r}]", layer[name], dimensions=2) for name in MATRICES}
        )
    h = len(given[0]["projection"])
    shapes = {"qkv": (h, 3 * h), "projection": (h, h), "first": (h, 4 * h), "second": (4 * h, h)}
    for number, layer in enumerate(given):
        found = {name: matrix.shape for name, matrix in layer.items()}
        if found != shapes or not h:
            raise ValueError(f"weights[{number}] must have the shapes {shapes}, got {found}")
    return given


def _dealt_layers(stage_layers: Any, *, layers: int, stages: int) -> tuple[range, ...]:
    """Return the layers of each stage."""
    if stage_layers is None:
        counts = tuple(stop - start for start, stop in (chunk_bound(layers, stages, stage) for stage in range(stages)))
    else:
        counts = each("stage_layers", stage_layers, positive_integer)
    if len(counts) != stages or sum(counts) != layers or min(counts) < 1:
        raise ValueError(
            f"stage_layers must give each of the {stages} stages a layer and add up to {layers}, got {counts}"
        )
    return tuple(range(start, stop) for start, stop in pairwise(accumulate(counts, initial=0)))


def _joined(job: _Job, ranks: Sequence[_Rank], copy: int) -> list[dict[str, Array]]:
    """Put the weights of one copy together; in stage 3 all copies' shards are."""
    h, layers = job.hidden, job.stage_layers[-1].stop
    shapes = {"qkv": (h, 3 * h), "projection": (h, h), "first": (h, 4 * h), "second": (4 * h, h)}
    joined = [{name: np.zeros(shape) for name, shape in shapes.items()} for _ in range(layers)]
    for rank in ranks:
        if rank.place.data != copy:
            continue
        for layer, flat in rank.flat.items():
            if job.zero_stage == 3:
                flat = np.concatenate([ranks[other].flat[layer] for other in rank.data_group])
            for name, part in rank.matrices(flat).items():
                joined[layer][name][job.part(name, rank.place.tensor)] = part
    return joined
