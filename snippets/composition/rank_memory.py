"""Formulas: what one rank of a layout holds: its parameters, their state, activations and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from snippets.composition.layer_times import ATTENTIONS
from snippets.composition.layouts import Layout, check_layout, stage_layers
from snippets.domain import Answers, each, integer_at_least, named, of_kind, positive_integer
from snippets.hardware import ACCELERATORS, DTYPES, Accelerator
from snippets.memory.memory_equation.activations import layer_activation_bytes, logits_bytes
from snippets.memory.zero.formulas import zero_buffer_bytes, zero_state_bytes
from snippets.models import MODELS, LatentAttention, Transformer, parameter_parts
from snippets.parallelism.pipeline.formulas import interleaved_peak_activations, one_f_one_b_peak_activations
from snippets.parallelism.tensor.formulas import key_value_heads_per_rank
from snippets.recipes import RECIPES, Recipe

ENGINES = ("megatron", "fsdp2")


class RankParameters(NamedTuple):
    """Parameters of one rank: those that all ranks of context and data hold too, and its experts.

    >>> RankParameters(3, 4).total
    7
    """

    dense: int
    expert: int

    @property
    def total(self) -> int:
        """Both.

        >>> RankParameters(1, 1).total
        2
        """
        return self.dense + self.expert


def rank_parameters(model: Transformer | str, layout: Layout, *, stage: int = 0) -> RankParameters:
    """Return the parameters of one rank of a pipeline stage, before ZeRO shards them.

    Formula: $\\frac{1}{t}\\left(\\frac{L_i}{L}\\,(N - N_0 - N_\\text{routed}) + V h\\right) \\;\\text{ and }\\;
        \\frac{L_i}{L}\\,\\frac{N_\\text{routed}}{e}$
    Symbols: L_i = layers of the stage; L = all layers; N = parameter_count(model); N_0 = its tables and head;
        N_\\text{routed} = its routed experts; V h = the token table on the first stage, the head on the last; t, e =
        the layout's tensor and expert
    Chapter: 26

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        layout: the layout.
        stage: which pipeline stage, from 0.

    Returns:
        Parameters, rounded up.

    Source: derived in this book; ``first_stage_parameters`` where stages are even and there are no experts.
    Convention: everything is cut evenly, norms too; layers count as their mean. A tied table is on both ends.
    Leaves out: learned positions; that tensor parallelism leaves norms and routers whole.

    Example:
        >>> rank_parameters("Llama 3 70B", Layout(tensor=8, pipeline=4, data=8))
        RankParameters(dense=2270470400, expert=0)
    """
    found = MODELS.find(model)
    of_kind("layout", layout, Layout)
    counts = stage_layers(found.layers, stages=layout.pipeline, chunks=layout.chunks, uneven=layout.uneven)
    index = integer_at_least("stage", stage, 0)
    if index >= layout.pipeline:
        raise ValueError(f"stage must be at most pipeline − 1 = {layout.pipeline - 1}, got {stage!r}")
    parts = parameter_parts(found)
    outside = parts.token_embedding + parts.position_embedding + parts.head
    share = counts[index] / found.layers
    table = found.vocabulary * found.hidden
    tables = table * (index == 0) + table * (index == layout.pipeline - 1 and not (found.tied and layout.pipeline == 1))
    dense = ((parts.total - outside - parts.routed_experts) * share + tables) / layout.tensor
    expert = parts.routed_experts * share / (layout.expert * layout.expert_tensor)
    return RankParameters(-int(-dense // 1), -int(-expert // 1))


def layer_kept_bytes(
    model: Transformer | str, layout: Layout, *, sequence: int, attention: str = "flash", dtype: str = "bf16"
) -> int:
    """Return the bytes that one layer keeps of a micro-batch for its backward pass, on one rank.

    A GPT with dropout is Korthikanti's (``layer_activation_bytes``). Else the layer keeps the inputs of its norms,
    projections and activation function, and what the attention needs.

    Formula: $x\\left(\\frac{8h}{t_\\text{seq}} + \\frac{2\\,(2a + 2a_\\text{kv})\\,h_\\text{head} + 4a +
        6 h_\\text{ff} + 2kh}{t}\\right)$
    Symbols: x = the micro-batch's tokens on a rank; h = hidden; a = heads; a_\\text{kv} = heads of keys; h_\\text{head}
        = their width; h_\\text{ff} = inner width of a gated block, of all experts of a token; k = experts of a token,
        to each of which a copy of it is sent; t = the layout's tensor; t_\\text{seq} = t with sequence_parallel, else
        1. With attention "standard" 4a is 5a for each token of a sequence; selective recomputation drops either, full
        recomputation leaves 2xh/t_\\text{seq}
    Chapter: 26

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        layout: the layout.
        sequence: tokens of a sequence.
        attention: ``"standard"``, which keeps 5 bytes of each score (the softmax's result, a dropout's mask, what it
            leaves), or ``"flash"``, which keeps 4 bytes of each row of them.
        dtype: of the weights' matmuls; with ``"fp8"`` a gated layer keeps their inputs, but no other tensor, in 1 byte,
            as with ``"fp4"``, of which it keeps two copies, one for each order of the backward pass.

    Returns:
        Bytes.

    Source: derived in this book, tensor by tensor; Korthikanti et al. 2022 for a GPT.
    Convention: 2 bytes a number; where layers differ, a mean one. A context rank has its own queries' scores with all
        keys.
    Leaves out: temporaries; latents of a latent attention, which are made again; masks of dropouts outside a gated
        layer's attention.

    Example:
        >>> layer_kept_bytes("Llama 3 70B", Layout(tensor=8), sequence=8192) / 2**20
        268.25
    """
    found = MODELS.find(model)
    named("attention", attention, ATTENTIONS)
    tokens = max(1, positive_integer("sequence", sequence) // of_kind("layout", layout, Layout).context)
    scores = _score_bytes(found, layout, tokens=tokens, sequence=int(sequence), attention=attention)
    if _has_dropout(found):
        return scores + layer_activation_bytes(
            sequence=tokens,
            micro_batch=layout.micro_batch,
            hidden=found.hidden,
            heads=found.attention.heads,
            tensor_parallel=layout.tensor,
            sequence_parallel=layout.sequence_parallel,
            recomputation="full" if layout.recompute == "full" else "selective",
        )
    x, cut = tokens * layout.micro_batch, layout.tensor if layout.sequence_parallel else 1
    if layout.recompute == "full":
        return 2 * x * found.hidden // cut
    narrow = named("dtype", dtype, DTYPES) in ("fp8", "fp4")
    stream, inner = (6, 5) if narrow else (8, 6)
    kept = _attention_kept(found, layout) - narrow * _attention_out(found, layout)
    sent = (1 if narrow else 2) * _sent_copies(found) * found.hidden / layout.tensor
    return scores + round(x * (stream * found.hidden / cut + kept + inner * _inner_width(found, layout) + sent))


MODULES = ("layernorm", "mla_up_proj", "moe_act", "mlp")


def module_kept_bytes(
    model: Transformer | str, layout: Layout, *, sequence: int, modules: Sequence[str], dtype: str = "bf16"
) -> int:
    """Return what one layer would keep of a micro-batch for modules that it makes again instead, on one rank.

    Also: recompute_modules, selective recomputation of Megatron Core
    Formula: $x\\left(\\frac{4h}{t_\\text{seq}} + \\frac{2a\\,(2h_\\text{q} + h_\\text{v})}{t} +
        \\frac{2k\\,h_\\text{e}}{t} + \\frac{6h_\\text{ff}}{t}\\right)$
    Symbols: x = the micro-batch's tokens on a rank; h = hidden; t = the layout's tensor; t_\\text{seq} = t with
        sequence_parallel, else 1; a = heads; h_\\text{q}, h_\\text{v} = widths of a query and of a value; k = experts
        of a token; h_\\text{e}, h_\\text{ff} = inner widths of an expert and of a dense block; a term for each of
        "layernorm", "mla_up_proj", "moe_act" and "mlp"
    Chapter: 29

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        layout: the layout.
        sequence: tokens of a sequence.
        modules: of ``MODULES``, each once.
        dtype: as in ``layer_kept_bytes``.

    Returns:
        Bytes; 0 for a module that the model has not.

    Source: Megatron Core, ``recompute_modules``; derived from ``layer_kept_bytes``.
    Convention: 2 bytes a number; 1 for the inputs of matmuls in fp8 and fp4. Where layers differ, a mean one.
    Leaves out: what is there again while a layer makes it.

    Example:
        >>> module_kept_bytes("Llama 3 70B", Layout(tensor=8), sequence=8192, modules=["layernorm"]) / 2**20
        32.0
    """
    found, of = MODELS.find(model), of_kind("layout", layout, Layout)
    wanted = each("modules", modules, lambda name, module: named(name, module, MODULES))
    x = of.micro_batch * max(1, positive_integer("sequence", sequence) // of.context)
    wide = 1 if named("dtype", dtype, DTYPES) in ("fp8", "fp4") else 2
    share, attention, mixture, dense = (
        found.expert_layers / found.layers,
        found.attention,
        found.experts,
        found.feed_forward,
    )
    sizes = {
        "layernorm": 2 * wide * found.hidden / (of.tensor if of.sequence_parallel else 1),
        "mla_up_proj": 0.0,
        "moe_act": wide * share * mixture.per_token * mixture.width / of.tensor if mixture else 0.0,
        "mlp": (4 + wide) * (1 - share) * dense.width / of.tensor if dense else 0.0,
    }
    if isinstance(attention, LatentAttention):
        query = attention.head_size + attention.rotary_size
        sizes["mla_up_proj"] = 2 * attention.heads / of.tensor * (2 * query + attention.value_size)
    return round(x * sum(sizes[module] for module in dict.fromkeys(wanted)))


def _score_bytes(model: Transformer, layout: Layout, *, tokens: int, sequence: int, attention: str) -> int:
    """Return what a layer keeps of its scores on one rank: they themselves, or a number of each row of them."""
    if layout.recompute != "none":
        return 0
    rows = layout.micro_batch * tokens * model.attention.heads
    return rows * (4 if named("attention", attention, ATTENTIONS) == "flash" else 5 * sequence) // layout.tensor


def _has_dropout(model: Transformer) -> bool:
    return model.feed_forward is not None and not model.feed_forward.gated


def _attention_kept(model: Transformer, layout: Layout) -> float:
    attention, t = model.attention, layout.tensor
    if isinstance(attention, LatentAttention):
        query = attention.head_size + attention.rotary_size
        return attention.heads / t * 2 * (2 * query + 2 * attention.value_size)
    kept = key_value_heads_per_rank(heads=attention.heads, key_value_heads=attention.key_value_heads, tensor_parallel=t)
    return 2 * (2 * attention.heads / t + 2 * kept) * attention.head_size


def _attention_out(model: Transformer, layout: Layout) -> float:
    """Return the numbers of a token that the attention hands to its output projection, on one rank."""
    attention = model.attention
    return attention.heads / layout.tensor * float(getattr(attention, "value_size", attention.head_size))


def _sent_copies(model: Transformer) -> float:
    """Return how many copies of a token are the inputs of routed experts in a mean layer."""
    return model.expert_layers / model.layers * model.experts.per_token if model.experts else 0.0


def _inner_width(model: Transformer, layout: Layout) -> float:
    """Return the inner width of all blocks that a token meets in a mean layer, on one rank."""
    share, t = model.expert_layers / model.layers, layout.tensor
    width = (1 - share) * model.feed_forward.width / t if model.feed_forward else 0.0
    if model.experts:
        width += share * (model.experts.per_token + model.experts.shared) * model.experts.width / t
    return width


def held_micro_batches(layout: Layout, *, micro_batches: int, stage: int = 0) -> float:
    """Return how many micro-batches' activations a pipeline stage holds at its peak.

    Formula: $\\min(m, p - i) \\;\\text{ or }\\; \\tfrac1v \\min\\bigl(vm,\\; 2(p-i-1)+(v-1)p+1\\bigr)$
    Symbols: m = micro_batches; p, v = the layout's pipeline and chunks; i = stage; the second for v > 1
    Chapter: 26

    Args:
        layout: the layout.
        micro_batches: of a step.
        stage: which stage, from 0.

    Returns:
        Micro-batches of all the layers of the stage; a fraction with chunks.

    Source: chapter 18's counts.
    Convention: 1F1B, or interleaved.
    Leaves out: other schedules.

    Example:
        >>> held_micro_batches(Layout(pipeline=8), micro_batches=64), held_micro_batches(
        ...     Layout(pipeline=8, chunks=2), micro_batches=64
        ... )
        (8, 11.5)
    """
    of_kind("layout", layout, Layout)
    micro_batches = positive_integer("micro_batches", micro_batches)
    sizes = {"stages": layout.pipeline, "micro_batches": micro_batches, "stage": stage}
    if layout.chunks == 1:
        return one_f_one_b_peak_activations(**sizes)
    whole = layout.pipeline * -(-micro_batches // layout.pipeline)
    sizes["micro_batches"] = whole
    return min(micro_batches, interleaved_peak_activations(**sizes, chunks=layout.chunks) / layout.chunks)


@dataclass(frozen=True)
class RankMemory(Answers):
    """Bytes that one rank holds at its peak, by kind.

    >>> RankMemory(weights=2, gradients=2, optimizer=12, activations=3, buffers=1).total
    20
    """

    weights: float
    gradients: float
    optimizer: float
    activations: float
    buffers: float

    @property
    def total(self) -> float:
        """The sum of all kinds.

        >>> RankMemory(1, 2, 3, 4, 5).total
        15
        """
        return self.weights + self.gradients + self.optimizer + self.activations + self.buffers

    @property
    def state(self) -> float:
        """Weights, gradients and optimizer state.

        >>> RankMemory(1, 2, 3, 4, 5).state
        6
        """
        return self.weights + self.gradients + self.optimizer


def rank_memory(
    model: Transformer | str,
    layout: Layout,
    *,
    batch_sequences: int,
    sequence: int,
    stage: int = 0,
    recipe: Recipe | str = "mixed-adam",
    attention: str = "flash",
    dtype: str = "bf16",
    logit_bytes: int | None = None,
    engine: str = "megatron",
) -> RankMemory:
    """Return the bytes that one rank of a pipeline stage holds at its peak.

    Formula: $M = w_\\text{p} N_3 + w_\\text{g} N_2 + w_\\text{o} N_1 + q_i L_i A + A_0 + M_\\text{buffer}$
    Symbols: N_1, N_2, N_3 = the rank's parameters (rank_parameters), over c·d where ZeRO's stage is at least 1, 2, 3;
        q_i = held_micro_batches; L_i = layers of the stage; A = layer_kept_bytes; A_0 = the larger of the logits with
        their gradient on the last stage, and what of one layer is made again; M_\\text{buffer} = whole units of ZeRO
    Chapter: 26

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        layout: the layout.
        batch_sequences: sequences of a step, of all ranks together.
        sequence: tokens of each.
        stage: which pipeline stage, from 0; −1, the only negative one, for the last.
        recipe: bytes of state for a parameter.
        attention: as in ``layer_kept_bytes``.
        dtype: as there.
        logit_bytes: bytes of a logit at the peak: 8 for its value and its gradient in fp32; 14 where a loss that is not
            fused holds it in bf16, in fp32, its softmax and the gradient besides (PyTorch's cross-entropy of floats);
            16 where that loss is cut among tensor ranks (PyTorch's loss_parallel, whose backward pass holds the
            logarithms, their exponentials, the gradient and a sum). By default the engine's.
        engine: ``"megatron"``; or ``"fsdp2"``, which is PyTorch's: tensor parallelism keeps whole what it has gathered
            for a matmul, the head's weights are gathered as a unit of their own, selective recomputation keeps every
            other matmul's result and the attention's, and in a pipeline stage 3 keeps its weights gathered in 2 bytes,
            the gradients whole until the last micro-batch, and each chunk's output.

    Returns:
        Bytes by kind.

    Raises:
        ValueError: if the layout cannot run the model.

    Source: chapters 18, 21, 22 and 23, whose formulas this calls; of "fsdp2": torch/distributed (fsdp, pipelining/
        stage.py, tensor/parallel/loss.py) and torchtitan's parallelize.py.
    Convention: rank 0 of the stage, which holds the most. The unit of stages 2 and 3 is a layer with
        the rank's experts.
    Leaves out: with "megatron" the tables and the head as units, which may be larger; a layer that is gathered ahead;
        communicators, workspaces, fragmentation; a head that is computed in pieces.

    Example:
        >>> layout = Layout(tensor=8, pipeline=4, data=8)
        >>> held = rank_memory("Llama 3 70B", layout, batch_sequences=512, sequence=8192)
        >>> round(held.state / 1e9, 1), round(held.activations / 1e9, 1)
        (12.5, 22.5)
    """
    found = MODELS.find(model)
    check_layout(found, layout, batch_sequences=batch_sequences, sequence=sequence)
    sequence = int(sequence)
    index = integer_at_least("stage", stage, -1)
    index = layout.pipeline - 1 if index == -1 else index
    if logit_bytes is not None:
        logit_bytes = positive_integer("logit_bytes", logit_bytes)
    torch = named("engine", engine, ENGINES) == "fsdp2"
    own = rank_parameters(found, layout, stage=index)
    kept = RECIPES.find(recipe)
    zero: dict[str, Any] = {"stage": layout.stage, "recipe": kept}
    dense = zero_state_bytes(own.dense, ranks=layout.gradient_ranks, **zero)
    expert = zero_state_bytes(own.expert, ranks=layout.expert_gradient_ranks, **zero)
    held = held_micro_batches(layout, micro_batches=layout.micro_batches(batch_sequences), stage=index)
    layers = stage_layers(found.layers, stages=layout.pipeline, chunks=layout.chunks, uneven=layout.uneven)[index]
    sizes: dict[str, Any] = {"sequence": sequence, "attention": attention, "dtype": dtype}
    each = _torch_kept_bytes(found, layout, **sizes) if torch else layer_kept_bytes(found, layout, **sizes)
    activations = held * layers * each
    again = _again_bytes(found, layout, each, torch=torch, **sizes)
    last = index == layout.pipeline - 1
    at_head = _logits_bytes(found, layout, sequence, _logit_bytes(layout, logit_bytes, torch=torch)) if last else 0
    buffers = _unit_buffer_bytes(found, layout, own, layers, kept)
    if torch:
        stream = _stream_bytes(found, layout, sequence)
        at_head += last * _whole_input_bytes(layout, stream)
        if layout.pipeline > 1:
            activations += held * layout.chunks * stream / (layout.tensor if layout.sequence_parallel else 1)
        buffers += _torch_buffer_bytes(found, layout, own, kept, last=last)
    activations += max(again, at_head)
    return RankMemory(
        weights=dense.parameters + expert.parameters,
        gradients=dense.gradients + expert.gradients,
        optimizer=dense.optimizer + expert.optimizer,
        activations=activations,
        buffers=buffers,
    )


def held_recipe(accelerator: Accelerator | str, dtype: str, *, recipe: Recipe | str = "mixed-adam") -> Recipe:
    """Return the bytes of state for a parameter where matmuls' weights are kept in their own narrow format alone.

    Formula: $w_\\text{p} = 1 \\text{ or } 2$
    Symbols: w_p = bytes of a weight: 1 with fp8 or fp4 on a device that multiplies in any layout; 2 on Hopper, whose
        fp8 matmuls want a transposed copy besides, and with wider formats as the recipe says
    Chapter: 29

    Args:
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.
        dtype: of the weights' matmuls.
        recipe: the state otherwise, with weights of 2 bytes.

    Returns:
        The recipe, its weights 1 byte where one copy is enough.

    Source: Transformer Engine's documentation, "Handling transposes". MLPerf's 405B holds, on H100, 1% less than is
        predicted so, and on GB200 within 4% of it.
    Convention: Blackwell's parts are those that list a peak for fp4, which is kept twice, in half a byte.
    Leaves out: scales of blocks; tables, norms and the head, which stay in 2 bytes.

    Example:
        >>> [held_recipe(name, "fp8").parameters for name in ("H100 SXM", "GB200")]
        [2, 1]
    """
    kept, device = RECIPES.find(recipe), ACCELERATORS.find(accelerator)
    narrow = named("dtype", dtype, DTYPES) in ("fp8", "fp4") and device.peaks.fp4 is not None
    if not narrow or kept.parameters != 2:
        return kept
    return replace(kept, name=f"{kept.name}, weights in {dtype}", parameters=1)


def _again_bytes(model: Transformer, layout: Layout, kept: int, *, torch: bool, **sizes: Any) -> int:
    """Return what one layer keeps while it is made again: all of it, or with selective recomputation the rest of it."""
    if layout.recompute == "none":
        return 0
    bare = replace(layout, recompute="none")
    whole = _torch_kept_bytes(model, bare, **sizes) if torch else layer_kept_bytes(model, bare, **sizes)
    return whole if layout.recompute == "full" else whole - kept


def _stream_bytes(model: Transformer, layout: Layout, sequence: int) -> int:
    """Return a micro-batch's tokens of one rank of context, in 2 bytes a number."""
    return 2 * layout.micro_batch * max(1, sequence // layout.context) * model.hidden


def _whole_input_bytes(layout: Layout, stream: int) -> int:
    """Return what a matmul's gathered input has besides the rank's own part of it."""
    return stream - stream // layout.tensor if layout.sequence_parallel else 0


def _torch_kept_bytes(model: Transformer, layout: Layout, *, sequence: int, attention: str, dtype: str) -> int:
    """Return what one layer keeps in PyTorch: the gathered inputs of both blocks besides, or what a policy names."""
    kept = layer_kept_bytes(model, layout, sequence=sequence, attention=attention, dtype=dtype)
    if layout.recompute == "full":
        return kept
    stream = _stream_bytes(model, layout, sequence)
    whole = 2 * _whole_input_bytes(layout, stream)
    if layout.recompute == "none":
        return kept + whole
    tokens, cut = stream // (2 * model.hidden), layout.tensor if layout.sequence_parallel else 1
    products = _attention_kept(model, layout) - _key_bytes(model, layout) + 2 * _inner_width(model, layout)
    rows = 4 * tokens * model.attention.heads // layout.tensor
    return rows + round(tokens * (2 * 2 * model.hidden / cut + products))


def _key_bytes(model: Transformer, layout: Layout) -> float:
    """Return the bytes of a token's keys on one rank: of queries, keys and values the one product that goes."""
    attention, t = model.attention, layout.tensor
    if isinstance(attention, LatentAttention):
        return 2 * attention.heads / t * (attention.head_size + attention.rotary_size)
    kept = key_value_heads_per_rank(heads=attention.heads, key_value_heads=attention.key_value_heads, tensor_parallel=t)
    return 2 * kept * attention.head_size


def _logit_bytes(layout: Layout, given: int | None, *, torch: bool) -> int:
    if given is not None:
        return given
    return (16 if layout.tensor > 1 else 14) if torch else 8


def _torch_buffer_bytes(model: Transformer, layout: Layout, own: RankParameters, recipe: Recipe, *, last: bool) -> int:
    """Return what FSDP holds whole besides a layer: the head, or in a pipeline all weights and gradients of a stage."""
    if layout.stage < 3 or layout.gradient_ranks == 1:
        return 0
    if layout.pipeline > 1:
        return own.total * (2 + recipe.gradients)
    return last * 2 * model.vocabulary * model.hidden // layout.tensor


def _logits_bytes(model: Transformer, layout: Layout, sequence: int, element_bytes: int) -> int:
    """Return the logits at their peak, of a vocabulary that is padded so that it can be cut."""
    if not element_bytes:
        return 0
    return logits_bytes(
        sequence=sequence // layout.context,
        micro_batch=layout.micro_batch,
        vocabulary=-(-model.vocabulary // layout.tensor) * layout.tensor,
        element_bytes=element_bytes,
        tensor_parallel=layout.tensor,
    )


def _unit_buffer_bytes(model: Transformer, layout: Layout, own: RankParameters, layers: int, recipe: Recipe) -> int:
    """Return the bytes of ZeRO's whole units: a layer's, of dense weights and of the experts it may have."""
    table = model.vocabulary * model.hidden // layout.tensor
    ends = 1 if layout.pipeline > 1 or model.tied else 2
    unit = max(0, own.dense - ends * table) // layers if own.dense > ends * table else own.dense // layers
    zero: dict[str, Any] = {"stage": layout.stage, "recipe": recipe}
    dense = zero_buffer_bytes(own.dense, largest_unit=min(own.dense, unit), ranks=layout.gradient_ranks, **zero)
    if not own.expert:
        return dense
    dealt = model.expert_layers * layout.expert * layout.expert_tensor
    unit = min(own.expert, parameter_parts(model).routed_experts // dealt)
    return dense + zero_buffer_bytes(own.expert, largest_unit=unit, ranks=layout.expert_gradient_ranks, **zero)
