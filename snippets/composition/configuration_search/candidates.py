"""Formulas: which layouts there are for a model on a cluster, and why the others cannot run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.layouts import CONTEXT_KINDS, Layout
from snippets.domain import (
    Answers,
    flag,
    named,
    nonnegative_integer,
    number_between,
    of_kind,
    positive_integer,
    positive_number,
)
from snippets.models import MODELS, Attention, Transformer
from snippets.parallelism.tensor.formulas import key_value_heads_per_rank

KEEPS = ("none", "selective", "some", "full")
MOST_MICRO_BATCH = 16
MOST_SIZES = 64  # of one axis
MOST_CONTEXT_SHARE = 1024  # tokens that a context rank has at the least, unless Limits name the sizes
_AXES = ("tensor", "pipeline", "context", "data", "expert", "expert_tensor", "chunks", "micro_batch", "stage")


@dataclass(frozen=True)
class Limits(Answers):
    """What a search may try.

    Attributes:
        tensor: sizes of t; ``None`` for all that suit the model and stay inside the fast domain.
        pipeline: sizes of p; ``None`` for all.
        context: sizes of c; ``None`` for powers of two that leave each rank at least 1,024 tokens.
        data: sizes of d; ``None`` for what the other axes leave.
        expert: sizes of e; ``None`` for all that divide the experts.
        expert_tensor: ranks among which an expert is cut.
        chunks: sizes of v; ``None`` for all.
        micro_batch: sequences at a time; ``None`` for powers of two up to 16.
        stage: ZeRO's stages, each at least 0 and at most 3.
        recompute: ``"none"``; ``"selective"``, the attention's scores; ``"some"``, in which each layer drops the
            tensors that are cheapest to make again, as many as must go; ``"full"``.
        context_kind: ``"all_gather"`` or ``"ring"``.
        uneven: whether stages may differ by a layer.
        free_share: of a GPU's memory that stays free, at least 0 and below 1.

    Raises:
        ValueError: if a size is no integer of at least 1, or a name is none.

    >>> Limits(tensor=(1, 2)).tensor, Limits().stage
    ((1, 2), (1, 2, 3))
    """

    tensor: Sequence[int] | int | None = None
    pipeline: Sequence[int] | int | None = None
    context: Sequence[int] | int | None = None
    data: Sequence[int] | int | None = None
    expert: Sequence[int] | int | None = None
    expert_tensor: Sequence[int] | int = 1
    chunks: Sequence[int] | int | None = None
    micro_batch: Sequence[int] | int | None = None
    stage: Sequence[int] | int = (1, 2, 3)
    recompute: Sequence[str] | str = ("none", "some", "full")
    context_kind: str = "all_gather"
    uneven: bool = True
    free_share: float = 0.1

    def __post_init__(self) -> None:
        for name in _AXES:
            if (sizes := getattr(self, name)) is not None or name in ("expert_tensor", "stage"):
                object.__setattr__(
                    self, name, _listed(name, sizes, nonnegative_integer if name == "stage" else positive_integer)
                )
        if max(self.allowed("stage")) > 3:
            raise ValueError(f"stage must hold 0, 1, 2 or 3, got {self.stage!r}")
        keeps = _listed("recompute", self.recompute, _keep)
        object.__setattr__(self, "recompute", keeps)
        object.__setattr__(self, "context_kind", named("context_kind", self.context_kind, CONTEXT_KINDS))
        flag("uneven", self.uneven)
        free = number_between("free_share", self.free_share, low=0, high=1)
        if free == 1:
            raise ValueError(f"free_share must be below 1, got {self.free_share!r}")
        object.__setattr__(self, "free_share", free)

    def allowed(self, axis: str) -> tuple[int, ...]:
        """Return the sizes of an axis that are named; none where all are allowed.

        Args:
            axis: a field's name.

        >>> Limits(tensor=2).allowed("tensor"), Limits().allowed("pipeline")
        ((2,), ())
        """
        found = getattr(self, named("axis", axis, _AXES))
        return () if found is None else tuple(found)


def _keep(name: str, value: Any) -> str:
    return named(name, value, KEEPS)


def _listed(name: str, values: Any, check: Callable[[str, Any], Any]) -> tuple[Any, ...]:
    """Return what a limit allows, each entry checked and once; one value is a list of one."""
    entries = tuple(values) if isinstance(values, tuple | list) else (values,)
    if not entries:
        raise ValueError(f"{name} must hold at least one size, got none")
    if len(entries) > MOST_SIZES:
        raise ValueError(f"{name} must hold at most {MOST_SIZES} sizes, got {len(entries)}")
    return tuple(dict.fromkeys(check(name, entry) for entry in entries))


class Sizes(NamedTuple):
    """A layout in plain numbers, as a search counts it.

    >>> Sizes(tensor=2, pipeline=4, context=1, data=8).layout().ranks
    64
    """

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    data: int = 1
    expert: int = 1
    expert_tensor: int = 1
    chunks: int = 1
    micro_batch: int = 1
    stage: int = 1
    recompute: str = "none"
    uneven: bool = False

    def layout(self, *, context_kind: str = "all_gather") -> Layout:
        """Return the layout; what drops ``"some"`` tensors recomputes none of the others.

        Args:
            context_kind: ``"all_gather"`` or ``"ring"``.

        >>> Sizes(tensor=2, recompute="some").layout().recompute
        'none'
        """
        sizes = self._asdict()
        sizes["recompute"] = "none" if self.recompute == "some" else self.recompute
        return Layout(**sizes, sequence_parallel=self.tensor > 1, context_kind=context_kind)


class Refused(NamedTuple):
    """What cannot run, and the first reason.

    Attributes:
        where: the sizes that already rule it out, in the book's letters.
        kind: what the reason is about: "GPUs", "heads", "layers", "sequence", "sequences", "experts", "micro-batches",
            "limits" or "memory".
        reason: a sentence's worth, with the numbers.

    >>> Refused("t = 8, p = 3", "layers", "80 layers can't be dealt evenly among 3 stages").kind
    'layers'
    """

    where: str
    kind: str
    reason: str


@dataclass
class Candidates:
    """The layouts of a search that can run, before memory is asked, and those that cannot.

    >>> found = candidate_layouts("Llama 3 70B", Cluster("DGX H100", nodes=1), batch_sequences=8, sequence=8192)
    >>> len({sizes[:4] for sizes in found.sizes})
    20
    """

    sizes: list[Sizes] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    @property
    def kinds(self) -> dict[str, int]:
        """How many refusals have each kind of reason."""
        return dict(Counter(each.kind for each in self.refused))


def step_batch(*, tokens_per_step: float, sequence: int) -> int:
    """Return how many sequences a step has that should have so many tokens.

    Formula: $q = B / s$
    Symbols: q = the result; B = batch tokens, tokens_per_step; s = sequence; where s does not divide B, B / s to the
        nearest multiple of the power of two that is nearest to an eighth of it
    Chapter: 29

    Args:
        tokens_per_step: B, at least a sequence.
        sequence: s.

    Returns:
        Sequences, at least 1.

    Raises:
        ValueError: if a step has no whole sequence.

    Source: a convention of this book.
    Convention: a round number of sequences can be dealt to more ranks: 4 million tokens are 512 sequences of 8,192.
    Leaves out: nothing.

    Example:
        >>> step_batch(tokens_per_step=4_194_304, sequence=8192), step_batch(tokens_per_step=4e6, sequence=8192)
        (512, 512)
        >>> step_batch(tokens_per_step=488 * 8192, sequence=8192)
        488
    """
    asked, s = positive_number("tokens_per_step", tokens_per_step), positive_integer("sequence", sequence)
    tokens = max(1, round(asked))
    if tokens < s:
        raise ValueError(f"tokens_per_step must be at least the sequence's {s} tokens, got {tokens_per_step!r}")
    if tokens % s == 0:
        return tokens // s
    share = tokens / s / 8
    step = 1
    while step * 2 <= share * 2**0.5:
        step *= 2
    return max(step, round(tokens / s / step) * step)


def candidate_layouts(
    model: Transformer | str,
    cluster: Cluster,
    *,
    batch_sequences: int,
    sequence: int,
    limits: Limits | None = None,
) -> Candidates:
    """Return all layouts of a cluster's GPUs that a model's shapes allow, and what its shapes refuse.

    Also: search space, design space
    Formula: $t\\,p\\,c\\,d = R, \\quad t \\mid a, \\quad vp \\mid L, \\quad 2ct \\mid s, \\quad db \\mid q, \\quad
        e \\mid E, \\quad e \\mid tcd$
    Symbols: t, p, c, d, e = sizes of the axes; R = GPUs of the cluster; a = heads; v = chunks; L = layers; s =
        sequence; b = sequences at a time; q = batch_sequences; E = experts; 2c is 1 where c is 1, and t there only with
        sequence parallelism
    Chapter: 29

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        cluster: the GPUs.
        batch_sequences: q, sequences of a step.
        sequence: s, tokens of each.
        limits: what may be tried; by default everything.

    Returns:
        Layouts, and refusals with the first reason of each, the axes taken in the order t, p, c, e, b, v.

    Source: ``check_layout``, which takes all of them.
    Convention: sequence parallelism wherever t is above 1; an even cut of the layers where there is one. A refusal
        stands for all layouts that share its sizes.
    Leaves out: memory.

    Example:
        >>> found = candidate_layouts(
        ...     "Llama 3 70B", Cluster("DGX H100", nodes=32), batch_sequences=512, sequence=8192,
        ...     limits=Limits(pipeline=3),
        ... )
        >>> found.refused[0]
        Refused(where='t = 1, p = 3', kind='GPUs', reason='t·p = 3 does not divide the 256 GPUs')
    """
    search = _Search(
        MODELS.find(model),
        of_kind("cluster", cluster, Cluster),
        positive_integer("batch_sequences", batch_sequences),
        positive_integer("sequence", sequence),
        Limits() if limits is None else of_kind("limits", limits, Limits),
        Candidates(),
    )
    if search.model.experts is None and max(search.limits.allowed("expert"), default=1) > 1:
        raise ValueError(f"expert must be 1 for a model without experts, got {search.limits.expert!r}")
    for t in search.tensor_sizes():
        for p, uneven in search.pipeline_sizes(t):
            for c in search.context_sizes(t, p):
                experts = list(search.expert_sizes(t, p, c))
                for b in search.micro_batches(t, p, c):
                    search.add(t, p, c, b, uneven, experts)
    return search.found


class _Search(NamedTuple):
    """A walk over the axes, from the outermost decision to the innermost; each refuses what it already knows."""

    model: Transformer
    cluster: Cluster
    batch: int
    sequence: int
    limits: Limits
    found: Candidates

    def refuse(self, where: str, kind: str, reason: str) -> None:
        self.found.refused.append(Refused(where, kind, reason))

    def tensor_sizes(self) -> Iterator[int]:
        attention, R = self.model.attention, self.cluster.gpus
        kept = attention.key_value_heads if isinstance(attention, Attention) else attention.heads
        for t in self.limits.allowed("tensor") or _divisors(self.cluster.fast_gpus):
            if R % t:
                self.refuse(f"t = {t}", "GPUs", f"{t} does not divide the {R} GPUs")
                continue
            try:
                key_value_heads_per_rank(heads=attention.heads, key_value_heads=kept, tensor_parallel=t)
            except ValueError:
                self.refuse(
                    f"t = {t}", "heads", f"{attention.heads} heads, {kept} of keys, can't be dealt among {t} ranks"
                )
                continue
            yield t

    def pipeline_sizes(self, t: int) -> Iterator[tuple[int, bool]]:
        left, L = self.cluster.gpus // t, self.model.layers
        for p in self.limits.allowed("pipeline") or _divisors(left):
            where = f"t = {t}, p = {p}"
            if left % p:
                self.refuse(where, "GPUs", f"t·p = {t * p} does not divide the {self.cluster.gpus} GPUs")
            elif p > L:
                self.refuse(where, "layers", f"{p} stages are more than the {L} layers")
            elif L % p == 0 or (L + 2) % p == 0:
                yield p, False
            elif self.limits.uneven:
                yield p, True
            else:
                self.refuse(where, "layers", f"{L} layers can't be dealt evenly among {p} stages")

    def context_sizes(self, t: int, p: int) -> Iterator[int]:
        left, s = self.cluster.gpus // t // p, self.sequence
        most = max(1, s // MOST_CONTEXT_SHARE)
        for c in self.limits.allowed("context") or [
            size for size in _divisors(left) if size & (size - 1) == 0 and size <= most
        ]:
            where, cuts = f"t = {t}, p = {p}, c = {c}", (2 * c if c > 1 else 1) * t
            if left % c:
                self.refuse(where, "GPUs", f"t·p·c = {t * p * c} does not divide the {self.cluster.gpus} GPUs")
            elif s % cuts:
                self.refuse(where, "sequence", f"{s:,} tokens can't be cut into {cuts} equal parts")
            elif (data := self.limits.allowed("data")) and left // c not in data:
                self.refuse(where, "limits", f"d would be {left // c}")
            else:
                yield c

    def micro_batches(self, t: int, p: int, c: int) -> Iterator[int]:
        d = self.cluster.gpus // (t * p * c)
        if self.batch % d:
            self.refuse(
                f"t = {t}, p = {p}, c = {c}", "sequences", f"{self.batch} sequences can't be dealt among {d} copies"
            )
            return
        share = self.batch // d
        for b in self.limits.allowed("micro_batch") or [
            2**i for i in range(5) if share % 2**i == 0 and 2**i <= MOST_MICRO_BATCH
        ]:
            if share % b:
                self.refuse(
                    f"t = {t}, p = {p}, c = {c}, b = {b}",
                    "sequences",
                    f"{share} sequences of a copy are no multiple of {b}",
                )
            else:
                yield b

    def add(self, t: int, p: int, c: int, b: int, uneven: bool, experts: list[tuple[int, int]]) -> None:
        d = self.cluster.gpus // (t * p * c)
        m = self.batch // d // b
        chunks = list(self.chunk_sizes(t, p, c, b, m, uneven))
        wanted = self.limits.allowed("stage")
        stages = [stage for stage in wanted if stage == 1 or d * c > 1 or wanted == (stage,)]
        for keep in self.keeps():
            for e, cut in experts:
                for v in chunks:
                    for stage in stages:
                        self.found.sizes.append(Sizes(t, p, c, d, e, cut, v, b, stage, keep, uneven and v == 1))

    def chunk_sizes(self, t: int, p: int, c: int, b: int, m: int, uneven: bool) -> Iterator[int]:
        L = self.model.layers
        fits = [
            v
            for v in range(1, L // p + 1)
            if uneven * (v == 1) or L % (p * v) == 0 or (p > 1 and (L + 2) % (p * v) == 0)
        ]
        for v in self.limits.allowed("chunks") or (fits if p > 1 else [1]):
            where = f"t = {t}, p = {p}, c = {c}, b = {b}, v = {v}"
            if v not in fits or (v > 1 and p == 1):
                self.refuse(where, "layers", f"{L} layers can't be dealt evenly among {p} stages of {v} chunks")
            elif v > 1 and m < p:
                self.refuse(where, "micro-batches", f"interleaving needs {p} micro-batches, and there are {m}")
            else:
                yield v

    def expert_sizes(self, t: int, p: int, c: int) -> Iterator[tuple[int, int]]:
        if self.model.experts is None:
            yield 1, 1
            return
        count, ranks = self.model.experts.experts, self.cluster.gpus // p
        for cut in self.limits.allowed("expert_tensor"):
            for e in self.limits.allowed("expert") or _divisors(count):
                if count % e:
                    self.refuse(
                        f"t = {t}, p = {p}, c = {c}, e = {e}", "experts", f"{e} does not divide the {count} experts"
                    )
                elif ranks % (e * cut):
                    where = f"t = {t}, p = {p}, c = {c}, e = {e}"
                    self.refuse(where, "experts", f"a stage's {ranks} ranks are no multiple of {e * cut}")
                else:
                    yield e, cut

    def keeps(self) -> tuple[str, ...]:
        drops = self.model.experts is None and self.model.feed_forward is not None and self.model.feed_forward.gated
        drops = drops and isinstance(self.model.attention, Attention)
        return tuple(keep for keep in self.limits.recompute if keep != "some" or drops)


def _divisors(number: int) -> list[int]:
    return [size for size in range(1, number + 1) if number % size == 0]
