"""Formulas: the closed forms of a step's time and of a rank's memory, for one layout or for arrays of them.

``step_time`` and ``rank_memory`` compose the chapters' own functions and check every argument: a search over tens of
thousands of layouts cannot afford that. Here is the same model as plain arithmetic. It takes floats, so that it runs in
the reader's browser, or NumPy's arrays of sizes, and the tests hold it to those two functions over layouts drawn at
random.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, NamedTuple

from snippets.composition.context_width import context_kv_width
from snippets.composition.layer_times import ATTENTIONS
from snippets.composition.layouts import CONTEXT_KINDS
from snippets.composition.step_constants import Constants
from snippets.domain import each, named, nonnegative_number, of_kind, positive_integer
from snippets.flops import attention_pairs
from snippets.hardware import DTYPES, Node, dense_peak_flops_per_s, wide_peak_flops_per_s
from snippets.models import LatentAttention, Transformer, parameter_parts
from snippets.recipes import Recipe

Number = Any  # a float, or an array of them


class Operations(NamedTuple):
    """What arithmetic needs besides its signs: Python's own for floats, NumPy's for arrays.

    >>> FLOATS.maximum(1, 2), FLOATS.where(False, 1, 2)
    (2, 2)
    """

    maximum: Callable[[Number, Number], Number]
    minimum: Callable[[Number, Number], Number]
    where: Callable[[Any, Number, Number], Number]
    ceil: Callable[[Number], Number]
    floor: Callable[[Number], Number]
    first: Callable[[Any, Number], Any]  # the place of the first entry of a growing list that is at least a number
    take: Callable[[Any, Any], Number]  # the entry of a list at a place
    listed: Callable[[list[float]], Any]


def _at(table: list[float], place: int) -> float:
    return table[place]


FLOATS = Operations(
    max, min, lambda condition, yes, no: yes if condition else no, math.ceil, math.floor, bisect_left, _at, list
)


class Cuts(NamedTuple):
    """The sizes of a layout, or of many: a number each, or an array each.

    Attributes:
        tensor: t.
        pipeline: p.
        context: c.
        data: d.
        expert: e.
        expert_tensor: ranks among which an expert is cut.
        chunks: v.
        micro_batch: b.
        stage: ZeRO's.
        keep: 0 where layers keep everything, 1 where they make attention's scores again, 2 where each drops some
            tensors, 3 where they keep their inputs alone.
        uneven: 1 where stages differ by a layer.
    """

    tensor: Number
    pipeline: Number
    context: Number
    data: Number
    expert: Number
    expert_tensor: Number
    chunks: Number
    micro_batch: Number
    stage: Number
    keep: Number
    uneven: Number


class Scores(NamedTuple):
    """What a search asks of a layout.

    Attributes:
        seconds: of a step.
        memory_bytes: of the fullest rank, after dropping.
        fits: whether that is at most the limit.
        dropped: which of the kernel's ``drops`` is taken where ``keep`` is 2, from 0; −1 elsewhere or where none helps.
    """

    seconds: Number
    memory_bytes: Number
    fits: Any
    dropped: Number


class Drop(NamedTuple):
    """A set of tensors that a layer drops, by what it frees and costs for each token on one uncut rank."""

    names: tuple[str, ...]
    freed_bytes: float
    flops: float
    moved_bytes: float


class _Layer(NamedTuple):
    """Seconds of one layer for one micro-batch."""

    forward: Number
    backward: Number
    compute: Number
    tensor: Number
    context: Number
    expert: Number
    sums: Number

    @property
    def total(self) -> Number:
        return self.compute + self.tensor + self.context + self.expert


class _Counts(NamedTuple):
    """Layers of the first stage, of inner stages with one more, how many those are, of the others, of the last."""

    first: Number
    long: Number
    longs: Number
    short: Number
    shorts: Number
    last: Number


class _Waits(NamedTuple):
    """Seconds that a micro-batch waits on a stage: once, for each layer, from the second on, from the third on."""

    once: Number
    each: Number
    second: Number
    more: Number


class StepKernel:
    """The model of a step for one job: what does not depend on the layout is worked out once.

    Source: ``step_time`` and ``rank_memory``, with which the tests compare it.
    Convention: as there; the axes in the order t, c, d, p; sequence parallelism wherever t is above 1.
    Leaves out: whole numbers of bytes, to which those functions round.

    >>> from snippets.hardware import NODES
    >>> from snippets.models import MODELS
    >>> from snippets.recipes import RECIPES
    >>> from snippets.composition.step_constants import H100_BF16
    >>> kernel = StepKernel(
    ...     MODELS["Llama 3 70B"], NODES["DGX H100"], constants=H100_BF16, domain=8, recipe=RECIPES["mixed-adam"],
    ...     batch_sequences=512, sequence=8192, limit_bytes=72e9,
    ... )
    >>> scores = kernel.scores(Cuts(8, 4, 1, 8, 1, 1, 1, 1, 1, 0, 0))
    >>> round(scores.memory_bytes / 1e9), bool(scores.fits)
    (35, True)
    """

    def __init__(
        self,
        model: Transformer,
        node: Node,
        *,
        constants: Constants,
        domain: int,
        recipe: Recipe,
        batch_sequences: int,
        sequence: int,
        limit_bytes: float,
        attention: str = "flash",
        mask: str = "half",
        dtype: str = "bf16",
        context_kind: str = "all_gather",
        drops: tuple[Drop, ...] = (),
        operations: Operations = FLOATS,
    ) -> None:
        self.model, self.node = of_kind("model", model, Transformer), of_kind("node", node, Node)
        self.constants, self.recipe = of_kind("constants", constants, Constants), of_kind("recipe", recipe, Recipe)
        self.domain = positive_integer("domain", domain)
        self.batch = positive_integer("batch_sequences", batch_sequences)
        self.sequence = positive_integer("sequence", sequence)
        self.limit_bytes = nonnegative_number("limit_bytes", limit_bytes)
        self.flash = named("attention", attention, ATTENTIONS) == "flash"
        self.ring = named("context_kind", context_kind, CONTEXT_KINDS) == "ring"
        self.narrow = named("dtype", dtype, DTYPES) in ("fp8", "fp4")
        self.pairs = attention_pairs(sequence, mask=mask)
        self.drops = each("drops", drops, lambda name, drop: of_kind(name, drop, Drop))
        self.do = of_kind("operations", operations, Operations)
        wide = wide_peak_flops_per_s(node.accelerator)
        self.rate = constants.matmul_share * dense_peak_flops_per_s(node.accelerator, dtype)
        self.wide_rate, self.attention_rate = constants.matmul_share * wide, constants.attention_share * wide
        self.memory = constants.memory_bytes_per_s(node)
        self.inside, self.across = constants.node_bytes_per_s(node), constants.network_bytes_per_s(node)
        parts = parameter_parts(model)
        outside = parts.token_embedding + parts.position_embedding + parts.head
        self.layer_parameters = (parts.total - outside - parts.routed_experts) / model.layers
        self.routed = parts.routed_experts / model.layers
        self.table = model.vocabulary * model.hidden
        self.share = model.expert_layers / model.layers
        self.freed = operations.listed([drop.freed_bytes for drop in drops])
        self.freed_or_none = operations.listed([*(drop.freed_bytes for drop in drops), 0.0])
        self.remade_or_none = operations.listed([*map(self._remade_s, drops), 0.0])
        if operations is FLOATS:  # many layouts share their parts
            for name in (
                "_layer",
                "_parameters",
                "_counts",
                "_waits",
                "_ring_s",
                "_kept_bytes",
                "_state_bytes",
                "_head_s",
            ):
                setattr(self, name, functools.lru_cache(maxsize=2**16)(getattr(self, name)))

    def scores(self, z: Cuts) -> Scores:
        """Return the time and the memory of a layout, or of each of many.

        Args:
            z: its sizes, each a number, or an array each.

        Returns:
            Seconds, bytes, whether they fit, and what is dropped.
        """
        of_kind("z", z, Cuts)
        do, m = self.do, self.batch / (z.data * z.micro_batch)
        seconds, (first, own), (last, theirs) = self._seconds(z, m), *self._memory(z, m)
        drops = z.keep == 2
        tokens = z.micro_batch * self.sequence / z.context / z.tensor
        spare, others = do.maximum(own - 1, 1e-9), do.maximum(theirs - 1, 1e-9)
        wanted = do.maximum((first - self.limit_bytes) / spare, (last - self.limit_bytes) / others) / tokens
        place = do.where(drops, do.first(self.freed, do.maximum(wanted, 0.0)), len(self.drops))
        freed, remade = do.take(self.freed_or_none, place) * tokens, do.take(self.remade_or_none, place) * tokens
        seconds = seconds + remade * self.model.layers / z.pipeline * (m + (z.pipeline - 1) / z.chunks)
        total = do.maximum(first - freed * spare, last - freed * others)
        chosen = do.where(place < len(self.drops), place, -1)
        return Scores(seconds, total, total <= self.limit_bytes * (1 + 1e-9), chosen)

    def _remade_s(self, drop: Drop) -> float:
        """Return the seconds to make a token's dropped tensors of one layer again, on one uncut rank."""
        moved = drop.moved_bytes / self.memory if self.constants.count_bytes else 0.0
        return drop.flops / self.rate + moved

    # ------------------------------------------------------------------------------------------ a step's time

    def _seconds(self, z: Cuts, m: Number) -> Number:
        do = self.do
        layer = self._layer(z.tensor, z.context, z.expert, z.expert_tensor, z.micro_batch, z.keep, m > 1)
        counts = self._counts(z.pipeline, z.chunks, z.uneven)
        groups = z.context * z.data
        waits = self._waits(z.tensor, groups, z.expert, z.expert_tensor, z.stage, layer.forward, layer.backward)
        first, long, short, last = (
            count * layer.total + self._waited_s(waits, count)
            for count in (counts.first, counts.long, counts.short, counts.last)
        )
        first = first + layer.sums
        tail = layer.sums + self._head_s(z.tensor, z.micro_batch * self.sequence / z.context)
        single = first + tail
        last = last + tail
        v, one = z.chunks, z.pipeline == 1
        before_short = first + counts.longs * long
        before_last = before_short + counts.shorts * short
        until = m * first
        until = do.maximum(until, do.where(counts.longs > 0, m * long + (before_short - long) / v, 0.0))
        until = do.maximum(until, do.where(counts.shorts > 0, m * short + (before_last - short) / v, 0.0))
        until = do.where(one, m * single, do.maximum(until, m * last + before_last / v))
        return until + self._messages_s(z, m) + self._gradients_s(z, layer, counts) + self._update_s(z, counts)

    def _layer(self, t: Number, c: Number, e: Number, cut: Number, b: Number, keep: Number, many: Any) -> _Layer:
        """Return what one layer takes for one micro-batch; ``many`` where gradients are accumulated."""
        do, model, constants = self.do, self.model, self.constants
        x = b * self.sequence / c
        attention_in, attention_out, feed_in, feed_out = self._products(t, e, cut, x)
        weights = attention_in + attention_out + feed_in + feed_out
        core, core_back = self._core(t, c, b)
        moved, moved_back = self._element_wise(t, c, b)
        forward = weights + core + moved
        again = do.where(keep == 3, forward, do.where(keep == 1, core, 0.0))
        backward = 2 * weights + core_back + moved_back + again
        forward, backward = forward + constants.launch_s / 3, backward + constants.launch_s * 2 / 3
        sums, tensor = self._tensor_s(t, x, keep, (attention_in, feed_in))
        launched = constants.host_s * do.where(keep == 3, 4 / 3, 1) - tensor
        return _Layer(
            forward,
            backward,
            do.maximum(forward + backward + do.where(many, self._accumulate_s(t, e, cut), 0.0), launched),
            tensor,
            self._context_s(t, c, b, keep, core, core_back),
            self._expert_s(t, c, e, cut, x, keep) if model.experts is not None else 0.0,
            sums,
        )

    def _matmul(self, rows: Number, inner: Number, columns: Number, number: Number = 1, rate: float = 0.0) -> Number:
        seconds = 2 * rows * inner * columns / (rate or self.rate)
        if self.constants.count_bytes:
            seconds = seconds + 2 * (rows * inner + inner * columns + rows * columns) / self.memory
        return number * seconds

    def _products(self, t: Number, e: Number, cut: Number, x: Number) -> tuple[Number, Number, Number, Number]:
        """Return the seconds of a layer's matmuls: into and out of its attention, into and out of its blocks."""
        model, h, matmul = self.model, self.model.hidden, self._matmul
        attention = model.attention
        if isinstance(attention, LatentAttention):
            width, heads = attention.head_size + attention.rotary_size, attention.heads / t
            down = attention.query_rank + attention.key_value_rank + attention.rotary_size
            into = matmul(x, h, down) + matmul(x, attention.query_rank, heads * width)
            into = into + matmul(x, attention.key_value_rank, heads * (attention.head_size + attention.value_size))
            out = matmul(x, heads * attention.value_size, h)
        else:
            queries = attention.heads * attention.head_size / t
            into = matmul(x, h, queries + 2 * self._kept_heads(t) * attention.head_size)
            out = matmul(x, queries, h)
        feed_in = feed_out = 0.0 * x
        if model.feed_forward is not None:
            width = model.feed_forward.width / t
            feed_in = feed_in + matmul(x, h, (1 + model.feed_forward.gated) * width, 1 - self.share)
            feed_out = feed_out + matmul(x, width, h, 1 - self.share)
        if (mixture := model.experts) is not None:
            local, inner, many = mixture.experts / e, mixture.width / cut, 1 + mixture.gated
            rows = x * mixture.per_token * cut / t / local
            feed_in = feed_in + matmul(x, h, mixture.experts / t, self.share)
            feed_in = feed_in + matmul(rows, h, many * inner, local * self.share)
            feed_out = feed_out + matmul(rows, inner, h, local * self.share)
            if mixture.shared:
                width = mixture.shared * mixture.width / t
                feed_in = feed_in + matmul(x, h, many * width, self.share)
                feed_out = feed_out + matmul(x, width, h, self.share)
        return into, out, feed_in, feed_out

    def _kept_heads(self, t: Number) -> Number:
        attention = self.model.attention
        return self.do.maximum(1, getattr(attention, "key_value_heads", attention.heads) / t)

    def _core(self, t: Number, c: Number, b: Number) -> tuple[Number, Number]:
        """Return the seconds of the attention's products, forward and backward."""
        attention, s = self.model.attention, self.sequence
        size = value = attention.head_size
        if isinstance(attention, LatentAttention):
            size, value = size + attention.rotary_size, attention.value_size
        flops = 2 * b * self.pairs * attention.heads * (size + value) / (t * c)
        if not self.constants.count_bytes:
            return flops / self.wide_rate, 2 * flops / self.wide_rate
        if self.flash:
            return flops / self.attention_rate, 2.5 * flops / self.attention_rate
        heads, own, width = b * attention.heads / t, s / c, attention.head_size
        seconds = self._matmul(own, width, s, heads, self.wide_rate) + self._matmul(
            own, s, width, heads, self.wide_rate
        )
        return seconds, 2 * seconds

    def _element_wise(self, t: Number, c: Number, b: Number) -> tuple[Number, Number]:
        """Return the seconds of element-wise kernels, forward and backward."""
        if not self.constants.count_bytes:
            return 0.0, 0.0
        model, attention, x = self.model, self.model.attention, b * self.sequence / c
        stream, scores = x * model.hidden / t, 0.0 if self.flash else attention.heads / t * x * self.sequence
        kept = getattr(attention, "key_value_heads", attention.heads)
        wide = (attention.heads + 2 * kept) * attention.head_size / t
        forward = backward = biases = 0.0
        for width, gated, part in self._inner_widths():
            forward = forward + part * width / t * (6 if gated else 4)
            backward = backward + part * width / t * (10 if gated else 6)
        if model.feed_forward is not None and model.feed_forward.bias:
            biases = 2 * (wide + model.feed_forward.width / t)
        ahead = (20 if self.flash else 22) * stream + x * (4 * wide + forward) + 9 * scores
        back = (32 if self.flash else 46) * stream + x * (4 * wide + backward + biases) + 11 * scores
        return ahead / self.memory, back / self.memory

    def _inner_widths(self) -> list[tuple[float, bool, float]]:
        """Return the inner width of each kind of block that a token meets, whether it is gated, and its share."""
        dense, mixture, found = self.model.feed_forward, self.model.experts, []
        if dense is not None:
            found.append((float(dense.width), dense.gated, 1 - self.share))
        if mixture is not None:
            width = (mixture.per_token + mixture.shared) * mixture.width
            found.append((float(width), mixture.gated, self.share))
        return found

    def _accumulate_s(self, t: Number, e: Number, cut: Number) -> Number:
        if not self.constants.count_bytes:
            return 0.0
        each = self.recipe.gradients + 2 * (self.recipe.main_gradients or self.recipe.gradients)
        return (self.layer_parameters / t + self.routed / (e * cut)) * each / self.memory

    def _ring_s(self, phases: float, size: Number, ranks: Number, stride: Number) -> Number:
        """Return the time of a ring's all-gather (one phase) or all-reduce (two) of a group; 0 for one rank."""
        do, constants = self.do, self.constants
        inside = do.maximum(1, do.minimum(ranks, do.floor(self.domain / stride)))
        domains = do.ceil(ranks / inside)
        crossings = do.where(domains > 1, domains, 0)
        R = inside * domains
        alpha = ((R - crossings) * constants.node_latency_s + crossings * constants.network_latency_s) / R
        both = do.minimum(inside / do.maximum(inside - 1, 1) * self.inside, inside * self.across)
        beta = do.where(domains == 1, self.inside, do.where(inside == 1, self.across, both))
        seconds = constants.call_latency_s + phases * ((R - 1) * alpha + (R - 1) / R * size / beta)
        return do.where((ranks > 1) & (size > 0), seconds, 0.0)

    def _tensor_s(self, t: Number, x: Number, keep: Number, into: tuple[Number, Number]) -> tuple[Number, Number]:
        """Return the time of a block's sum in one direction, and what a layer's two blocks leave exposed."""
        do, size = self.do, 2 * x * self.model.hidden
        half = self._ring_s(1, size, t, 1)
        sums = 2 * half
        exposed = 2 * sums * do.where(keep == 3, 2, 1)
        for own in into:
            hidden = own if self.constants.overlap_tensor else 0.0
            if self.constants.gather_again:
                exposed = exposed + half + 2 * do.maximum(0.0, half - hidden)
            else:
                exposed = exposed + do.maximum(0.0, sums - hidden)
        return sums, exposed

    def _context_s(self, t: Number, c: Number, b: Number, keep: Number, core: Number, back: Number) -> Number:
        do, attention = self.do, self.model.attention
        if isinstance(attention, LatentAttention):
            width = context_kv_width(self.model)
        else:
            width = do.floor(self._kept_heads(t)) * attention.head_size
        size = 4 * self.sequence * width * b
        forward = self._ring_s(1, size, c, t)
        backward = self._ring_s(1, size * (2 * c - 1) / do.maximum(c - 1, 1), c, t)
        if self.ring:
            return do.where(c > 1, do.maximum(0.0, forward - core) + do.maximum(0.0, backward - back), 0.0)
        return do.where(c > 1, forward * do.where(keep == 3, 2, 1) + backward, 0.0)

    def _expert_s(self, t: Number, c: Number, e: Number, cut: Number, x: Number, keep: Number) -> Number:
        do, mixture = self.do, self.model.experts
        assert mixture is not None
        inside = do.maximum(1, do.minimum(e, do.floor(self.domain / cut)))
        domains = do.ceil(e / inside)
        crossings, R = do.where(domains > 1, domains, 0), inside * domains
        alpha = ((R - crossings) * self.constants.node_latency_s + crossings * self.constants.network_latency_s) / R
        size = do.ceil(x * cut / t) * self.model.hidden * mixture.per_token * 2
        near, far = (inside - 1) / R * size / self.inside, (R - inside) / R * size / self.across
        once = self.constants.call_latency_s + (R - 1) * alpha + do.maximum(near, far)
        return do.where(e > 1, do.where(keep == 3, 6, 4) * once * self.share, 0.0)

    def _counts(self, p: Number, v: Number, uneven: Number) -> _Counts:
        do, L = self.do, self.model.layers
        each, places = L / p, p * v
        ends = (L % places != 0) & ((L + 2) % places == 0) & (p > 1)
        longer = do.where(ends, False, (uneven > 0) & (L % places != 0))
        base, over = do.floor(each), L % p
        middle = (L + 2) / p
        first = do.where(ends, middle - 1, do.where(longer, base + 1, each))
        short = do.where(ends, middle, do.where(longer, base, each))
        last = do.where(ends, middle - 1, do.where(longer, base, each))
        longs = do.where(longer, do.maximum(over - 1, 0), 0)
        return _Counts(first, base + 1, longs, short, do.maximum(p - 2 - longs, 0), last)

    def _waits(
        self, t: Number, groups: Number, e: Number, cut: Number, stage: Number, forward: Number, backward: Number
    ) -> _Waits:
        """Return what a stage waits for ZeRO 2's and 3's gathers and scatters of a micro-batch, by its layers."""
        do, recipe = self.do, self.recipe
        gather, reduce = (
            self._ring_s(1, width * self.layer_parameters / t, groups, t)
            for width in (recipe.parameters, recipe.gradients)
        )
        if self.routed:
            own, copies = self.routed / (e * cut), t * groups / (e * cut)
            gather = gather + self._ring_s(1, recipe.parameters * own, copies, e * cut)
            reduce = reduce + self._ring_s(1, recipe.gradients * own, copies, e * cut)
        here = (stage >= 2) & (groups > 1)
        gather, reduce = do.where(here & (stage == 3), gather, 0.0), do.where(here, reduce, 0.0)
        if not self.constants.overlap_gradients:
            return _Waits(0.0 * gather, reduce + 2 * gather, 0.0 * gather, 0.0 * gather)
        more = do.maximum(0.0, gather + reduce - backward)
        second = do.maximum(0.0, gather - backward) + do.maximum(0.0, reduce - backward)
        each = do.maximum(0.0, gather - forward)
        return _Waits(2 * gather + reduce - each, each, second, more)

    def _waited_s(self, waits: _Waits, layers: Number) -> Number:
        do = self.do
        more = do.where(layers > 1, waits.second + do.maximum(layers - 2, 0) * waits.more, 0.0)
        return do.where(layers > 0, waits.once + layers * waits.each + more, 0.0)

    def _head_s(self, t: Number, x: Number) -> Number:
        vocabulary = self.model.vocabulary / t
        seconds = 3 * self._matmul(x, self.model.hidden, vocabulary, 1, self.wide_rate)
        return seconds + 24 * x * vocabulary / self.memory if self.constants.count_bytes else seconds

    def _messages_s(self, z: Cuts, m: Number) -> Number:
        do, p = self.do, z.pipeline
        size = 2 * z.micro_batch * self.sequence / z.context * self.model.hidden / z.tensor
        message = self._neighbour_s(z, size)
        plain = 2 * message * do.floor((p - 1) * (m + p - 1) / p)
        return do.where(p > 1, do.where(z.chunks > 1, 2 * (p * z.chunks - 1) * message, plain), 0.0)

    def _neighbour_s(self, z: Cuts, size: Number) -> Number:
        """Return the time of a message between two pipeline stages."""
        do, stride = self.do, z.tensor * z.context * z.data
        near = do.maximum(1, do.minimum(z.pipeline, do.floor(self.domain / stride))) == z.pipeline
        alpha = do.where(near, self.constants.node_latency_s, self.constants.network_latency_s)
        return alpha + size / do.where(near, self.inside, self.across)

    def _gradients_s(self, z: Cuts, layer: _Layer, counts: _Counts) -> Number:
        do = self.do
        dense, expert = self._parameters(z.tensor, z.pipeline, z.expert, z.expert_tensor, counts.first, True)
        inner, inner_expert = self._parameters(z.tensor, z.pipeline, z.expert, z.expert_tensor, counts.short, False)
        fuller = (counts.shorts > 0) & (inner + inner_expert > dense + expert)
        layers = do.where(fuller, counts.short, counts.first)
        dense, expert = do.where(fuller, inner, dense), do.where(fuller, inner_expert, expert)
        groups, stride = z.context * z.data, z.expert * z.expert_tensor
        seconds = self._summed_s(z, layer, layers, dense, groups, z.tensor)
        if self.routed:
            seconds = seconds + self._summed_s(z, layer, layers, expert, z.tensor * groups / stride, stride)
        seconds = do.where(z.stage == 3, 0.0, seconds)
        if self.model.tied:
            size = self.recipe.gradients * self.table / z.tensor
            seconds = seconds + do.where(z.pipeline > 1, 2 * self._neighbour_s(z, size / 2), 0.0)
        return seconds

    def _summed_s(
        self, z: Cuts, layer: _Layer, layers: Number, parameters: Number, ranks: Number, stride: Number
    ) -> Number:
        """Return what is exposed once a step of a group's gradients and gathered parameters."""
        do, recipe = self.do, self.recipe
        reduce = self._ring_s(1, recipe.gradients * parameters, ranks, stride)
        gather = self._ring_s(1, recipe.parameters * parameters, ranks, stride)
        ahead, back = layers * layer.forward, layers * layer.backward
        sharded = self._beside(gather, ahead, layers) + do.where(z.stage == 1, self._beside(reduce, back, layers), 0.0)
        return do.where(z.stage == 0, self._beside(2 * reduce, back, layers), sharded)

    def _beside(self, seconds: Number, pass_s: Number, layers: Number) -> Number:
        if not self.constants.overlap_gradients:
            return seconds
        return self.do.maximum(seconds / layers, pass_s / layers + seconds - pass_s) * (seconds > 0)

    def _update_s(self, z: Cuts, counts: _Counts) -> Number:
        do, recipe = self.do, self.recipe
        dense, expert = self._parameters(z.tensor, z.pipeline, z.expert, z.expert_tensor, counts.first, True)
        groups = z.context * z.data
        copies = z.tensor * groups / (z.expert * z.expert_tensor)
        updated = do.where(z.stage > 0, dense / groups + expert / copies, dense + expert)
        weights = recipe.parameters if recipe.master else 2 * recipe.parameters
        fused = 3 * recipe.gradient_bytes + 2 * recipe.optimizer_bytes + weights
        return updated * (self.constants.update_bytes or fused) / self.memory

    # ------------------------------------------------------------------------------------------ a rank's memory

    def _parameters(
        self, t: Number, p: Number, e: Number, cut: Number, layers: Number, end: bool
    ) -> tuple[Number, Number]:
        """Return a rank's parameters of a stage with so many layers: dense ones and experts."""
        tables = self.do.where(p == 1, 1 if self.model.tied else 2, 1) * self.table if end else 0.0
        return (layers * self.layer_parameters + tables) / t, layers * self.routed / (e * cut)

    def _memory(self, z: Cuts, m: Number) -> tuple[tuple[Number, Number], tuple[Number, Number]]:
        """Return the bytes of a rank of the first stage and of the last, each with the layers' activations it holds."""
        do, counts, x = self.do, self._counts(z.pipeline, z.chunks, z.uneven), z.micro_batch * self.sequence / z.context
        kept, scores = self._kept_bytes(z.tensor, x)
        alone = 2 * x * self.model.hidden / z.tensor
        each = do.where(z.keep == 3, alone, kept + do.where(z.keep == 1, 0.0, scores))
        again = do.where(z.keep == 3, kept + scores, do.where(z.keep == 1, scores, 0.0))
        head = do.maximum(again, 8 * x * do.ceil(self.model.vocabulary / z.tensor))
        stages = []
        for layers, index, extra in (
            (counts.first, 0, do.where(z.pipeline == 1, head, again)),
            (counts.last, z.pipeline - 1, head),
        ):
            held = self._held(z, m, index) * layers
            state = self._state_bytes(
                z.tensor, z.pipeline, z.context * z.data, z.expert, z.expert_tensor, z.stage, layers
            )
            stages.append((state + held * each + extra, held))
        return stages[0], stages[1]

    def _held(self, z: Cuts, m: Number, index: Number) -> Number:
        """Return how many micro-batches of its layers a stage holds."""
        do, p, v = self.do, z.pipeline, z.chunks
        many = do.minimum(v * p * do.ceil(m / p), 2 * (p - index - 1) + (v - 1) * p + 1) / v
        return do.where(v == 1, do.minimum(m, p - index), do.minimum(m, many))

    def _state_bytes(
        self, t: Number, p: Number, groups: Number, e: Number, cut: Number, stage: Number, layers: Number
    ) -> Number:
        """Return weights, gradients, optimizer state and ZeRO's whole units of a stage with so many layers."""
        do, recipe = self.do, self.recipe
        dense, expert = self._parameters(t, p, e, cut, layers, True)
        copies = t * groups / (e * cut)
        sharded, whole = dense / groups + expert / copies, dense + expert
        state = recipe.parameters * do.where(stage >= 3, sharded, whole)
        state = state + recipe.gradient_bytes * do.where(stage >= 2, sharded, whole)
        state = state + recipe.optimizer_bytes * do.where(stage >= 1, sharded, whole)
        unit = do.where(groups > 1, self.layer_parameters / t, 0.0)
        if self.routed:
            unit = unit + do.where(copies > 1, do.minimum(expert, self.routed / self.share / (e * cut)), 0.0)
        return state + recipe.gradients * unit * (stage >= 2) + recipe.parameters * unit * (stage == 3)

    def _kept_bytes(self, t: Number, x: Number) -> tuple[Number, Number]:
        """Return what a layer keeps of a micro-batch without its scores, and those."""
        model = self.model
        attention, rows = model.attention, x * model.attention.heads / t
        scores = rows * (4 if self.flash else 5 * self.sequence)
        if model.feed_forward is not None and not model.feed_forward.gated:
            return 34 * x * model.hidden / t, scores
        if isinstance(attention, LatentAttention):
            query = attention.head_size + attention.rotary_size
            kept = attention.heads / t * 2 * (2 * query + 2 * attention.value_size)
            out = attention.heads / t * attention.value_size
        else:
            kept = 2 * (2 * attention.heads / t + 2 * self._kept_heads(t)) * attention.head_size
            out = attention.heads / t * attention.head_size
        stream, inner = (6, 5) if self.narrow else (8, 6)
        width = sum(part * size / t for size, _, part in self._inner_widths())
        sent = (2 - self.narrow) * self.share * (model.experts.per_token if model.experts else 0) * model.hidden / t
        return x * (stream * model.hidden / t + kept - self.narrow * out + inner * width + sent), scores
