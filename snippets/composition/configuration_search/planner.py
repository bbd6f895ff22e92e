"""Formulas: the planner: all layouts of a job in order, or one given layout, with time, memory, days and price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from snippets.composition.configuration_search.candidates import (
    Candidates,
    Limits,
    Refused,
    Sizes,
    candidate_layouts,
    step_batch,
)
from snippets.composition.configuration_search.clusters import Cluster, cluster_constants
from snippets.composition.configuration_search.judged import Accuracy, accuracy_of
from snippets.composition.configuration_search.step_kernel import FLOATS, Cuts, Drop, Operations, StepKernel
from snippets.composition.layer_times import ATTENTIONS
from snippets.composition.layouts import Layout
from snippets.composition.rank_memory import RankMemory, held_recipe, rank_memory
from snippets.composition.step_constants import Constants
from snippets.composition.step_model import StepTime, step_time
from snippets.composition.three_d.dropping import Dropped, dropped_to_fit, layer_prices, remade_bytes, with_remade
from snippets.domain import Answers, named, number_between, of_kind, positive_integer, positive_number, shortened
from snippets.flops import MASKS
from snippets.hardware import DTYPES, dense_peak_flops_per_s
from snippets.models import MODELS, Transformer
from snippets.recipes import RECIPES, Recipe

MOST_TOKENS = 1e30
NEAR = 0.1  # what is predicted within this of the fastest, the model cannot tell apart
_ENTRIES = {float: "finite floats", int: "integers", bool: "True or False"}
_KEEP = {"none": 0, "selective": 1, "some": 2, "full": 3}
DAY_S = 86_400
LETTERS = {
    "t": "tensor",
    "p": "pipeline",
    "v": "chunks",
    "c": "context",
    "e": "expert",
    "d": "data",
    "b": "micro_batch",
}


@dataclass(frozen=True)
class PlannedJob(Answers):
    """What is planned: a model, a cluster, a step, and what is assumed of the machine.

    Attributes:
        model: the model.
        cluster: the GPUs.
        batch_sequences: sequences of a step.
        sequence: tokens of each.
        constants: what is assumed of the machine.
        dtype: of the weights' matmuls.
        recipe: bytes of state for a parameter.
        attention: ``"flash"`` or ``"standard"``.
        mask: which pairs of a query and a key are computed.
        free_share: of a GPU's memory that stays free.
        run_tokens: of the whole run, or ``None``.
        usd_per_gpu_hour: or ``None``.

    >>> planned_job("Llama 3 70B", Cluster("DGX H100", nodes=32), tokens_per_step=4e6, sequence=8192).batch_sequences
    512
    """

    model: Transformer
    cluster: Cluster
    batch_sequences: int
    sequence: int
    constants: Constants
    dtype: str
    recipe: Recipe
    attention: str
    mask: str
    free_share: float
    run_tokens: float | None = None
    usd_per_gpu_hour: float | None = None

    @property
    def tokens_per_step(self) -> int:
        """B, tokens of a step."""
        return self.batch_sequences * self.sequence

    @property
    def limit_bytes(self) -> float:
        """What a GPU may hold: its printed memory less what stays free."""
        return (1 - self.free_share) * self.cluster.memory_bytes


@dataclass(frozen=True)
class Plan(Answers):
    """One layout of a job, predicted.

    Attributes:
        layout: the layout.
        dropped: tensors that every layer drops and makes again; empty where ``layout.recompute`` says all.
        step: seconds by term.
        memory: of the fullest stage's ranks.
        remade_s: seconds of ``step.compute`` that go to dropped tensors.
        job: what is planned.

    >>> from snippets.composition.layouts import Layout
    >>> one = layout_plan(
    ...     "Llama 3 70B", Cluster("DGX H100", nodes=32), Layout(tensor=8, pipeline=4, data=8), tokens_per_step=4e6,
    ...     sequence=8192,
    ... )
    >>> one.fits, round(one.memory.total / 1e9)
    (True, 35)
    """

    layout: Layout
    dropped: tuple[str, ...]
    step: StepTime
    memory: RankMemory
    remade_s: float
    job: PlannedJob

    @property
    def total_s(self) -> float:
        """T, seconds of a step."""
        return self.step.total

    @property
    def mfu(self) -> float:
        """Model FLOPs over what all GPUs could do."""
        return self.step.mfu

    @property
    def tokens_per_s_per_gpu(self) -> float:
        """Tokens a second and GPU."""
        return self.step.tokens_per_s_per_gpu

    @property
    def spare_bytes(self) -> float:
        """What is left of the memory that may be filled; negative where the layout does not fit."""
        return self.job.limit_bytes - self.memory.total

    @property
    def fits(self) -> bool:
        """Whether the fullest rank holds no more than it may."""
        return self.spare_bytes >= -1e-9 * self.job.limit_bytes

    @property
    def days(self) -> float | None:
        """Days of the whole run without interruptions, where its tokens are known."""
        return None if self.job.run_tokens is None else self.step.run_s(self.job.run_tokens) / DAY_S

    @property
    def usd(self) -> float | None:
        """What the whole run costs, where its tokens and a price are known."""
        if self.days is None or self.job.usd_per_gpu_hour is None:
            return None
        return self.days * 24 * self.job.cluster.gpus * self.job.usd_per_gpu_hour

    @property
    def keep(self) -> str:
        """What layers make again: ``"none"``, ``"selective"``, ``"some"`` or ``"full"``."""
        return "some" if self.dropped else self.layout.recompute


@dataclass(frozen=True, repr=False)
class Plans(Answers):
    """The layouts of a job, the fastest first, and what was refused.

    Attributes:
        job: what is planned.
        best: plans that fit, the fastest first.
        tried: layouts that were looked at, the refused ones that a refusal stands for not among them.
        fitting: how many of them fit.
        refusals: the first reason of each, those of the shapes first, then those of memory, the nearest to fitting
            first.
        refused: how many refusals there are, by kind.
        near: how many of all that fit are predicted within a tenth of the fastest.

    >>> plans = plan("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=2**17, sequence=8192)
    >>> plans.best[0].total_s <= plans.best[1].total_s, plans.fitting < plans.tried
    (True, True)
    """

    job: PlannedJob
    best: tuple[Plan, ...]
    tried: int
    fitting: int
    refusals: tuple[Refused, ...]
    refused: dict[str, int]
    near: int

    def __repr__(self) -> str:
        first = f"fastest {self.best[0].total_s:.4g} s, {sizes_text(self.best[0].layout)}" if self.best else "none"
        return f"<Plans: {self.tried:,} tried, {self.fitting:,} fit, {first}>"

    @property
    def shortlist(self) -> tuple[Plan, ...]:
        """The plans within a tenth of the fastest, as far as ``best`` lists them: the model cannot tell these apart."""
        return tuple(each for each in self.best if each.total_s <= (1 + NEAR) * self.best[0].total_s)

    @property
    def accuracy(self) -> Accuracy:
        """How well such predictions did on measured runs: of this kind of GPU, number format and model.

        >>> plans = plan("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=2**17, sequence=8192, dtype="fp8")
        >>> plans.accuracy.rows > 5
        True
        """
        return accuracy_of(self.cluster.machine.accelerator, self.job.dtype, self.model)

    @property
    def distinct(self) -> tuple[Plan, ...]:
        """The fastest plan of each t, p and e that ``best`` lists."""
        found: dict[tuple[int, ...], Plan] = {}
        for each in self.best:
            found.setdefault((each.layout.tensor, each.layout.pipeline, each.layout.expert), each)
        return tuple(found.values())

    @property
    def model(self) -> Transformer:
        """The model."""
        return self.job.model

    @property
    def cluster(self) -> Cluster:
        """The GPUs."""
        return self.job.cluster

    @property
    def batch_sequences(self) -> int:
        """Sequences of a step."""
        return self.job.batch_sequences

    @property
    def constants(self) -> Constants:
        """What is assumed of the machine, each number with its source."""
        return self.job.constants


def planned_job(
    model: Transformer | str,
    cluster: Cluster,
    *,
    tokens_per_step: float,
    sequence: int,
    constants: Constants | None = None,
    dtype: str = "bf16",
    recipe: Recipe | str | None = None,
    attention: str = "flash",
    mask: str = "half",
    free_share: float = 0.1,
    run_tokens: float | None = None,
    usd_per_gpu_hour: float | None = None,
) -> PlannedJob:
    """Return a job to plan, with the batch in whole sequences and the constants of its GPUs.

    Formula: $q = B / s$
    Symbols: q = batch_sequences of the result; B = batch tokens, tokens_per_step; s = sequence, as in step_batch
    Chapter: 29

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        cluster: the GPUs.
        tokens_per_step: B.
        sequence: s, tokens of a sequence.
        constants: what is assumed of the machine; by default what is published of its GPUs.
        dtype: of the weights' matmuls.
        recipe: bytes of state for a parameter; by default mixed-precision Adam as the GPU holds it in that format.
        attention: ``"flash"`` or ``"standard"``.
        mask: which pairs are computed and counted, as in ``attention_pairs``.
        free_share: of a GPU's memory that stays free, at least 0 and below 1.
        run_tokens: of the whole run, for its days.
        usd_per_gpu_hour: for its price.

    Returns:
        The job.

    Source: ``step_batch``, ``cluster_constants``.
    Convention: half of the attention's pairs, as a causal kernel computes them.
    Leaves out: nothing.

    Example:
        >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
        >>> job.batch_sequences, job.limit_bytes / 1e9
        (128, 72.0)
    """
    of_kind("cluster", cluster, Cluster)
    dtype = named("dtype", dtype, DTYPES)
    free = number_between("free_share", free_share, low=0, high=1)
    if free == 1:
        raise ValueError(f"free_share must be below 1, got {free_share!r}")
    tokens = positive_number("tokens_per_step", tokens_per_step)
    if tokens > MOST_TOKENS:
        raise ValueError(f"tokens_per_step must be at most {MOST_TOKENS:g}, got {tokens_per_step!r}")
    return PlannedJob(
        model=MODELS.find(model),
        cluster=cluster,
        batch_sequences=step_batch(tokens_per_step=tokens, sequence=sequence),
        sequence=positive_integer("sequence", sequence),
        constants=cluster_constants(cluster, dtype)
        if constants is None
        else of_kind("constants", constants, Constants),
        dtype=dtype,
        recipe=held_recipe(cluster.machine.accelerator, dtype) if recipe is None else RECIPES.find(recipe),
        attention=named("attention", attention, ATTENTIONS),
        mask=named("mask", mask, MASKS),
        free_share=free,
        run_tokens=None if run_tokens is None else positive_number("run_tokens", run_tokens),
        usd_per_gpu_hour=None if usd_per_gpu_hour is None else positive_number("usd_per_gpu_hour", usd_per_gpu_hour),
    )


def plan(
    model: Transformer | str,
    cluster: Cluster,
    *,
    tokens_per_step: float,
    sequence: int,
    limits: Limits | None = None,
    most: int = 20,
    constants: Constants | None = None,
    dtype: str = "bf16",
    recipe: Recipe | str | None = None,
    attention: str = "flash",
    mask: str = "half",
    run_tokens: float | None = None,
    usd_per_gpu_hour: float | None = None,
) -> Plans:
    """Return every layout of a job that runs and fits, the fastest first, and why the others are refused.

    Also: planner, layout search, auto parallelism, parallelism planner
    Formula: $\\operatorname{arg\\,min}_i T_i \\quad \\text{with} \\quad M_i \\le (1 - z)\\,M_\\text{GPU}$
    Symbols: i = one of candidate_layouts; T_i = its step_time; M_i = rank_memory of its fullest stage; z = the limits'
        free_share;
        M_\\text{GPU} = the GPU's memory
    Chapter: 29

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        cluster: the GPUs.
        tokens_per_step: B, tokens of a step; a multiple of ``sequence`` is taken as it is, else a round batch near it.
        sequence: s, tokens of a sequence.
        limits: what may be tried; by default everything.
        most: how many plans are returned at most.
        constants: what is assumed of the machine; by default what is published of its GPUs.
        dtype: of the weights' matmuls.
        recipe: bytes of state for a parameter; by default mixed-precision Adam as the GPU holds it in that format.
        attention: ``"flash"`` or ``"standard"``.
        mask: which pairs of a query and a key are computed, and counted in the MFU.
        run_tokens: of the whole run, for its days.
        usd_per_gpu_hour: for its price.

    Returns:
        Plans, refusals, and how many there were.

    Source: the model of chapters 26 and 27.
    Convention: of layouts that differ in nothing but what they drop, each is a plan of its own.
    Leaves out: what ``step_time`` and ``rank_memory`` leave out.

    Example:
        >>> plans = plan("Llama 3 70B", Cluster("DGX H100", nodes=32), tokens_per_step=4e6, sequence=8192,
        ...              limits=Limits(context=1, chunks=1, micro_batch=1, stage=(1, 3)))
        >>> plans.best[0].layout.tensor, plans.best[0].layout.pipeline
        (2, 1)
    """
    limits = Limits() if limits is None else of_kind("limits", limits, Limits)
    job = planned_job(
        model,
        cluster,
        tokens_per_step=tokens_per_step,
        sequence=sequence,
        constants=constants,
        dtype=dtype,
        recipe=recipe,
        attention=attention,
        mask=mask,
        free_share=limits.free_share,
        run_tokens=run_tokens,
        usd_per_gpu_hour=usd_per_gpu_hour,
    )
    found = job_candidates(job, limits)
    kernel, cuts = job_kernel(job, limits), [cuts_of(sizes) for sizes in found.sizes]
    scores = [kernel.scores(cut) for cut in cuts]
    return ranked_plans(
        job,
        limits,
        found,
        seconds=[each.seconds for each in scores],
        memory_bytes=[each.memory_bytes for each in scores],
        dropped=[each.dropped for each in scores],
        fits=[each.fits for each in scores],
        most=most,
    )


def layout_plan(
    model: Transformer | str,
    cluster: Cluster,
    layout: Layout,
    *,
    tokens_per_step: float,
    sequence: int,
    keep: str | None = None,
    constants: Constants | None = None,
    dtype: str = "bf16",
    recipe: Recipe | str | None = None,
    attention: str = "flash",
    mask: str = "half",
    free_share: float = 0.0,
    run_tokens: float | None = None,
    usd_per_gpu_hour: float | None = None,
) -> Plan:
    """Return what a given layout of a job takes and holds, whether it fits or not.

    Also: what-if, step estimate
    Formula: $T, \\; M$
    Symbols: T = step_time of the layout; M = rank_memory of the fullest stage
    Chapter: 29

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        cluster: the GPUs, as many as the layout has ranks.
        layout: the layout.
        tokens_per_step: B, as ``plan`` takes it.
        sequence: s, tokens of a sequence.
        keep: ``"some"`` lets each layer drop the cheapest tensors that must go; by default the layout's ``recompute``.
        constants: what is assumed of the machine; by default what is published of its GPUs.
        dtype: of the weights' matmuls.
        recipe: bytes of state for a parameter; by default mixed-precision Adam as the GPU holds it in that format.
        attention: ``"flash"`` or ``"standard"``.
        mask: which pairs of a query and a key are computed, and counted in the MFU.
        free_share: of a GPU's memory that stays free, at least 0 and below 1; by default nothing, where ``plan`` keeps
            a tenth.
        run_tokens: of the whole run, for its days.
        usd_per_gpu_hour: for its price.

    Returns:
        The plan; ``fits`` and ``spare_bytes`` say whether it fits.

    Raises:
        ValueError: if the layout has not as many ranks as the cluster, or cannot run the model.

    Source: the model of chapters 26 and 27.
    Convention: with ``keep="some"`` nothing is dropped where nothing must be; where dropping all is not enough, nothing
        is, and the plan does not fit.
    Leaves out: what ``step_time`` and ``rank_memory`` leave out.

    Example:
        >>> pairs = layout_plan(
        ...     "Llama 3 70B", Cluster("DGX H100", nodes=32), Layout(tensor=2, data=128, stage=3), keep="some",
        ...     tokens_per_step=4e6, sequence=8192, free_share=0.1,
        ... )
        >>> pairs.dropped
        ('normed for attention', 'normed for feed-forward', 'gated product')
    """
    job = planned_job(
        model,
        cluster,
        tokens_per_step=tokens_per_step,
        sequence=sequence,
        constants=constants,
        dtype=dtype,
        recipe=recipe,
        attention=attention,
        mask=mask,
        free_share=free_share,
        run_tokens=run_tokens,
        usd_per_gpu_hour=usd_per_gpu_hour,
    )
    if of_kind("layout", layout, Layout).ranks != cluster.gpus:
        raise ValueError(f"layout must have the cluster's {cluster.gpus} ranks, got {layout.ranks}")
    return _plan_of(job, layout, layout.recompute if keep is None else named("keep", keep, _KEEP))


def _plan_of(job: PlannedJob, layout: Layout, keep: str) -> Plan:
    """Return the plan of a layout by the model's own functions, not by the kernel."""
    layout = replace(layout, recompute="none" if keep == "some" else keep)
    size: dict[str, Any] = {"batch_sequences": job.batch_sequences, "sequence": job.sequence, "recipe": job.recipe}
    size |= {"attention": job.attention, "dtype": job.dtype}
    step = step_time(
        job.model,
        job.cluster.machine,
        layout,
        constants=job.constants,
        domain=job.cluster.fast_gpus,
        mask=job.mask,
        **size,
    )
    dropped = _dropped(job, layout, size) if keep == "some" else None
    if dropped is None:
        ends = (0, -1) if layout.pipeline > 1 else (0,)
        held = [rank_memory(job.model, layout, stage=stage, **size) for stage in ends]
        return Plan(layout, (), step, max(held, key=lambda each: each.total), 0.0, job)
    m = layout.micro_batches(job.batch_sequences)
    once = dropped.flops / (
        job.constants.matmul_share * dense_peak_flops_per_s(job.cluster.machine.accelerator, job.dtype)
    )
    if job.constants.count_bytes:
        once += dropped.moved_bytes / job.constants.memory_bytes_per_s(job.cluster.machine)
    remade_s = m * once * job.model.layers / layout.pipeline
    longer = with_remade(step, layout, remade_s=remade_s, micro_batches=m)
    return Plan(layout, dropped.names, longer, dropped.memory, remade_s, job)


def _dropped(job: PlannedJob, layout: Layout, size: dict[str, Any]) -> Dropped | None:
    return dropped_to_fit(job.model, layout, limit_bytes=job.limit_bytes, mask=job.mask, **size)


# ------------------------------------------------------------------------------------------ parts of a search


def job_candidates(job: PlannedJob, limits: Limits) -> Candidates:
    """Return the layouts of a job that its shapes allow.

    Formula: $X$
    Symbols: X = candidate_layouts
    Chapter: 29

    Args:
        job: the job.
        limits: what may be tried.

    Returns:
        Candidates.

    Source: ``candidate_layouts``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
        >>> len(job_candidates(job, Limits(pipeline=1, context=1, recompute="none")).sizes)
        50
    """
    of_kind("job", job, PlannedJob), of_kind("limits", limits, Limits)
    return candidate_layouts(
        job.model, job.cluster, batch_sequences=job.batch_sequences, sequence=job.sequence, limits=limits
    )


def job_kernel(job: PlannedJob, limits: Limits, *, operations: Operations = FLOATS) -> StepKernel:
    """Return the closed forms of a job's layouts.

    Args:
        job: the job.
        limits: what may be tried.
        operations: Python's, or NumPy's for arrays.

    Returns:
        The kernel.

    >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
    >>> job_kernel(job, Limits()).batch
    128
    """
    of_kind("job", job, PlannedJob), of_kind("limits", limits, Limits)
    gated = job.model.feed_forward is not None and job.model.feed_forward.gated and job.model.experts is None
    drops = (
        layer_drops(job)
        if gated and "some" in limits.recompute and hasattr(job.model.attention, "key_value_heads")
        else ()
    )
    return StepKernel(
        job.model,
        job.cluster.machine,
        constants=job.constants,
        domain=job.cluster.fast_gpus,
        recipe=job.recipe,
        batch_sequences=job.batch_sequences,
        sequence=job.sequence,
        limit_bytes=job.limit_bytes,
        attention=job.attention,
        mask=job.mask,
        dtype=job.dtype,
        context_kind=limits.context_kind,
        drops=drops,
        operations=operations,
    )


def layer_drops(job: PlannedJob) -> tuple[Drop, ...]:
    """Return the sets of a layer's tensors that can be the cheapest to drop, from nothing to all of them.

    Formula: $\\left\\{Z: \\sum_{Z'} F_i \\le \\sum_Z F_i \\Rightarrow \\sum_{Z'} A_i < \\sum_Z A_i\\right\\}$
    Symbols: Z, Z' = sets of tensors; F_i, A_i = operations and bytes of tensor i in layer_prices
    Chapter: 29

    Args:
        job: the job.

    Returns:
        Sets in order of their operations, each freeing more than those before it, by token and for one uncut rank.

    Source: chapter 23; ``cheapest_drop`` picks the first of these that frees enough.
    Convention: everything that a layer keeps is cut by t, as with sequence parallelism.
    Leaves out: nothing.

    Example:
        >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
        >>> [drop.names for drop in layer_drops(job)[:2]]
        [(), ('normed for attention',)]
    """
    of_kind("job", job, PlannedJob)
    prices = layer_prices(job.model, Layout(), sequence=job.sequence, mask=job.mask, dtype=job.dtype)
    sets = [subset for count in range(len(prices) + 1) for subset in combinations(prices, count)]
    sets.sort(key=lambda subset: sum(price.flops for price in subset))
    found: list[Drop] = []
    for subset in sets:
        names, freed = tuple(price.name for price in subset), sum(price.bytes for price in subset)
        if not found or freed / job.sequence > found[-1].freed_bytes:
            flops, moved = sum(price.flops for price in subset), remade_bytes(prices, dropped=names)
            found.append(Drop(names, freed / job.sequence, flops / job.sequence, moved / job.sequence))
    return tuple(found)


def cuts_of(sizes: Sizes) -> Cuts:
    """Return a candidate's sizes as the kernel takes them.

    Args:
        sizes: the candidate.

    Returns:
        Numbers alone.

    >>> cuts_of(Sizes(tensor=2, recompute="full")).keep
    3
    """
    of_kind("sizes", sizes, Sizes)
    return Cuts(*sizes[:9], _KEEP[sizes.recompute], int(sizes.uneven))


def ranked_plans(
    job: PlannedJob,
    limits: Limits,
    found: Candidates,
    *,
    seconds: Sequence[float],
    memory_bytes: Sequence[float],
    dropped: Sequence[float],
    fits: Sequence[bool],
    most: int = 20,
) -> Plans:
    """Return the candidates that fit in order, the best of them as plans.

    Args:
        job: the job.
        limits: what was tried.
        found: candidates, and what their shapes refused.
        seconds: of each candidate's step.
        memory_bytes: of its fullest rank.
        dropped: which set of tensors it drops.
        fits: whether it fits.
        most: how many plans are made at most.

    Returns:
        The plans.

    >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
    >>> found = Candidates([Sizes(data=8, stage=3), Sizes(data=8, stage=3, recompute="full")])
    >>> plans = ranked_plans(
    ...     job, Limits(), found, seconds=[1.0, 2.0], memory_bytes=[90e9, 50e9], dropped=[-1, -1], fits=[False, True]
    ... )
    >>> plans.best[0].layout.recompute, plans.refusals[0].reason
    ('full', 'does not fit by 18.0 GB')
    """
    of_kind("job", job, PlannedJob), of_kind("limits", limits, Limits), of_kind("found", found, Candidates)
    columns = {"seconds": seconds, "memory_bytes": memory_bytes, "dropped": dropped, "fits": fits}
    for (name, column), kind in zip(columns.items(), (float, float, int, bool), strict=True):
        if not isinstance(column, list | tuple) or len(column) != len(found.sizes):
            raise ValueError(
                f"{name} must be a list with an entry for each of {len(found.sizes)} candidates, got {column!r}"
            )
        if not set(map(type, column)) <= {kind} or (kind is float and not math.isfinite(sum(column))):
            raise ValueError(f"{name} must hold {_ENTRIES[kind]} alone, got {shortened(column)}")
    plain = "none" in limits.recompute
    fitting: list[tuple[float, int]] = []
    over: list[tuple[float, int]] = []
    for place, (sizes, time, held, drop, fit) in enumerate(
        zip(found.sizes, seconds, memory_bytes, dropped, fits, strict=True)
    ):
        if sizes.recompute == "some" and plain and drop <= 0:
            continue  # nothing is dropped: the candidate that keeps everything stands for it
        (fitting if fit else over).append((time if fit else held, place))
    fitting.sort()
    over.sort()
    chosen = [found.sizes[place] for _, place in fitting[: positive_integer("most", most)]]
    best = [_plan_of(job, sizes.layout(context_kind=limits.context_kind), sizes.recompute) for sizes in chosen]
    memory = [Refused(sizes_text(found.sizes[place]), "memory", _too_much(job, held)) for held, place in over]
    refused = found.kinds | ({"memory": len(over)} if over else {})
    near = sum(time <= (1 + NEAR) * fitting[0][0] for time, _ in fitting) if fitting else 0
    tried = len(fitting) + len(over)
    return Plans(job, tuple(best), tried, len(fitting), (*found.refused, *memory), refused, near)


def _too_much(job: PlannedJob, held: float) -> str:
    return f"does not fit by {(held - job.limit_bytes) / 1e9:.1f} GB"


def sizes_text(sizes: Sizes | Layout) -> str:
    """Return a layout in the book's letters, without the axes that cut nothing.

    Args:
        sizes: a candidate, or a layout.

    Returns:
        The text.

    >>> sizes_text(Sizes(tensor=2, data=128, stage=3))
    't = 2, d = 128, ZeRO-3'
    >>> sizes_text(Layout(tensor=8, pipeline=4, data=8, chunks=5, recompute="full"))
    't = 8, p = 4, v = 5, d = 8, ZeRO-1, layers run twice'
    """
    if not isinstance(sizes, Sizes | Layout):
        raise TypeError(f"sizes must be Sizes or a Layout, got {sizes!r}")
    parts = [f"{letter} = {getattr(sizes, name)}" for letter, name in LETTERS.items() if getattr(sizes, name) > 1]
    parts.append(f"ZeRO-{sizes.stage}")
    keeps = {"selective": "scores made again", "some": "tensors dropped", "full": "layers run twice"}
    if sizes.recompute in keeps:
        parts.append(keeps[sizes.recompute])
    return ", ".join(parts)
