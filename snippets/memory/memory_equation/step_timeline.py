"""Simulators: the memory of one training step, tensor by tensor: who allocates, who frees, and what is held between."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from snippets.domain import each, flag, nonnegative_integer, one_of, positive_integer
from snippets.memory.memory_equation.step_peak import StepSizes, check_sizes

KINDS = ("parameters", "optimizer", "gradients", "activations", "temporary")
PHASES = ("before", "forward", "backward", "update")
POLICIES = ("first fit", "best fit")


@dataclass(frozen=True)
class Tensor:
    """A tensor and the events between which it lives.

    Attributes:
        name: what it is.
        kind: one of ``KINDS``.
        bytes: its size.
        made: number of the event that allocates it.
        freed: number of the event that frees it; ``None`` if it outlives the step.

    >>> Tensor("logits", "activations", 400, made=7, freed=12).bytes
    400
    """

    name: str
    kind: str
    bytes: int
    made: int
    freed: int | None


@dataclass(frozen=True)
class Moment:
    """What is held while one task runs, when it has made its outputs and freed nothing yet.

    Attributes:
        task: what runs.
        phase: one of ``PHASES``.
        held: bytes of each kind.
        event: how many events there have been by then: a tensor is held if it was made before and is freed at this
            event or later.

    >>> Moment("layer 0", "forward", {"parameters": 3, "activations": 4}).total
    7
    """

    task: str
    phase: str
    held: Mapping[str, int]
    event: int = 0

    @property
    def total(self) -> int:
        """Bytes of all kinds.

        >>> Moment("loss", "backward", {}).total
        0
        """
        return sum(self.held.values())


@dataclass(frozen=True)
class MemoryTimeline:
    """A step's tasks in order with what each held, and every tensor's life.

    >>> from snippets.memory.memory_equation.step_peak import gpt_step_sizes
    >>> sizes = gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1)
    >>> line = step_timeline(sizes)
    >>> line.peak.task, line.peak_bytes
    ('loss', 11920)
    """

    moments: tuple[Moment, ...]
    tensors: tuple[Tensor, ...]

    @property
    def peak(self) -> Moment:
        """The first moment that holds most.

        >>> MemoryTimeline((Moment("a", "forward", {"parameters": 1}), Moment("b", "forward", {})), ()).peak.task
        'a'
        """
        return max(self.moments, key=lambda moment: moment.total)

    @property
    def peak_bytes(self) -> int:
        """The most bytes held at one time.

        >>> MemoryTimeline((Moment("a", "forward", {"parameters": 1}),), ()).peak_bytes
        1
        """
        return self.peak.total


@dataclass
class _Memory:
    """A ledger of live tensors."""

    event: int = 0
    live: dict[int, Tensor] = field(default_factory=dict)
    done: list[Tensor] = field(default_factory=list)
    held: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    moments: list[Moment] = field(default_factory=list)

    def make(self, kind: str, tensors: Iterable[tuple[str, int]]) -> list[int]:
        """Allocate tensors; return their keys."""
        keys = []
        for name, size in tensors:
            if size:
                self.live[self.event] = Tensor(name, kind, size, self.event, None)
                self.held[kind] += size
                keys.append(self.event)
                self.event += 1
        return keys

    def free(self, keys: Iterable[int]) -> None:
        """Free tensors, the last made first."""
        for key in sorted(keys, reverse=True):
            tensor = self.live.pop(key)
            self.held[tensor.kind] -= tensor.bytes
            self.done.append(Tensor(tensor.name, tensor.kind, tensor.bytes, tensor.made, self.event))
            self.event += 1

    def note(self, task: str, phase: str) -> None:
        """Record what is held now."""
        self.moments.append(Moment(task, phase, dict(self.held), self.event))

    def timeline(self) -> MemoryTimeline:
        """Everything recorded."""
        tensors = sorted([*self.done, *self.live.values()], key=lambda tensor: tensor.made)
        return MemoryTimeline(tuple(self.moments), tuple(tensors))


def step_timeline(
    sizes: StepSizes,
    *,
    keep_gradients: bool = False,
    first_step: bool = False,
    update_bytes_per_parameter: int = 0,
) -> MemoryTimeline:
    """Run one training step that allocates and frees its tensors layer by layer, and record what is held.

    Args:
        sizes: what the step allocates.
        keep_gradients: whether buffers for all gradients exist throughout, or each gradient is made in the backward
            pass and freed after the update.
        first_step: whether Adam's moments are made by this step's update.
        update_bytes_per_parameter: temporaries of the update.

    Returns:
        A moment for every task (``"start"``, ``"embedding"``, ``"layer i"``, ``"loss"``, ``"step"``, ``"end"``) and
        every tensor's life.

    Source: derived. What is kept is Korthikanti et al. 2022's list; that gradients and moments appear when they are
        first written is PyTorch's behaviour.
    Convention: a task makes its outputs before it frees its inputs. Forward, layers in order; then the loss and the
        head's backward pass; then layers in reverse order; then the update.
    Leaves out: as ``StepSizes``; addresses, for which see ``arena_bytes``.

    Example:
        >>> from snippets.memory.memory_equation.step_peak import gpt_step_sizes
        >>> sizes = gpt_step_sizes(layers=1, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1)
        >>> [(moment.task, moment.phase) for moment in step_timeline(sizes).moments][3:6]
        [('loss', 'forward'), ('loss', 'backward'), ('layer 0', 'backward')]
    """
    check_sizes(sizes)
    keep_gradients, first_step = flag("keep_gradients", keep_gradients), flag("first_step", first_step)
    extra = nonnegative_integer("update_bytes_per_parameter", update_bytes_per_parameter)
    memory, recipe, count = _Memory(), sizes.recipe, sizes.parameters
    moments = [("first moment", recipe.first_moment * count), ("second moment", recipe.second_moment * count)]
    memory.make("parameters", [("working copy", recipe.parameters * count)])
    memory.make("optimizer", [("master copy", recipe.master * count)])
    if not first_step:
        memory.make("optimizer", moments)
    if keep_gradients:
        memory.make("gradients", [("gradients", recipe.gradient_bytes * count)])
    memory.note("start", "before")

    embedding, kept, head = _forward_pass(memory, sizes)
    gradients = _backward_pass(memory, sizes, embedding, kept, head, with_gradients=not keep_gradients)

    if first_step:
        memory.make("optimizer", moments)
    update = memory.make("temporary", [("update", extra * count)])
    memory.note("step", "update")
    memory.free(update + gradients)
    memory.note("end", "update")
    return memory.timeline()


def _forward_pass(memory: _Memory, sizes: StepSizes) -> tuple[list[int], list[list[int]], list[int]]:
    """Run forward to the loss; return the keys of what the embedding, each layer and the head keep."""
    embedding = memory.make("activations", [("embedding dropout's mask", sizes.embedding_bytes)])
    memory.note("embedding", "forward")
    kept = []
    for layer in range(sizes.layers):
        kept.append(memory.make("activations", sizes.kept))
        memory.note(f"layer {layer}", "forward")
    head = memory.make("activations", sizes.head)
    memory.note("loss", "forward")
    return embedding, kept, head


def _backward_pass(
    memory: _Memory,
    sizes: StepSizes,
    embedding: list[int],
    kept: list[list[int]],
    head: list[int],
    *,
    with_gradients: bool,
) -> list[int]:
    """Run back from the loss and free what was kept; return the keys of the gradients that are made."""
    gradients: list[int] = []

    def make_gradient(name: str, parameters: int) -> None:
        if with_gradients:
            gradients.extend(memory.make("gradients", [(name, sizes.recipe.gradient_bytes * parameters)]))

    stream = memory.make("temporary", [("stream's gradient", sizes.stream_bytes)])
    logits = memory.make("temporary", [("logits' gradient", sizes.logits_gradient_bytes)])
    make_gradient("outside's gradient", sizes.outside_parameters)
    memory.note("loss", "backward")
    memory.free(head + logits)
    for layer in reversed(range(sizes.layers)):
        rebuilt = memory.make("activations", [("recomputed", sizes.rebuilt_bytes)])
        working = memory.make("temporary", [("largest tensor's gradient", sizes.working_bytes)])
        make_gradient(f"layer {layer}'s gradient", sizes.layer_parameters)
        memory.note(f"layer {layer}", "backward")
        memory.free(kept[layer] + rebuilt + working)
    memory.free(embedding + stream)
    return gradients


def in_sequence(timelines: Sequence[MemoryTimeline]) -> tuple[Tensor, ...]:
    """Return the tensors of several steps, one after the other; what outlives a step is taken from the first.

    Args:
        timelines: of steps of one model and one recipe, none of them a first step.

    Returns:
        The tensors, with events counted on.

    Raises:
        ValueError: if there is no timeline, or what outlives the steps differs.

    Example:
        >>> step = MemoryTimeline((), (Tensor("w", "parameters", 8, 0, None), Tensor("x", "activations", 4, 1, 2)))
        >>> [(tensor.name, tensor.made, tensor.freed) for tensor in in_sequence([step, step])]
        [('w', 0, None), ('x', 1, 2), ('x', 4, 5)]
    """
    each("timelines", timelines, _timeline)
    if not timelines:
        raise ValueError(f"timelines must hold at least one, got {timelines!r}")
    lasting = [[(t.name, t.bytes) for t in line.tensors if t.freed is None] for line in timelines]
    if any(other != lasting[0] for other in lasting):
        raise ValueError(f"timelines must agree in what outlives a step, got {lasting}")
    tensors: list[Tensor] = []
    offset = 0
    for number, line in enumerate(timelines):
        for tensor in line.tensors:
            if tensor.freed is not None or number == 0:
                freed = None if tensor.freed is None else tensor.freed + offset
                tensors.append(Tensor(tensor.name, tensor.kind, tensor.bytes, tensor.made + offset, freed))
        offset += 1 + max((max(tensor.made, tensor.freed or 0) for tensor in line.tensors), default=0)
    return tuple(tensors)


def arena_bytes(
    tensors: Iterable[Tensor], *, policy: str = "best fit", segments: bool = False, granule_bytes: int = 512
) -> int:
    """Give every tensor a place in memory, in the order of events, and return how much memory that takes.

    Args:
        tensors: with the events that make and free them.
        policy: ``"best fit"`` takes the smallest hole that is large enough, ``"first fit"`` the lowest.
        segments: where no hole is large enough, whether the tensor gets a new segment of its own size that never
            merges with another, or one stretch of memory grows at its end.
        granule_bytes: sizes are rounded up to a multiple of this.

    Returns:
        Bytes: at least the most that the tensors hold at one time. What is above it is fragmentation.

    Source: derived. PyTorch's CUDA allocator rounds to 512 bytes and takes the best fit; it works in segments, or with
        ``expandable_segments:True`` in stretches that grow.
    Convention: a tensor is contiguous and never moves; holes that touch merge.
    Leaves out: pools by size, streams, rounding of segments; that an allocator gives empty segments back before it
        runs out.

    Example:
        >>> a, b = Tensor("a", "temporary", 512, 0, 2), Tensor("b", "temporary", 512, 1, None)
        >>> arena_bytes([a, b, Tensor("c", "temporary", 1024, 3, None)])
        2048
    """
    one_of("policy", policy, POLICIES)
    granule, apart = positive_integer("granule_bytes", granule_bytes), flag("segments", segments)
    events: dict[int, tuple[bool, Tensor]] = {}
    if not isinstance(tensors, Iterable) or isinstance(tensors, str | bytes):
        raise TypeError(f"tensors must be a list of Tensors or another iterable, got {tensors!r}")
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"tensors must hold Tensors, got {tensor!r}")
        events[tensor.made] = (True, tensor)
        if tensor.freed is not None:
            events[tensor.freed] = (False, tensor)
    holes: list[tuple[int, int]] = []  # (start, length), in order
    places: dict[int, tuple[int, int]] = {}
    end = reserved = 0
    for _, (made, tensor) in sorted(events.items()):
        if not made:
            _add_hole(holes, places.pop(tensor.made))
            continue
        size = -(-tensor.bytes // granule) * granule
        fitting = [hole for hole in holes if hole[1] >= size]
        if fitting:
            start, length = min(fitting, key=lambda hole: (hole[1], hole[0])) if policy == "best fit" else fitting[0]
            left = [(start + size, length - size)] if length > size else []
            place = holes.index((start, length))
            holes[place : place + 1] = left
        elif apart:
            start, end, reserved = end + 1, end + 1 + size, reserved + size  # a gap, so that segments never touch
        else:
            start = holes.pop()[0] if holes and sum(holes[-1]) == end else end  # a hole at the end grows
            end = reserved = start + size
        places[tensor.made] = (start, size)
    return reserved


def _timeline(name: str, value: MemoryTimeline) -> MemoryTimeline:
    if not isinstance(value, MemoryTimeline):
        raise TypeError(f"{name} must be a MemoryTimeline, got {value!r}")
    return value


def _add_hole(holes: list[tuple[int, int]], hole: tuple[int, int]) -> None:
    """Put a hole in its place among the others, merged with those that it touches."""
    place = bisect(holes, hole)
    if place < len(holes) and sum(hole) == holes[place][0]:
        hole = (hole[0], hole[1] + holes.pop(place)[1])
    if place and sum(holes[place - 1]) == hole[0]:
        holes[place - 1] = (holes[place - 1][0], holes[place - 1][1] + hole[1])
    else:
        holes.insert(place, hole)
