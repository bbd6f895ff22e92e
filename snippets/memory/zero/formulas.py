"""Formulas: ZeRO, stages 0 to 3: bytes that a rank holds, elements that it sends, and what fits where.

Stage 0 is plain data parallelism. Stage 1 shards the optimizer's state over the ranks, stage 2 the gradients too,
stage 3 the parameters too. A shard is contiguous; where the ranks do not divide the parameters, the first few ranks
hold one element more.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import flag, integer_at_least, nonnegative_integer, one_of, positive_integer
from snippets.recipes import RECIPES, Recipe, StateBytes

STAGES = (0, 1, 2, 3)


@dataclass(frozen=True)
class ZeroTraffic:
    """What one rank sends and receives in one optimizer step, gradients and parameters apart.

    >>> ZeroTraffic(sent_gradients=3, sent_parameters=1, received_gradients=2, received_parameters=2).sent
    4
    """

    sent_gradients: int
    sent_parameters: int
    received_gradients: int
    received_parameters: int

    @property
    def sent(self) -> int:
        """All that the rank sends.

        >>> ZeroTraffic(1, 2, 3, 4).sent
        3
        """
        return self.sent_gradients + self.sent_parameters

    @property
    def received(self) -> int:
        """All that the rank receives.

        >>> ZeroTraffic(1, 2, 3, 4).received
        7
        """
        return self.received_gradients + self.received_parameters


def shard_length(elements: int | float, *, ranks: int, rank: int) -> int:
    """Return how many of the elements one rank holds.

    Formula: $\\left\\lceil \\frac{q - r}{R} \\right\\rceil$
    Symbols: q = elements; R = ranks; r = rank
    Chapter: 22

    Args:
        elements: how many in all, at least 0; ``7e9`` is taken for 7,000,000,000.
        ranks: ranks that share them.
        rank: which of them, from 0.

    Returns:
        Elements of this rank's shard: the quotient, and one more on the first ranks where there is a remainder.

    Source: the balanced contiguous split; its largest shard, on rank 0, is ⌈q/R⌉.
    Convention: no padding. DeepSpeed and FSDP pad every shard to the largest.
    Leaves out: tensors that an implementation does not cut.

    Example:
        >>> [shard_length(10, ranks=4, rank=rank) for rank in range(4)]
        [3, 3, 2, 2]
    """
    elements, ranks = nonnegative_integer("elements", elements), positive_integer("ranks", ranks)
    if integer_at_least("rank", rank, 0) >= ranks:
        raise ValueError(f"rank must be an integer of at most ranks − 1 = {ranks - 1}, got {rank}")
    return elements // ranks + (rank < elements % ranks)


def zero_bytes_per_parameter(*, ranks: int, stage: int, recipe: Recipe | str = "mixed-adam") -> float:
    """Return the bytes of model state that a rank holds for each parameter of the model.

    Also: FSDP bytes per parameter
    Formula: $w_\\text{p} + w_\\text{g} + w_\\text{o},\\; w_\\text{p} + w_\\text{g} + \\tfrac{w_\\text{o}}{R},\\;
        w_\\text{p} + \\tfrac{w_\\text{g} + w_\\text{o}}{R},\\; \\tfrac{w_\\text{p} + w_\\text{g} + w_\\text{o}}{R}$
    Symbols: in turn for stages 0 to 3, R = ranks; w_p, w_g, w_o = the recipe's bytes of weight, gradient and
        optimizer state
    Chapter: 22

    Args:
        ranks: ranks of the data-parallel group.
        stage: 0, 1, 2 or 3.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.

    Returns:
        Bytes a parameter: 16, 4 + 12/R, 2 + 14/R and 16/R with the default recipe.

    Source: Rajbhandari et al. 2020, section 5 and figure 1; Megatron-LM's distributed optimizer (6 + 12/R) is stage 1
        with the recipe ``"mixed-adam-fp32-gradients"``.
    Convention: the mean over ranks; ``zero_state_bytes`` gives each rank's own.
    Leaves out: activations, gathered parameters and other buffers.

    Example:
        >>> [zero_bytes_per_parameter(ranks=64, stage=stage) for stage in STAGES]
        [16.0, 4.1875, 2.21875, 0.25]
    """
    R, stage, kept = positive_integer("ranks", ranks), _stage(stage), RECIPES.find(recipe)
    w_p, w_g, w_o = kept.parameters, kept.gradient_bytes, kept.optimizer_bytes
    if stage == 0:
        return float(w_p + w_g + w_o)
    if stage == 1:
        return w_p + w_g + w_o / R
    if stage == 2:
        return w_p + (w_g + w_o) / R
    return (w_p + w_g + w_o) / R


def zero_state_bytes(
    parameters: int | float,
    *,
    ranks: int,
    stage: int,
    recipe: Recipe | str = "mixed-adam",
    rank: int = 0,
    reduce_each: bool = True,
) -> StateBytes:
    """Return the bytes of model state that one rank holds.

    Also: ZeRO memory, FSDP memory, sharded model states
    Formula: $w_\\text{p} N_3 + w_\\text{g} N_2 + w_\\text{o} N_1$
    Symbols: N_i = ⌈(N − r)/R⌉ where stage ≥ i, else N; N = parameters; R = ranks; r = rank; w_p, w_g, w_o = the
        recipe's bytes of weight, gradient and optimizer state
    Chapter: 22

    Args:
        parameters: parameters of the model, at least 0; ``7e9`` is taken for 7,000,000,000.
        ranks: ranks of the data-parallel group.
        stage: 0, 1, 2 or 3.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.
        rank: which rank; rank 0 holds the most.
        reduce_each: in stages 2 and 3, whether gradients are reduced as soon as a unit's are made, or kept whole over
            the micro-batches of a step and reduced in the end.

    Returns:
        Bytes of each kind, exact. Counts add: a model that is sharded unit by unit holds the sum over its units.

    Source: Rajbhandari et al. 2020, section 5 and table 1.
    Convention: bytes on one rank, without padding.
    Leaves out: activations; ``zero_buffer_bytes``.

    Example:
        >>> zero_state_bytes(7.5e9, ranks=64, stage=1).total / 1e9
        31.40625
    """
    count, stage, kept = nonnegative_integer("parameters", parameters), _stage(stage), RECIPES.find(recipe)
    shard = shard_length(count, ranks=ranks, rank=rank)
    flag("reduce_each", reduce_each)
    return StateBytes(
        parameters=kept.parameters * (shard if stage >= 3 else count),
        gradients=kept.gradient_bytes * (shard if stage >= 2 and reduce_each else count),
        optimizer=kept.optimizer_bytes * (shard if stage >= 1 else count),
    )


def zero_buffer_bytes(
    parameters: int | float,
    *,
    largest_unit: int | float,
    ranks: int,
    stage: int,
    recipe: Recipe | str = "mixed-adam",
    reduce_each: bool = True,
    gather_again: bool = True,
) -> int:
    """Return the bytes of whole units that a rank holds for a moment, besides its shards.

    Formula: $w_\\text{g} N_\\text{unit}\\,[z \\ge 2] + w_\\text{p} N_\\text{unit}\\,[z = 3]$
    Symbols: N_\\text{unit} = largest_unit; z = stage; w_p, w_g = the recipe's bytes of weight and of exchanged
        gradient. The first term is 0 without reduce_each; without gather_again the second has all parameters
    Chapter: 22

    Args:
        parameters: parameters of the model.
        largest_unit: parameters, at least 0, of the largest unit: the group of layers that is gathered and reduced at
            once.
        ranks: ranks of the data-parallel group; a single rank needs no buffer.
        stage: 0, 1, 2 or 3. Stage 2 makes a unit's whole gradient before it is reduced; stage 3 also gathers its
            parameters.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.
        reduce_each: as in ``zero_state_bytes``; if not, gradients are made in the whole buffer that is kept.
        gather_again: whether the backward pass gathers parameters again, or keeps what the forward pass gathered.

    Returns:
        Bytes, exact: the peak, in a backward pass that handles one unit at a time.

    Raises:
        ValueError: if an argument is out of its domain, or the unit is larger than the model.

    Source: derived; DeepSpeed's stage 3 estimate has the same 2 + 2 bytes for its largest layer.
    Convention: bytes on one rank.
    Leaves out: prefetching the next unit, which adds its parameters; receive buffers of the collectives.

    Example:
        >>> zero_buffer_bytes(2_851_000_000, largest_unit=32_000_000, ranks=8, stage=3)
        128000000
    """
    count, unit = nonnegative_integer("parameters", parameters), nonnegative_integer("largest_unit", largest_unit)
    ranks, stage, kept = positive_integer("ranks", ranks), _stage(stage), RECIPES.find(recipe)
    reduce_each, gather_again = flag("reduce_each", reduce_each), flag("gather_again", gather_again)
    if unit > count:
        raise ValueError(f"largest_unit must be at most parameters = {count}, got {largest_unit!r}")
    if ranks == 1:
        return 0
    gathered = (unit if gather_again else count) * (stage == 3)
    return kept.gradients * unit * (stage >= 2 and reduce_each) + kept.parameters * gathered


def zero_communication_elements(
    parameters: int | float,
    *,
    stage: int,
    ranks: int | None = None,
    micro_batches: int = 1,
    reduce_each: bool = True,
    gather_again: bool = True,
) -> float:
    """Return the elements that a rank sends in one optimizer step, the mean over ranks.

    Formula: $\\frac{R-1}{R}\\,(q_1 + q_2)\\, N$
    Symbols: N = parameters; R = ranks; q_1 = reduce-scatters and q_2 = all-gathers of the whole model in one step
    Chapter: 22

    Args:
        parameters: parameters of the model, at least 0; ``7e9`` is taken for 7,000,000,000.
        stage: 0, 1, 2 or 3.
        ranks: ranks of the data-parallel group; ``None`` for the limit of many.
        micro_batches: micro-batches whose gradients are accumulated in one step.
        reduce_each: in stages 2 and 3, whether each micro-batch's gradients are reduced at once (what sharding them
            asks for) or kept whole and reduced in the end (which costs stage 1's memory for gradients).
        gather_again: in stage 3, whether the backward pass gathers the parameters again or keeps what the forward
            pass gathered.

    Returns:
        Elements: 2N in stages 0 to 2 and 3N in stage 3, times (R − 1)/R. There is one reduce-scatter, or one for each
        micro-batch where each is reduced; one all-gather, or in stage 3 one or two for each micro-batch.

    Source: Rajbhandari et al. 2020, section 7 (2N, 2N, 2N, 3N).
    Convention: sent by one rank; it receives as many. Stage 0's all-reduce counts as both of its phases. Stage 1
        gathers updated parameters, never optimizer state.
    Leaves out: latency; how much of it hides behind computation; norms and loss scalars.

    Example:
        >>> [zero_communication_elements(10e9, stage=stage) / 1e9 for stage in STAGES]
        [20.0, 20.0, 20.0, 30.0]
        >>> zero_communication_elements(8, stage=3, ranks=4, micro_batches=2)
        36.0
    """
    elements = nonnegative_integer("parameters", parameters)
    reduces, gathers = _collectives(stage, micro_batches, reduce_each, gather_again)
    if ranks is None:
        return float((reduces + gathers) * elements)
    R = positive_integer("ranks", ranks)
    return (R - 1) * (reduces + gathers) * elements / R


def zero_traffic_elements(
    parameters: int | float,
    *,
    ranks: int,
    stage: int,
    rank: int = 0,
    micro_batches: int = 1,
    reduce_each: bool = True,
    gather_again: bool = True,
) -> ZeroTraffic:
    """Return the elements that one rank sends and receives in one optimizer step, by ring collectives.

    Formula: $q_1\\,(N - N_r) + q_2\\,(N - N_{r+1})$
    Symbols: N = parameters; N_r = the shard of rank r (ranks counted in a circle); q_1 = reduce-scatters and
        q_2 = all-gathers in one step. This is what rank r sends; it receives q_1 (N − N_{r−1}) + q_2 (N − N_r)
    Chapter: 22

    Args:
        parameters: parameters of the model, or of one unit of it, at least 0.
        ranks: ranks of the data-parallel group.
        stage: 0, 1, 2 or 3.
        rank: which rank.
        micro_batches: as in ``zero_communication_elements``.
        reduce_each: as there.
        gather_again: as there.

    Returns:
        Elements, exact. In stage 0 both phases of the all-reduce carry gradients; else the all-gather carries
        parameters. Counts add over units.

    Source: the ring of Patarasuk and Yuan 2009: rank r ends a reduce-scatter with chunk r, having sent all others.
    Convention: sent and received apart, on one rank; the sum over ranks of what is sent is (R − 1)(q_1 + q_2)N.
    Leaves out: other algorithms, which send as much only where shards are equal.

    Example:
        >>> zero_traffic_elements(10, ranks=4, stage=1, rank=1)
        ZeroTraffic(sent_gradients=7, sent_parameters=8, received_gradients=7, received_parameters=7)
    """
    count = nonnegative_integer("parameters", parameters)
    reduces, gathers = _collectives(stage, micro_batches, reduce_each, gather_again)
    own = shard_length(count, ranks=ranks, rank=rank)
    if ranks == 1:
        return ZeroTraffic(0, 0, 0, 0)
    after = shard_length(count, ranks=ranks, rank=(rank + 1) % ranks)
    before = shard_length(count, ranks=ranks, rank=(rank - 1) % ranks)
    sent, received = reduces * (count - own), reduces * (count - before)
    gathered_sent, gathered_received = gathers * (count - after), gathers * (count - own)
    if stage == 0:
        return ZeroTraffic(sent + gathered_sent, 0, received + gathered_received, 0)
    return ZeroTraffic(sent, gathered_sent, received, gathered_received)


def zero_traffic_bytes(
    parameters: int | float,
    *,
    ranks: int,
    stage: int,
    recipe: Recipe | str = "mixed-adam",
    rank: int = 0,
    micro_batches: int = 1,
    reduce_each: bool = True,
    gather_again: bool = True,
) -> ZeroTraffic:
    """Return the bytes that one rank sends and receives in one optimizer step, by ring collectives.

    Also: ZeRO communication volume, FSDP communication volume
    Formula: $w_\\text{g} q_\\text{g} + w_\\text{p} q_\\text{p}$
    Symbols: q_g, q_p = the elements of gradients and parameters in zero_traffic_elements; w_g, w_p = bytes of one
        of them in the recipe
    Chapter: 22

    Args:
        parameters: parameters of the model, or of one unit of it, at least 0.
        ranks: ranks of the data-parallel group.
        stage: 0, 1, 2 or 3.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own; its ``gradients`` and ``parameters`` travel.
        rank: which rank.
        micro_batches: as in ``zero_communication_elements``.
        reduce_each: as there.
        gather_again: as there.

    Returns:
        Bytes, exact.

    Source: ``zero_traffic_elements`` times the widths of the recipe.
    Convention: sent and received apart, on one rank.
    Leaves out: as ``zero_traffic_elements``.

    Example:
        >>> zero_traffic_bytes(10, ranks=4, stage=3, rank=1).sent
        46
    """
    kept = RECIPES.find(recipe)
    elements = zero_traffic_elements(
        parameters,
        ranks=ranks,
        stage=stage,
        rank=rank,
        micro_batches=micro_batches,
        reduce_each=reduce_each,
        gather_again=gather_again,
    )
    return ZeroTraffic(
        elements.sent_gradients * kept.gradients,
        elements.sent_parameters * kept.parameters,
        elements.received_gradients * kept.gradients,
        elements.received_parameters * kept.parameters,
    )


@dataclass(frozen=True)
class HybridTraffic:
    """Elements that one rank sends in one step of hybrid sharding, the mean over ranks.

    >>> HybridTraffic(inside=3.0, across=0.5).across
    0.5
    """

    inside: float
    across: float


def hybrid_shard_elements(
    parameters: int | float, *, shard_ranks: int, replicas: int, micro_batches: int = 1
) -> HybridTraffic:
    """Return the elements that a rank sends when stage 3 runs inside groups and the groups are replicas.

    Formula: $3 m\\, \\frac{R_\\text{shard}-1}{R_\\text{shard}}\\, N,\\quad
        2\\, \\frac{R-R_\\text{shard}}{R} \\cdot \\frac{N}{R_\\text{shard}}$
    Symbols: the first inside a group, the second across groups; N = parameters; R_\\text{shard} = shard_ranks;
        R = all ranks, shard_ranks × replicas; m = micro_batches
    Chapter: 22

    Args:
        parameters: parameters of the model, at least 0; ``7e9`` is taken for 7,000,000,000.
        shard_ranks: ranks of a group, among which a copy of the state is cut.
        replicas: groups.
        micro_batches: micro-batches whose gradients are accumulated in one step.

    Returns:
        Elements. Inside: two all-gathers and a reduce-scatter for each micro-batch. Across: one all-reduce of
        the rank's gradient shard, among the ranks that hold the same shard.

    Source: derived from ``zero_communication_elements``; Zhao et al. 2023 describe the strategy.
    Convention: sent by one rank; the ranks of a group send as many times what is across.
    Leaves out: that a framework may reduce across after each micro-batch; latency.

    Example:
        >>> traffic = hybrid_shard_elements(8e9, shard_ranks=8, replicas=8)
        >>> int(traffic.inside), int(traffic.across)
        (21000000000, 1750000000)
    """
    count = nonnegative_integer("parameters", parameters)
    group, copies = positive_integer("shard_ranks", shard_ranks), positive_integer("replicas", replicas)
    inside = zero_communication_elements(count, stage=3, ranks=group, micro_batches=micro_batches)
    return HybridTraffic(inside, 2 * (copies - 1) * count / (copies * group))


def least_ranks_to_fit(
    parameters: int | float,
    *,
    memory_bytes: int | float,
    stage: int,
    recipe: Recipe | str = "mixed-adam",
    other_bytes: int | float = 0,
) -> int | None:
    """Return the fewest ranks on which a model's state fits.

    Formula: $R = \\left\\lceil N \\Big/ \\left\\lfloor \\frac{M - M_0 - w_1 N}{w_2} \\right\\rfloor \\right\\rceil$
    Symbols: R = the result; N = parameters; M = memory_bytes; M_0 = other_bytes; w_1 and w_2 = the recipe's bytes of
        what the stage leaves whole and of what it shards
    Chapter: 22

    Args:
        parameters: parameters of the model; ``7e9`` is taken for 7,000,000,000.
        memory_bytes: memory of one device, at least 0; an exponent is taken likewise.
        stage: 0, 1, 2 or 3.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.
        other_bytes: what else each device must hold: activations, buffers.

    Returns:
        Ranks, or ``None`` where no number of them is enough.

    Source: ``zero_state_bytes`` of rank 0, solved for R.
    Convention: the fullest rank must fit.
    Leaves out: fragmentation; that a framework takes a share of the memory for itself.

    Example:
        >>> [least_ranks_to_fit(7e9, memory_bytes=80e9, stage=stage) for stage in STAGES]
        [None, 2, 2, 2]
    """
    count, free = positive_integer("parameters", parameters), nonnegative_integer("memory_bytes", memory_bytes)
    whole, sharded = _whole_and_sharded(_stage(stage), RECIPES.find(recipe))
    room = free - nonnegative_integer("other_bytes", other_bytes) - whole * count
    if room < 0:
        return None
    if sharded == 0:
        return 1
    return -(-count // (room // sharded)) if room >= sharded else None


def largest_model_parameters(
    *, memory_bytes: int | float, ranks: int, stage: int, recipe: Recipe | str = "mixed-adam", model_parallel: int = 1
) -> int:
    """Return the most parameters whose model state fits.

    Formula: $N \\approx \\frac{q\\, M}{w_1 + w_2 / R}$
    Symbols: N = the result; M = memory_bytes; R = ranks; q = model_parallel; w_1 and w_2 = the recipe's bytes of what
        the stage leaves whole and of what it shards
    Chapter: 22

    Args:
        memory_bytes: memory of one device for model state, at least 0; ``32e9`` is taken for 32,000,000,000.
        ranks: ranks of the data-parallel group.
        stage: 0, 1, 2 or 3.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own; it must need some byte.
        model_parallel: devices among which each copy of the model is cut beforehand, evenly.

    Returns:
        Parameters, exact: the largest whose fullest rank still fits, times ``model_parallel``.

    Source: Rajbhandari et al. 2020, table 2 (theoretical columns).
    Convention: bytes as given: 32 GB is 32·10⁹. Shards without padding.
    Leaves out: activations, buffers and fragmentation, which leave less.

    Example:
        >>> largest_model_parameters(memory_bytes=32e9, ranks=64, stage=1) / 1e9
        7.641791042
    """
    memory, ranks = nonnegative_integer("memory_bytes", memory_bytes), positive_integer("ranks", ranks)
    copies, kept = positive_integer("model_parallel", model_parallel), RECIPES.find(recipe)
    whole, sharded = _whole_and_sharded(_stage(stage), kept)
    if kept.bytes_per_parameter == 0:
        raise ValueError(f"recipe must need at least one byte a parameter, got {recipe!r}")
    # The fullest shard q is as large as (q − 1)·ranks + 1 parameters allow; then as many parameters as fit beside it.
    shard = (memory + whole * (ranks - 1)) // (whole * ranks + sharded)
    most = shard * ranks
    return copies * (min(most, (memory - sharded * shard) // whole) if whole else most)


def partitioned_activation_overhead(*, all_reduces: int = 6) -> float:
    """Return the share by which partitioned activations (P_a) raise tensor parallelism's traffic.

    Formula: $\\frac{1}{2 q}$
    Symbols: q = all_reduces
    Chapter: 22

    Args:
        all_reduces: all-reduces of one transformer block in one step: 2 forward, 2 repeated, 2 backward.

    Returns:
        A share: one all-gather of the block's input against so many all-reduces of the same size.

    Source: Rajbhandari et al. 2020, section 8 ("less than 10%": 1/12).
    Convention: volume per rank in the limit of many; an all-reduce moves twice what an all-gather does.
    Leaves out: offloading the activations (P_a+cpu), which moves them over the host's link twice.

    Example:
        >>> f"{partitioned_activation_overhead():.1%}"
        '8.3%'
    """
    return 1 / (2 * positive_integer("all_reduces", all_reduces))


def _stage(stage: int) -> int:
    return nonnegative_integer("stage", one_of("stage", stage, STAGES))  # not True, which equals 1


def _whole_and_sharded(stage: int, kept: Recipe) -> tuple[int, int]:
    """Bytes per parameter that a stage leaves on every rank, and bytes that it spreads."""
    whole = kept.parameters * (stage < 3) + kept.gradient_bytes * (stage < 2) + kept.optimizer_bytes * (stage < 1)
    return whole, kept.bytes_per_parameter - whole


def _collectives(stage: int, micro_batches: int, reduce_each: bool, gather_again: bool) -> tuple[int, int]:
    """Reduce-scatters and all-gathers of the whole model in one step."""
    stage, passes = _stage(stage), positive_integer("micro_batches", micro_batches)
    reduce_each, gather_again = flag("reduce_each", reduce_each), flag("gather_again", gather_again)
    reduces = passes if stage >= 2 and reduce_each else 1
    gathers = passes * (1 + gather_again) if stage == 3 else 1
    return reduces, gathers
