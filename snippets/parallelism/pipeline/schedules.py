"""Simulators: pipeline schedules as data, for each rank the order of its tasks, and the builders of the known ones.

A schedule says who does what in which order, and nothing about time: ``pipeline_runner`` gives it durations, and
``pipeline_checker`` judges it. The model is cut into stages 0, 1, …; every micro-batch climbs them with F (forward)
tasks and comes down with B tasks. B is the whole backward pass, or, in a schedule that splits it, the gradient of the
stage's input alone; then W is the gradient of its weights. A stage lives on one rank, or, in a bidirectional
schedule, on one rank for each direction. Everything here needs the standard library only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snippets.domain import at_most, flag, named, positive_integer
from snippets.parallelism.pipeline.formulas import ALIASES

KINDS = ("F", "B", "W")

MOST_TASKS = 2**24  # all are listed


class Task(NamedTuple):
    """One pass of one micro-batch through one stage.

    Args:
        kind: ``"F"`` forward, ``"B"`` backward (of the input alone where the schedule splits), ``"W"`` weight gradient.
        micro_batch: its number, from 0.
        stage: the stage of the model, from 0. With v model chunks on each of p ranks, stages run from 0 to p·v − 1.

    Source: Qi et al. 2023, section 2 (the names F, B and W).
    Convention: B means what the schedule's ``splits_backward`` says.
    Leaves out: the direction, which the schedule knows for each micro-batch.

    Example:
        >>> print(Task("F", 3, 0))
        F3@0
    """

    kind: str
    micro_batch: int
    stage: int

    def __str__(self) -> str:
        return f"{self.kind}{self.micro_batch}@{self.stage}"


@dataclass(frozen=True)
class PipelineSchedule:
    """The order of tasks on every rank, and where every stage lives.

    It is well formed (every task exists, and stands on a rank that holds its stage), but may still be wrong: a task
    missing, twice, or in an order that can never run. ``pipeline_checker.check_schedule`` says so, and
    ``pipeline_runner.run_pipeline`` refuses it.

    Args:
        name: what to call it.
        orders: for each rank, its tasks in order.
        placements: for each direction, the rank of each stage. One direction, but for bidirectional schedules.
        directions: for each micro-batch, which of the ``placements`` it follows.
        splits_backward: whether B is the input's gradient alone and W the weights' (else B is both and W is absent).

    Raises:
        TypeError: if an entry of ``orders`` is no ``Task`` or its numbers are no ``int``.
        ValueError: if a rank, stage, micro-batch or kind does not exist, or a task stands on a rank without its
            stage.

    Source: the book's own notation.
    Convention: ranks, stages and micro-batches count from 0.
    Leaves out: durations, message times, the optimizer step.

    Example:
        >>> order = (Task("F", 0, 0), Task("B", 0, 0))
        >>> PipelineSchedule("one of one", (order,), placements=((0,),), directions=(0,), splits_backward=False).ranks
        1
    """

    name: str
    orders: tuple[tuple[Task, ...], ...] = field(repr=False)
    placements: tuple[tuple[int, ...], ...]
    directions: tuple[int, ...] = field(repr=False)
    splits_backward: bool

    def __post_init__(self) -> None:
        for part in ("orders", "placements", "directions"):
            if not isinstance(getattr(self, part), tuple) or not getattr(self, part):
                raise ValueError(f"{part} must be a tuple of at least one entry, got {getattr(self, part)!r:.80}")
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a text, got {self.name!r}")
        flag("splits_backward", self.splits_backward)
        for direction, placement in enumerate(self.placements):
            if not isinstance(placement, tuple) or not placement:
                raise ValueError(f"placements[{direction}] must be a tuple of at least one rank, got {placement!r}")
            _check_numbers(f"placements[{direction}]", placement, below=self.ranks)
            if len(placement) != self.stages:
                raise ValueError(
                    f"placements[{direction}] must name as many stages as placements[0] ({self.stages}), "
                    f"got {len(placement)}"
                )
        _check_numbers("directions", self.directions, below=len(self.placements))
        for rank, order in enumerate(self.orders):
            self._check_order(rank, order)

    def _check_order(self, rank: int, order: tuple[Task, ...]) -> None:
        """Raise unless every task of the order exists and belongs on this rank."""
        name = f"orders[{rank}]"
        if not isinstance(order, tuple) or set(map(type, order)) - {Task}:
            raise TypeError(f"{name} must be a tuple of Task, got {order!r:.80}")
        kinds = KINDS if self.splits_backward else KINDS[:2]
        unknown = [task.kind for task in order if task.kind not in kinds]
        if unknown:
            raise ValueError(f"{name} must hold tasks of kind {', '.join(kinds)}, got {unknown[0]!r}")
        _check_numbers(f"micro_batch in {name}", [task.micro_batch for task in order], below=self.micro_batches)
        _check_numbers(f"stage in {name}", [task.stage for task in order], below=self.stages)
        directions = self.directions
        for stage, direction in {(task.stage, directions[task.micro_batch]) for task in order}:
            home = self.placements[direction][stage]
            if home != rank:
                raise ValueError(
                    f"{name} must hold tasks of stages that live on rank {rank}, "
                    f"got one of stage {stage}, which in direction {direction} lives on rank {home}"
                )

    @property
    def ranks(self) -> int:
        """Ranks, p."""
        return len(self.orders)

    @property
    def stages(self) -> int:
        """Stages that a micro-batch passes: p·v for v model chunks on each rank."""
        return len(self.placements[0])

    @property
    def micro_batches(self) -> int:
        """Micro-batches, m."""
        return len(self.directions)

    def rank_of(self, task: Task) -> int:
        """Return the rank on which the task's stage lives, for the direction of its micro-batch.

        >>> gpipe(stages=2, micro_batches=2).rank_of(Task("F", 0, 1))
        1
        """
        try:
            return self.placements[self.directions[task.micro_batch]][task.stage]
        except (AttributeError, LookupError, TypeError):
            raise ValueError(f"task must be a Task of {self.name!r}, got {task!r}") from None

    def text(self) -> str:
        """Return one line for each rank, its tasks in order; stages are named where a rank holds several.

        >>> print(one_f_one_b(stages=2, micro_batches=2).text())
        rank 0: F0 F1 B0 B1
        rank 1: F0 B0 F1 B1
        """
        alone = self.stages == self.ranks and len(self.placements) == 1
        return "\n".join(
            f"rank {rank}: " + " ".join(f"{t.kind}{t.micro_batch}" if alone else str(t) for t in order)
            for rank, order in enumerate(self.orders)
        )


def _sizes(stages: Any, micro_batches: Any, chunks: Any = 1) -> tuple[int, int]:
    """Return p and m, or raise: all tasks are listed."""
    p, m = positive_integer("stages", stages), positive_integer("micro_batches", micro_batches)
    at_most("stages × micro_batches × chunks", p * m * chunks, MOST_TASKS)
    return p, m


def _check_numbers(name: str, numbers: Sequence[Any], *, below: int) -> None:
    """Raise unless every entry is an ``int`` from 0 to ``below`` − 1."""
    if set(map(type, numbers)) - {int}:
        raise TypeError(f"{name} must be of type int, got {next(x for x in numbers if type(x) is not int)!r}")
    for number in set(numbers):
        if not 0 <= number < below:
            raise ValueError(f"{name} must be from 0 to {below - 1}, got {number}")


def _in_line(
    name: str, orders: list[list[Task]], micro_batches: int, *, splits_backward: bool = False
) -> PipelineSchedule:
    """Return a schedule of one direction with stage i on rank i."""
    placement = tuple(range(len(orders)))
    return PipelineSchedule(name, tuple(map(tuple, orders)), (placement,), (0,) * micro_batches, splits_backward)


def gpipe(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return GPipe's schedule: all forwards, then all backwards.

    Args:
        stages: stages and ranks, p.
        micro_batches: m.

    Returns:
        The schedule, unsplit, one direction.

    Source: Huang et al. 2019 (GPipe), figure 2(c), which draws the backwards last micro-batch first.
    Convention: backwards run in the order of the forwards; the bubble and the peak are the same either way.
    Leaves out: recomputation of the activations, which GPipe does by default.

    Example:
        >>> print(gpipe(stages=2, micro_batches=2).text())
        rank 0: F0 F1 B0 B1
        rank 1: F0 F1 B0 B1
    """
    stages, micro_batches = _sizes(stages, micro_batches)
    orders = [[Task(kind, i, stage) for kind in "FB" for i in range(micro_batches)] for stage in range(stages)]
    return _in_line("GPipe", orders, micro_batches)


def one_f_one_b(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return 1F1B (PipeDream-Flush, DAPPLE): stage i warms up with p − i − 1 forwards, then F and B alternate.

    Args:
        stages: stages and ranks, p.
        micro_batches: m.

    Returns:
        The schedule, unsplit, one direction.

    Source: Narayanan et al. 2021, section 2.2.1 and figure 4; Megatron-LM,
        ``forward_backward_pipelining_without_interleaving``.
    Convention: the steady phase starts with F, so p − i micro-batches are in flight at stage i.
    Leaves out: nothing of the order.

    Example:
        >>> print(one_f_one_b(stages=3, micro_batches=4).text())
        rank 0: F0 F1 F2 B0 F3 B1 B2 B3
        rank 1: F0 F1 B0 F2 B1 F3 B2 B3
        rank 2: F0 B0 F1 B1 F2 B2 F3 B3
    """
    stages, micro_batches = _sizes(stages, micro_batches)
    orders = []
    for stage in range(stages):
        forwards = [Task("F", i, stage) for i in range(micro_batches)]
        backwards = [Task("B", i, stage) for i in range(micro_batches)]
        orders.append(_alternate(forwards, backwards, warmup=stages - stage - 1))
    return _in_line("1F1B", orders, micro_batches)


def _alternate(forwards: list[Task], backwards: list[Task], *, warmup: int) -> list[Task]:
    """Return ``warmup`` forwards, then forward and backward in turn, then the backwards that are left."""
    order = forwards[:warmup]
    for position, backward in enumerate(backwards):
        order += forwards[position + warmup : position + warmup + 1]
        order.append(backward)
    return order


def interleaved(*, stages: int, micro_batches: int, chunks: int, group: int | None = None) -> PipelineSchedule:
    """Return interleaved 1F1B in Megatron-LM's order: chunk j of the v model chunks of rank r is stage jp + r.

    Micro-batches go in groups: a rank runs a group through its first chunk, then through its second, and so on.
    Rank r warms up with 2(p − r − 1) + (v − 1)·group forwards.

    Args:
        stages: pipeline stages in the sense of ranks, p.
        micro_batches: m.
        chunks: model chunks on each rank, v.
        group: micro-batches that pass a chunk before the next chunk's turn; by default p, as in the paper.

    Returns:
        The schedule, unsplit, one direction, with p·v stages on p ranks.

    Raises:
        ValueError: if a size is no integer of at least 1, ``group`` is below ``stages``, or the last group is cut to
            fewer than ``stages`` micro-batches.

    Source: Narayanan et al. 2021, section 2.2.2 (m a multiple of p); Megatron-LM, ``get_pp_rank_microbatches`` and
        ``get_schedule_table`` (``microbatch_group_size_per_vp_stage``; the remainder is 0 or at least p).
    Convention: ``stages`` counts ranks, as in the bubble formulas. With one chunk this is not 1F1B: the warm-up is
        twice as long, the bubble the same.
    Leaves out: the extra warm-up forward that Megatron-LM adds when it overlaps expert-parallel messages.

    Example:
        >>> print(interleaved(stages=2, micro_batches=2, chunks=2).text())
        rank 0: F0@0 F1@0 F0@2 F1@2 B0@2 B1@2 B0@0 B1@0
        rank 1: F0@1 F1@1 F0@3 B0@3 F1@3 B1@3 B0@1 B1@1
    """
    chunks = positive_integer("chunks", chunks)
    stages, micro_batches = _sizes(stages, micro_batches, chunks)
    group = stages if group is None else positive_integer("group", group)
    if group < stages:
        raise ValueError(f"group must be an integer of at least stages ({stages}), got {group}")
    if 0 < micro_batches % group < stages:
        raise ValueError(
            f"micro_batches must be a multiple of group ({group}) or leave at least stages ({stages}) over, "
            f"got {micro_batches}, which leaves {micro_batches % group}"
        )
    turns = [
        (i, chunk)
        for first in range(0, micro_batches, group)
        for chunk in range(chunks)
        for i in range(first, min(first + group, micro_batches))
    ]
    orders = []
    for rank in range(stages):
        forwards = [Task("F", i, chunk * stages + rank) for i, chunk in turns]
        backwards = [Task("B", i, (chunks - 1 - chunk) * stages + rank) for i, chunk in turns]
        orders.append(_alternate(forwards, backwards, warmup=2 * (stages - rank - 1) + (chunks - 1) * group))
    placement = tuple(range(stages)) * chunks
    return PipelineSchedule("interleaved 1F1B", tuple(map(tuple, orders)), (placement,), (0,) * micro_batches, False)


def _zero_bubble(name: str, stages: int, micro_batches: int, *, depth: int) -> PipelineSchedule:
    """Return ZB-H1 (depth 1) or ZB-H2 (depth 2): W runs after its B by ``depth``·i micro-batches, and at the end."""
    orders = []
    for stage in range(stages):
        warmup, delay = depth * (stages - stage - 1) + 1, depth * stage
        order = [Task("F", i, stage) for i in range(min(warmup, micro_batches))]
        for i in range(micro_batches):
            order.append(Task("B", i, stage))
            if i >= delay:
                order.append(Task("W", i - delay, stage))
            if i + warmup < micro_batches:
                order.append(Task("F", i + warmup, stage))
        order += [Task("W", i, stage) for i in range(max(micro_batches - delay, 0), micro_batches)]
        orders.append(order)
    return _in_line(name, orders, micro_batches, splits_backward=True)


def zb_h1(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return ZB-H1: 1F1B with the backward split, where stage i runs W i micro-batches after B.

    Every stage then holds as many micro-batches as 1F1B's first stage, and the late W fill the drain.

    Args:
        stages: stages and ranks, p.
        micro_batches: m.

    Returns:
        The schedule, split, one direction.

    Source: Qi et al. 2023 (Zero Bubble Pipeline Parallelism), section 2.1 and figure 3 (top).
    Convention: B is the input's gradient alone.
    Leaves out: the automatic scheduler of the paper's section 3, which moves W again for given times.

    Example:
        >>> print(zb_h1(stages=2, micro_batches=3).text())
        rank 0: F0 F1 B0 W0 F2 B1 W1 B2 W2
        rank 1: F0 B0 F1 B1 W0 F2 B2 W1 W2
    """
    stages, micro_batches = _sizes(stages, micro_batches)
    return _zero_bubble("ZB-H1", stages, micro_batches, depth=1)


def zb_h2(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return ZB-H2: twice the warm-up of ZB-H1, so that no rank waits once it has begun (with F = B = W).

    Stage i warms up with 2(p − i) − 1 forwards and runs W 2i micro-batches after B. The saving is one of the time
    between a rank's own start and end; ranks still start and end at different moments, so it is lost again if the
    optimizer step waits for all of them.

    Args:
        stages: stages and ranks, p.
        micro_batches: m; the claim needs at least 2p − 1.

    Returns:
        The schedule, split, one direction.

    Source: Qi et al. 2023, section 2.2 and figure 3 (bottom).
    Convention: B is the input's gradient alone.
    Leaves out: the optimizer's validation after the step (the paper's section 4), which removes the synchronization.

    Example:
        >>> print(zb_h2(stages=2, micro_batches=3).text())
        rank 0: F0 F1 F2 B0 W0 B1 W1 B2 W2
        rank 1: F0 B0 F1 B1 F2 B2 W0 W1 W2
    """
    stages, micro_batches = _sizes(stages, micro_batches)
    return _zero_bubble("ZB-H2", stages, micro_batches, depth=2)


def chimera(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return Chimera with two pipelines: half of the micro-batches run down the ranks, half run up.

    Rank r holds stage r of the down pipeline and stage p − 1 − r of the up pipeline. Units of p micro-batches follow
    each other directly. In a unit the j-th forward of a pipeline stands in slot 2j + i at its stage i, and the j-th
    backward in slot 2j + 2p − 1 − i: the two pipelines then never want the same slot of a rank.

    Args:
        stages: stages and ranks, p; even.
        micro_batches: m; a multiple of ``stages``.

    Returns:
        The schedule, unsplit, two directions; every rank holds two stages' weights.

    Raises:
        ValueError: if ``stages`` is odd, ``micro_batches`` is no multiple of it, or one is no integer of at least 1.

    Source: Li and Hoefler 2021 (Chimera), section 3 and figure 3; units one after the other: direct concatenation.
    Convention: the order is that of slots in which F and B last equally long.
    Leaves out: forward doubling and backward halving, the all-reduce between the two copies of a stage.

    Example:
        >>> print(chimera(stages=2, micro_batches=2).text())
        rank 0: F0@0 F1@1 B1@1 B0@0
        rank 1: F1@0 F0@1 B0@1 B1@0
    """
    stages, micro_batches = _sizes(_even_stages(stages), micro_batches)
    if micro_batches % stages:
        raise ValueError(f"micro_batches must be a multiple of stages ({stages}), got {micro_batches}")
    slots: list[dict[int, Task]] = [{} for _ in range(stages)]
    placements = (tuple(range(stages)), tuple(reversed(range(stages))))
    directions = tuple(i % stages // (stages // 2) for i in range(micro_batches))
    for i, direction in enumerate(directions):
        unit, turn = i // stages, i % (stages // 2)
        for stage, rank in enumerate(placements[direction]):
            first = 2 * stages * unit + 2 * turn
            slots[rank][first + stage] = Task("F", i, stage)
            slots[rank][first + 2 * stages - 1 - stage] = Task("B", i, stage)
    orders = tuple(tuple(task for _, task in sorted(row.items())) for row in slots)
    return PipelineSchedule("Chimera", orders, placements, directions, splits_backward=False)


def _even_stages(stages: int) -> int:
    stages = positive_integer("stages", stages)
    if stages % 2:
        raise ValueError(f"stages must be an even integer of at least 2, got {stages}")
    return stages


def dualpipe(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return DualPipe's order: two pipelines in opposite directions, the backward split where it shortens the drain.

    A whole backward is written B, W. DualPipe runs a forward and a backward of opposite directions as one overlapped
    block; here they stand one after the other.

    Args:
        stages: stages and ranks, p; even.
        micro_batches: m of both directions together; even, at least 2p.

    Returns:
        The schedule, split, two directions; every rank holds two stages' weights.

    Raises:
        ValueError: if ``stages`` is odd, ``micro_batches`` is odd or below 2p, or one is no integer of at least 1.

    Source: DeepSeek-AI 2024 (DeepSeek-V3), section 3.2.1 and figure 5; the eight steps of the public DualPipe code.
    Convention: B is the input's gradient alone; the first half of the micro-batches runs down, the second up.
    Leaves out: the overlap inside a block, and that its two messages leave at its end.

    Example:
        >>> print(dualpipe(stages=2, micro_batches=4).text())
        rank 0: F0@0 F2@1 F1@0 B2@1 W2@1 F3@1 B0@0 W0@0 B3@1 W3@1 B1@0 W1@0
        rank 1: F2@0 F0@1 F3@0 B0@1 W0@1 F1@1 B2@0 W2@0 B1@1 W1@1 B3@0 W3@0
    """
    stages, micro_batches = _sizes(_even_stages(stages), micro_batches)
    if micro_batches % 2 or micro_batches < 2 * stages:
        raise ValueError(
            f"micro_batches must be an even integer of at least 2 · stages ({2 * stages}), got {micro_batches}"
        )
    half = micro_batches // 2
    orders = tuple(_dualpipe_order(stages, half, rank) for rank in range(stages))
    placements = (tuple(range(stages)), tuple(reversed(range(stages))))
    return PipelineSchedule("DualPipe", orders, placements, (0,) * half + (1,) * half, splits_backward=True)


def _dualpipe_passes(stages: int, half: int, depth: int) -> list[str]:
    """Return one rank's passes: the kind, and the direction that enters nearer to it (``n``) or farther away (``f``).

    ``depth`` is the rank's distance from its end of the line, ``half`` the micro-batches of one direction. ``W``
    stands for the oldest weight gradient that is still to do.
    """
    rest, own = stages // 2 - depth - 1, depth + 1
    passes = ["Fn"] * (2 * rest) + ["Fn", "Ff"] * own + ["Bf", "W", "Ff"] * rest
    passes += ["Fn", "Bf", "W", "Ff", "Bn", "W"] * (half - stages + own)
    passes += ["Bf", "W", "Ff", "Bn", "W"] * rest
    last = ["Bf", "Bn"] * own
    for backward in last[:own]:
        passes += [backward, "W"]
    return passes + last[own:] + ["W", "Bn"] * rest + ["W"] * own


def _dualpipe_order(stages: int, half: int, rank: int) -> tuple[Task, ...]:
    """Return one rank's passes as tasks: each kind takes the micro-batches of a direction in turn."""
    depth, near = min(rank, stages - 1 - rank), int(rank >= stages // 2)
    stage_of = {"n": depth, "f": stages - 1 - depth}
    first_of = {"n": half * near, "f": half * (1 - near)}
    turn = dict.fromkeys(("Fn", "Ff", "Bn", "Bf"), 0)
    order: list[Task] = []
    late: deque[Task] = deque()
    for name in _dualpipe_passes(stages, half, depth):
        if name == "W":
            order.append(late.popleft())
            continue
        kind, side = name[0], name[1]
        task = Task(kind, first_of[side] + turn[name], stage_of[side])
        turn[name] += 1
        order.append(task)
        if kind == "B":
            late.append(task._replace(kind="W"))
    return tuple(order)


def dualpipev(*, stages: int, micro_batches: int) -> PipelineSchedule:
    """Return DualPipeV's order: a DualPipe of 2p stages folded in the middle, so that each rank holds both its halves.

    Rank r holds stages r and 2p − 1 − r. What enters a DualPipe at its far end has come round the fold here.

    Args:
        stages: pipeline stages in the sense of ranks, p.
        micro_batches: m, at least 2p.

    Returns:
        The schedule, split, one direction, with 2p stages on p ranks.

    Source: the public DualPipe code (``dualpipev.py``); derived here from ``dualpipe``.
    Convention: as ``dualpipe``.
    Leaves out: as ``dualpipe``.

    Example:
        >>> print(dualpipev(stages=1, micro_batches=2).text())
        rank 0: F0@0 F0@1 F1@0 B0@1 W0@1 F1@1 B0@0 W0@0 B1@1 W1@1 B1@0 W1@0
    """
    stages, micro_batches = _sizes(stages, micro_batches, 2)
    if micro_batches < 2 * stages:
        raise ValueError(f"micro_batches must be an integer of at least 2 · stages ({2 * stages}), got {micro_batches}")
    orders = tuple(
        tuple(task._replace(micro_batch=task.micro_batch % micro_batches) for task in order)
        for order in (_dualpipe_order(2 * stages, micro_batches, rank) for rank in range(stages))
    )
    placement = (*range(stages), *reversed(range(stages)))
    return PipelineSchedule("DualPipeV", orders, (placement,), (0,) * micro_batches, splits_backward=True)


BUILDERS: dict[str, Callable[..., PipelineSchedule]] = {
    build.__name__: build for build in (gpipe, one_f_one_b, interleaved, zb_h1, zb_h2, chimera, dualpipe, dualpipev)
}


def build_pipeline(schedule: str, *, stages: int, micro_batches: int, chunks: int = 1) -> PipelineSchedule:
    """Return the schedule of a name.

    Args:
        schedule: one of ``BUILDERS``, in any usual spelling: ``"1F1B"``, ``"ZB-H1"``.
        stages: pipeline stages in the sense of ranks.
        micro_batches: micro-batches of a step.
        chunks: model chunks on each rank, for ``"interleaved"``; 1 for the others.

    Returns:
        The schedule.

    Source: that of each builder.
    Convention: that of each builder.
    Leaves out: ``interleaved``'s groups of another size.

    Example:
        >>> build_pipeline("1F1B", stages=4, micro_batches=8) == one_f_one_b(stages=4, micro_batches=8)
        True
    """
    name = named("schedule", schedule, BUILDERS, aliases=ALIASES)
    if name == "interleaved":
        return interleaved(stages=stages, micro_batches=micro_batches, chunks=chunks)
    if positive_integer("chunks", chunks) > 1:
        raise ValueError(f"chunks must be 1 for {name}, got {chunks!r}")
    return BUILDERS[name](stages=stages, micro_batches=micro_batches)
