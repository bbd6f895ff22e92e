"""Formulas: what the exam asks the planner: a layout's plan, the best layout, and what one change would bring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from snippets.composition.configuration_search.candidates import KEEPS, Limits
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.planner import LETTERS, Plan, layout_plan, plan
from snippets.composition.layouts import Layout
from snippets.domain import Answers, named, of_kind, positive_integer
from snippets.hardware import NODES
from snippets.models import MODELS, Transformer

FREE_SHARE = 0.1  # of a GPU's memory stays free, as on the page Planner
CHANGED = ("t", "p", "c", "e", "v", "b", "zero", "recompute")  # d takes what t, p and c leave
PAIRS = (("p", "v"), ("c", "b"), ("t", "b"))  # sizes of which one often helps only with the other
_MOST_MICRO_BATCH = 16
_KEPT = tuple(keep for keep in KEEPS if keep != "selective")  # flash attention stores no scores
_NARROW = {"context": 1, "stage": (1, 3), "micro_batch": (1, 2, 4)}  # of a search over several clusters


@dataclass(frozen=True)
class ExamJob(Answers):
    """A job of the exam: a model, a cluster and a step.

    Attributes:
        model_name: as ``snippets.models.MODELS`` names it.
        node_name: as ``snippets.hardware.NODES`` names it.
        nodes: how many nodes.
        sequence: s, tokens of a sequence.
        batch_sequences: sequences of a step, of all GPUs together.

    Raises:
        ValueError: if a name is in no catalogue, or a count is no integer of at least 1.

    >>> ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512).tokens_per_step
    4194304
    """

    model_name: str
    node_name: str
    nodes: int
    sequence: int
    batch_sequences: int

    def __post_init__(self) -> None:
        for name, catalogue in (("model_name", MODELS), ("node_name", NODES)):
            object.__setattr__(self, name, catalogue.name_of(getattr(self, name), argument=name))
        for name in ("nodes", "sequence", "batch_sequences"):
            object.__setattr__(self, name, positive_integer(name, getattr(self, name)))

    @property
    def model(self) -> Transformer:
        """The model.

        >>> ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512).model.layers
        80
        """
        return MODELS[self.model_name]

    @property
    def cluster(self) -> Cluster:
        """The GPUs.

        >>> ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512).cluster.gpus
        256
        """
        return Cluster(self.node_name, nodes=self.nodes)

    @property
    def tokens_per_step(self) -> int:
        """B, tokens of a step.

        >>> ExamJob("Llama 3 8B", "DGX H100", 1, 4096, 2).tokens_per_step
        8192
        """
        return self.batch_sequences * self.sequence

    @property
    def limit_bytes(self) -> float:
        """What a GPU may hold.

        >>> ExamJob("Llama 3 8B", "DGX H100", 1, 4096, 2).limit_bytes / 1e9
        72.0
        """
        return (1 - FREE_SHARE) * self.cluster.memory_bytes


class Change(NamedTuple):
    """One change to a layout.

    Attributes:
        axis: which of ``CHANGED``.
        value: what it becomes.
        larger: whether that is more than before; of ``recompute``, more made again.
        plan: the changed layout, predicted.
    """

    axis: str
    value: int | str
    larger: bool
    plan: Plan


def exam_plan(job: ExamJob, layout: Layout, *, keep: str) -> Plan:
    """Return what a layout of an exam's job takes and holds.

    Args:
        job: the job.
        layout: the layout, of as many ranks as the job's cluster has GPUs.
        keep: what its layers make again, one of ``KEEPS``.

    Returns:
        The plan; ``fits`` and ``spare_bytes`` say whether it fits with a tenth of the memory free.

    Raises:
        ValueError: if the layout has not as many ranks as the cluster, or cannot run the model.

    Source: ``layout_plan``.
    Convention: stages differ by a layer where no even cut is possible, as in a search.
    Leaves out: as there.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> exam_plan(job, Layout(tensor=2, data=128, stage=3), keep="some").fits
        True
    """
    of_kind("job", job, ExamJob)
    p, layers = of_kind("layout", layout, Layout).pipeline, job.model.layers
    if layers % p and (layers + 2) % p and p <= layers and layout.chunks == 1:
        layout = replace(layout, uneven=True)
    return layout_plan(
        job.model,
        job.cluster,
        layout,
        keep=named("keep", keep, KEEPS),
        tokens_per_step=job.tokens_per_step,
        sequence=job.sequence,
        free_share=FREE_SHARE,
    )


@lru_cache(maxsize=64)
def best_plan(job: ExamJob, *, narrow: bool = False) -> Plan:
    """Return the fastest layout of an exam's job that fits, by the planner's search over all layouts.

    Args:
        job: the job.
        narrow: whether to search only what mostly wins: no context axis, ZeRO's stages 1 and 3, at most four sequences
            at a time.

    Returns:
        Its plan.

    Raises:
        ValueError: if no layout fits.

    Source: ``plan``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> best_plan(ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)).layout.tensor
        2
    """
    of_kind("job", job, ExamJob)
    limits = Limits(**_NARROW) if narrow else Limits()  # type: ignore[arg-type]
    found = plan(
        job.model,
        job.cluster,
        tokens_per_step=job.tokens_per_step,
        sequence=job.sequence,
        limits=limits,
        most=1,
    )
    if not found.best:
        raise ValueError(f"job must be one that fits in some layout, got {job!r}")
    return found.best[0]


def layout_parts(layout: Layout, *, keep: str) -> dict[str, int | str]:
    """Return what one may change of a layout, by the letters in which answers are written.

    Args:
        layout: the layout.
        keep: what its layers make again.

    Returns:
        Name in ``CHANGED`` → size, stage or word.

    Source: ``read_layout``, whose letters they are.
    Leaves out: d, which takes the GPUs that t, p and c leave.

    Example:
        >>> layout_parts(Layout(tensor=2, data=4, stage=3), keep="full")["zero"]
        3
    """
    of_kind("layout", layout, Layout)
    sizes = {letter: getattr(layout, LETTERS[letter]) for letter in CHANGED if letter in LETTERS}
    return {**sizes, "zero": layout.stage, "recompute": named("keep", keep, KEEPS)}


def single_changes(job: ExamJob, layout: Layout, *, keep: str) -> tuple[Change, ...]:
    """Return every layout that differs from one in a single part and fits, with its plan.

    Args:
        job: the job.
        layout: the layout, whether it fits or not.
        keep: what its layers make again.

    Returns:
        Changes; d takes the GPUs that t, p and c leave.

    Source: ``exam_plan`` of each.
    Convention: a size of an axis becomes another divisor of the GPUs, b a power of two up to 16, v any number of chunks
        that divides the layers.
    Leaves out: layouts that cannot run, or do not fit.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> changes = single_changes(job, Layout(tensor=2, data=128, stage=3), keep="none")
        >>> sorted({change.axis for change in changes})
        ['c', 'recompute', 't']
    """
    return _single_changes(of_kind("job", job, ExamJob), of_kind("layout", layout, Layout), named("keep", keep, KEEPS))


@lru_cache(maxsize=64)
def _single_changes(job: ExamJob, layout: Layout, keep: str) -> tuple[Change, ...]:
    parts, found = layout_parts(layout, keep=keep), []
    for axis in CHANGED:
        for value in _values(job, layout, axis):
            if value == parts[axis]:
                continue
            try:
                changed = changed_plan(job, {**parts, axis: value})
            except ValueError:
                continue
            if changed.fits:
                found.append(Change(axis, value, _rank(value) > _rank(parts[axis]), changed))
    return tuple(found)


def paired_change(job: ExamJob, layout: Layout, *, keep: str) -> tuple[tuple[str, str], Plan] | None:
    """Return the best layout that differs from one in both sizes of a pair in ``PAIRS``, and fits.

    Args:
        job: the job.
        layout: the layout.
        keep: what its layers make again.

    Returns:
        The pair and the plan; ``None`` where none fits.

    Source: ``changed_plan`` of each.
    Convention: the values are those of ``single_changes``, and v divides the layers.
    Leaves out: other pairs.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> paired_change(job, Layout(tensor=2, pipeline=4, data=32, chunks=20), keep="full")[0]
        ('c', 'b')
    """
    of_kind("job", job, ExamJob)
    of_kind("layout", layout, Layout)
    return _paired_change(job, layout, named("keep", keep, KEEPS))


@lru_cache(maxsize=64)
def _paired_change(job: ExamJob, layout: Layout, keep: str) -> tuple[tuple[str, str], Plan] | None:
    parts, best = layout_parts(layout, keep=keep), None
    for pair in PAIRS:
        for first in _values(job, layout, pair[0]):
            shape = replace(layout, pipeline=int(first), chunks=1) if pair[0] == "p" else layout
            for second in _values(job, shape, pair[1]):
                if first == parts[pair[0]] or second == parts[pair[1]]:
                    continue
                try:
                    changed = changed_plan(job, {**parts, pair[0]: first, pair[1]: second})
                except ValueError:
                    continue
                if changed.fits and (best is None or changed.total_s < best[1].total_s):
                    best = (pair, changed)
    return best


def _rank(value: int | str) -> int:
    return KEEPS.index(value) if isinstance(value, str) else value


def changed_plan(job: ExamJob, parts: dict[str, int | str]) -> Plan:
    """Return the plan of a layout that is given by its parts.

    Args:
        job: the job.
        parts: as ``layout_parts`` returns them.

    Returns:
        Its plan.

    Raises:
        ValueError: if the layout cannot run the model.

    Source: ``exam_plan``.
    Leaves out: as there.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> changed_plan(job, layout_parts(Layout(tensor=8, data=32), keep="full")).fits
        True
    """
    of_kind("job", job, ExamJob)
    if not isinstance(parts, dict) or set(parts) != set(CHANGED):
        raise ValueError(f"parts must have {', '.join(CHANGED)}, got {parts!r}")
    sizes: dict[str, Any] = {
        LETTERS[letter]: positive_integer(letter, parts[letter]) for letter in CHANGED if letter in LETTERS
    }
    others, gpus = sizes["tensor"] * sizes["pipeline"] * sizes["context"], job.cluster.gpus
    if gpus % others:
        raise ValueError(f"parts must be such that t × p × c divides the {gpus} GPUs, got {others}")
    keep = named("recompute", parts["recompute"], KEEPS)
    layout = Layout(
        **sizes,
        data=gpus // others,
        stage=parts["zero"],  # type: ignore[arg-type]
        recompute="none" if keep == "some" else keep,
        sequence_parallel=sizes["tensor"] > 1,
    )
    return exam_plan(job, layout, keep=keep)


def _values(job: ExamJob, layout: Layout, axis: str) -> Iterator[int | str]:
    gpus, layers, experts = job.cluster.gpus, job.model.layers, job.model.experts
    if axis == "recompute":
        yield from _KEPT
    elif axis == "zero":
        yield from (1, 2, 3)
    elif axis == "b":
        yield from (2**power for power in range(_MOST_MICRO_BATCH.bit_length()))
    elif axis == "v":
        yield from _divisors(layers, layers // layout.pipeline)
    elif axis == "e":
        yield from _divisors(experts.experts if experts else 1, gpus)
    else:
        most = {"t": job.cluster.fast_gpus, "p": layers, "c": gpus}[axis]
        yield from (size for size in _divisors(gpus, most) if axis == "p" or size & (size - 1) == 0)


def _divisors(number: int, most: int) -> list[int]:
    return [size for size in range(1, min(number, most) + 1) if number % size == 0]


def lost_seconds(job: ExamJob, layout: Layout, *, keep: str) -> dict[str, float]:
    """Return what a layout's step loses, by the invariant that it is lost to.

    Args:
        job: the job.
        layout: the layout.
        keep: what its layers make again.

    Returns:
        ``"compute"``: seconds of the bubble and of what is computed once more; ``"communication"``: seconds of
        everything that is sent and sticks out.

    Source: ``step_time``, with and without recomputation.
    Convention: a layout that doesn't fit is held up by memory before either counts.
    Leaves out: matmuls below their peak.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> lost = lost_seconds(job, Layout(tensor=8, pipeline=4, data=8), keep="full")
        >>> lost["compute"] > lost["communication"]
        True
    """
    there = exam_plan(job, layout, keep=keep)
    kept = exam_plan(job, layout, keep="none")
    again = there.step.compute - kept.step.compute
    bubble = there.step.bubble
    sent = ("tensor", "context", "expert", "pipeline", "data")
    return {"compute": again + bubble, "communication": sum(there.step.terms[term] for term in sent)}
