"""Formulas: five questions that are asked often, each answered with rows that name the formula behind every number.

A question composes the book's formulas and has none of its own. What a row counts by, and who printed its formula, is
read from the docstring of the function that computed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from snippets.all_reduce import ring_all_reduce_bytes
from snippets.background.linear_algebra.formulas import gemm_arithmetic_intensity, gemm_flops, gemm_words
from snippets.collectives.algorithm_costs import algorithm_cost, best_collective_segments, compare_algorithms
from snippets.collectives.costs_and_bounds.bus_bandwidth import (
    algorithm_bandwidth_bytes_per_s,
    bandwidth_bound_s,
    bus_bandwidth_bytes_per_s,
)
from snippets.collectives.topology.formulas import (
    all_reduce_dimension_bytes,
    hierarchical_all_reduce_time_s,
    many_rings_time_s,
    node_all_reduce_bound_s,
)
from snippets.collectives.traffic import collective_traffic
from snippets.domain import (
    at_most,
    flag,
    integer_at_least,
    named,
    nonnegative_integer,
    nonnegative_number,
    number_between,
    one_of,
    positive_integer,
    positive_number,
)
from snippets.flops import training_flops, training_time_s
from snippets.foundations.economics.formulas import device_hours, training_bill_usd
from snippets.foundations.roofline.formulas import (
    ceiling_times_s,
    compute_bound_batch,
    roofline_flops_per_s,
    roofline_time_s,
)
from snippets.hardware import ACCELERATORS, DTYPES, LINKS, NODES, dense_peak_flops_per_s, ridge_flops_per_byte
from snippets.index import labelled
from snippets.memory.memory_equation.activations import ATTENTIONS, RECOMPUTATIONS, layer_activation_bytes, logits_bytes
from snippets.memory.memory_equation.model_parallel import first_stage_activation_bytes, first_stage_parameters
from snippets.memory.zero.formulas import STAGES, least_ranks_to_fit, zero_buffer_bytes, zero_state_bytes
from snippets.models import MODELS, Transformer, active_parameter_count, parameter_count, parameter_parts
from snippets.parallelism.pipeline.formulas import (
    gpipe_bubble_share,
    gpipe_peak_activations,
    interleaved_bubble_share,
    interleaved_peak_activations,
    one_f_one_b_bubble_share,
    one_f_one_b_peak_activations,
    pipeline_idle_share,
    pipeline_step_time_s,
    zb_h1_bubble_s,
    zb_h1_peak_activations,
    zb_h2_bubble_s,
    zb_h2_peak_activations,
)
from snippets.recipes import RECIPES
from snippets.simulation.algorithms import ALGORITHMS, ALIASES, PIPELINED

DAY_S = 86_400
LATENCY_S = 5e-6  # chapter 14's assumption
MOST_RANKS = 2**15  # more take seconds
ELEMENT_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1, "fp4": 0.5}
SCHEDULES = ("gpipe", "one_f_one_b", "interleaved", "zb_h1", "zb_h2")
_TYPED = dict(zip(("gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2"), SCHEDULES, strict=True))
SCHEDULE_ALIASES = {"one_f_one_b": "1f1b", "interleaved 1F1B": "interleaved", "ZB1P": "zb-h1"}
_SPOKEN = dict(zip(SCHEDULES, ("GPipe", "1F1B", "interleaved 1F1B", "ZB-H1", "ZB-H2"), strict=True))


@dataclass(frozen=True)
class Row:
    """One number of an answer, and where it is from.

    Attributes:
        what: what it is, in words.
        value: the number; a text or ``None`` where the answer is none.
        unit: its unit; empty for a count or a text.
        formula: the function that computed it; ``None`` for what is given or put together from other rows.
        arguments: what the function was called with.
        note: what is to be said besides, and of a row without a formula, how it is put together.

    >>> Row("the sum of two rows", 3, note="the rows above, added").convention
    'the rows above, added'
    """

    what: str
    value: Any
    unit: str = ""
    formula: Callable[..., Any] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def convention(self) -> str:
        """What the number counts, and how: the function's ``Convention:``, and the row's own note."""
        said = labelled(self.formula).get("Convention", "") if self.formula else ""
        return " ".join(words for words in (said, self.note) if words)

    @property
    def source(self) -> str:
        """Who printed the formula: the function's ``Source:``."""
        return labelled(self.formula).get("Source", "") if self.formula else ""

    @property
    def chapter(self) -> str:
        """Which chapter derives it."""
        return labelled(self.formula).get("Chapter", "") if self.formula else ""

    @property
    def leaves_out(self) -> str:
        """What the formula leaves out."""
        return labelled(self.formula).get("Leaves out", "") if self.formula else ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.formula.__name__ if self.formula else ""


@dataclass(frozen=True)
class Screen:
    """An answer that is no list of numbers: a table, or a text to copy.

    Attributes:
        lines: what is printed.
        record: what JSON has.

    >>> Screen(("a table",), {"rows": [1]}).record
    {'rows': [1]}
    """

    lines: tuple[str, ...]
    record: Mapping[str, Any]


def _computed(what: str, unit: str, formula: Callable[..., Any], *, note: str = "", **arguments: Any) -> Row:
    """Call a formula and keep what it was called with."""
    return Row(what, formula(**arguments), unit, formula, arguments, note)


def _part(what: str, row: Row, value: Any, unit: str = "bytes") -> Row:
    """Return one of several numbers that a formula returned at once."""
    return Row(what, value, unit, row.formula, row.arguments, row.note)


def memory(
    *,
    model: Transformer | str | None = None,
    parameters: int | float | None = None,
    gpus: int = 1,
    zero: int = 0,
    sequence: int | None = None,
    micro_batch: int = 1,
    tensor_parallel: int = 1,
    sequence_parallel: bool = False,
    stages: int = 1,
    recomputation: str = "none",
    attention: str = "flash",
    recipe: str = "mixed-adam",
    device: str = "H100 SXM",
) -> tuple[Row, ...]:
    """Return what one GPU holds while it trains a model, and whether it has room for that.

    Args:
        model: a name in ``MODELS``, or a ``Transformer`` of your own; give this or ``parameters``.
        parameters: how many parameters, where the model is none of the catalogue; then activations are left out.
        gpus: GPUs in all. What tensor parallelism and the pipeline do not take is data parallel.
        zero: stage of ZeRO, from 0 (plain data parallelism) to 3, over the data-parallel ranks.
        sequence: tokens of one sequence; without it activations are not counted, and the four options that concern
            them alone are refused.
        micro_batch: sequences of one micro-batch.
        tensor_parallel: ranks among which a layer is cut, a divisor of the heads.
        sequence_parallel: whether what tensor parallelism leaves whole is cut along the sequence.
        stages: pipeline stages, at most the layers; the rows are the first stage's, in 1F1B. Where they do not divide
            the layers, it counts as one of the fullest, with ⌈layers / stages⌉.
        recomputation: "none", "selective" or "full": what the total has. What is kept is listed for all three.
        attention: "flash", which stores no scores, or "standard".
        recipe: a name in the book's catalogue of recipes: which copies of a parameter are kept, in how many bytes.
        device: an accelerator of the book's catalogue.

    Returns:
        Rows: parameters, state by kind, the buffer of a layer that ZeRO gathers, activations, with recomputation the
        layer that is made again, total, the device's memory, and what is left of it.

    Example:
        >>> rows = memory(parameters=7.5e9, gpus=64, zero=3)
        >>> next(row.value for row in rows if row.what == "model state") / 1e9
        1.875
    """
    gpus, zero = positive_integer("gpus", gpus), integer_at_least("zero", one_of("zero", zero, STAGES), 0)
    t, p = positive_integer("tensor_parallel", tensor_parallel), positive_integer("stages", stages)
    micro_batch, sequence = positive_integer("micro_batch", micro_batch), _sequence(sequence)
    sequence_parallel = flag("sequence_parallel", sequence_parallel)
    wanted, kept = named("recomputation", recomputation, RECOMPUTATIONS), named("attention", attention, ATTENTIONS)
    accelerator, recipe = ACCELERATORS[ACCELERATORS.name_of(device, argument="device")], RECIPES[recipe].name
    if gpus % (t * p):
        raise ValueError(f"gpus must be a multiple of tensor_parallel × stages = {t * p}, got {gpus}")
    ranks = gpus // (t * p)
    chosen, rows = _parameter_rows(model, parameters, t, p)
    if sequence is None:
        alone: dict[str, Any] = {
            "recomputation": wanted if wanted != "none" else None,
            "attention": kept if kept != "flash" else None,
        }
        alone |= {"micro_batch": micro_batch if micro_batch != 1 else None, "sequence_parallel": sequence_parallel}
        _no_effect("with sequence, for activations", **alone)
    if chosen is None:
        _no_effect("with model, whose layers it needs", sequence=sequence)
    if t == 1:
        _no_effect("with tensor_parallel above 1", sequence_parallel=sequence_parallel)
    held = round(rows[-1].value)

    shared: dict[str, Any] = {"stage": zero, "recipe": recipe}
    state = _computed("model state", "bytes", zero_state_bytes, parameters=held, ranks=ranks, **shared)
    kinds = {"parameters": "parameters", "gradients": "gradients", "optimizer": "optimizer states"}
    rows += [_part(f"state: {said}", state, getattr(state.value, kind)) for kind, said in kinds.items()]
    rows.append(_part("model state", state, state.value.total))
    added = [state.value.total]
    if chosen is not None:
        parts = parameter_parts(chosen)
        blocks = parts.total - parts.token_embedding - parts.position_embedding - parts.head
        unit: dict[str, Any] = {"parameters": held, "largest_unit": -(-blocks // (chosen.layers * t)), "ranks": ranks}
        said = "The unit is a layer, their mean."
        rows.append(_computed("buffer for a layer", "bytes", zero_buffer_bytes, **unit, **shared, note=said))
        added.append(rows[-1].value)
    if chosen is not None and sequence is not None:
        cut: dict[str, Any] = {"tensor_parallel": t, "sequence_parallel": sequence_parallel, "stages": p}
        size: dict[str, Any] = {"model": _as_given(chosen), "sequence": sequence, "micro_batch": micro_batch, **cut}
        for choice in RECOMPUTATIONS:
            said = f"activations, recomputation {choice}"
            options = {**size, "attention": kept, "recomputation": choice}
            layer = labelled(layer_activation_bytes)
            note = f"Of each layer: {layer['Convention']} It leaves out {layer['Leaves out']}"
            rows.append(_computed(said, "bytes", first_stage_activation_bytes, **options, note=note))
            if choice == wanted:
                added.append(rows[-1].value)
        if wanted != "none":
            again, at_loss = _made_again(chosen, size, cut, attention=kept, recomputation=wanted), added[-1]
            said = "What is kept, at the loss; or, once the head's part of it is gone, the rest and a layer made again."
            added[-1] = max(at_loss, at_loss - _head_bytes(chosen, size, cut) + again.value)
            peak = f"The larger of two moments, as in ``step_peak_candidates``, chapter 21. {said}"
            rows += [again, Row("activations at the most", added[-1], "bytes", note=peak)]
        rows.append(_counted_as(chosen))
    else:
        asked = "model and sequence" if chosen is None else "sequence"
        rows.append(Row("activations", "not counted", note=f"They need {asked}; often they are most of what is held."))
    others = ", ".join(["model state", *(["a layer"] if chosen else []), *(["activations"] if len(added) == 3 else [])])
    room, total = accelerator.memory_bytes, sum(added)
    listed = f"{accelerator.source}; read {accelerator.read}"
    fewest: dict[str, Any] = {"parameters": held, "memory_bytes": room, "other_bytes": total - added[0], **shared}
    return (
        *rows,
        Row("total on one GPU", total, "bytes", note=f"{others}, added; nothing else that a framework holds."),
        Row(f"memory of {accelerator.name}", room, "bytes", note=f"Capacity as printed, in units of 10⁹: {listed}."),
        Row("left", room - total, "bytes", note="The device's memory less the total; negative where it is too much."),
        Row(
            "fits" if len(added) == 3 else "fits without activations",
            total <= room,
            note="Whether the total, of what is counted here, is at most the device's memory.",
        ),
        _computed("fewest data-parallel ranks that fit", "", least_ranks_to_fit, **fewest),
    )


def _counted_as(chosen: Transformer) -> Row:
    """Return how a model's layers are counted, and in which direction that errs."""
    block, counted = chosen.feed_forward, "a GPT's, 34 bytes a token and channel"
    if chosen.experts is not None:
        note = "Each expert that a token visits keeps inner values and a copy of the token."
        return Row("layers counted as", f"{counted}; experts keep more", note=f"Too low for this model. {note}")
    if block is not None and block.gated:
        note = "Too low for this model: by a fifth for Llama 3 8B, in chapter 24."
        return Row("layers counted as", f"{counted}; gated ones keep more, 41 in Llama 3 8B", note=note)
    return Row("layers counted as", counted, note="As this model's are, with what chapter 21 says of attention.")


def _no_effect(only: str, **given: Any) -> None:
    """Refuse options that would change nothing; ``None`` and ``False`` stand for one that is not given."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ValueError(f"{name} must be given only {only}; here it would change nothing, got {value!r}")


def _made_again(
    chosen: Transformer, size: dict[str, Any], cut: dict[str, Any], *, attention: str, recomputation: str
) -> Row:
    """Return what recomputation makes again of a layer: ``rebuilt_bytes`` of ``gpt_step_sizes``, cut."""
    whole: dict[str, Any] = {key: value for key, value in {**size, **cut}.items() if key not in ("model", "stages")}
    whole |= {"hidden": chosen.hidden, "heads": chosen.attention.heads, "attention": attention}
    less = layer_activation_bytes(**whole, recomputation=recomputation)
    row = _computed("a layer made again", "bytes", layer_activation_bytes, **whole)
    note = f"Less the {less} bytes of it that are kept; held while its backward pass runs."
    return Row(row.what, row.value - less, row.unit, row.formula, row.arguments, note)


def _head_bytes(chosen: Transformer, size: dict[str, Any], cut: dict[str, Any]) -> int:
    """Return what the head and the loss keep on the first stage: nothing where there are several."""
    t = cut["tensor_parallel"]
    if cut["stages"] > 1:
        return 0
    tokens: dict[str, Any] = {"sequence": size["sequence"], "micro_batch": size["micro_batch"]}
    shared: dict[str, Any] = {**tokens, "tensor_parallel": t}
    width: dict[str, Any] = {"hidden": chosen.hidden, "heads": chosen.attention.heads}
    width["sequence_parallel"] = cut["sequence_parallel"]
    stream = layer_activation_bytes(**shared, **width, recomputation="full")
    padded = -(-chosen.vocabulary // t) * t
    return 2 * stream + logits_bytes(**shared, vocabulary=padded, element_bytes=4)


def _as_given(model: Transformer) -> Transformer | str:
    """Return a model as a formula is called with it: by its name where the book has it."""
    return model.name if MODELS.get(model.name) == model else model


def _sequence(value: Any) -> int | None:
    return None if value is None else positive_integer("sequence", value)


def _parameter_rows(model: Any, parameters: Any, t: int, p: int) -> tuple[Transformer | None, list[Row]]:
    """Return the model, and its parameters: all of them, and last those of the fullest device."""
    if (model is None) == (parameters is None):
        rule = "or else model" if model is None else "or else model, not both"
        raise ValueError(f"parameters must be given, {rule}, got {parameters!r}")
    if model is None:
        count = positive_integer("parameters", parameters)
        if t * p > 1:
            raise ValueError(f"model must be given where tensor_parallel × stages = {t * p} is above 1, got None")
        return None, [Row("parameters", count, note="As given.")]
    chosen = MODELS.find(model)
    uneven = _uneven_rows(chosen, p)
    if chosen.attention.heads % t:
        heads = f"{chosen.attention.heads} heads of {chosen.name}"
        raise ValueError(f"tensor_parallel must be a divisor of the {heads}, got {t}")
    rows = [_computed("parameters", "", parameter_count, model=_as_given(chosen))]
    if t * p > 1:
        cut: dict[str, Any] = {"model": _as_given(chosen), "tensor_parallel": t, "stages": p}
        rows += [*uneven, _computed("parameters of one GPU", "", first_stage_parameters, **cut)]
    return chosen, rows


def _uneven_rows(model: Transformer, stages: int) -> list[Row]:
    """Return how many layers the fullest stage has, where the stages do not divide them."""
    if stages > model.layers:
        raise ValueError(f"stages must be at most the {model.layers} layers of {model.name}, got {stages}")
    if model.layers % stages == 0:
        return []
    note = f"{model.layers} layers over {stages} stages, rounded up. The numbers are those of such a stage."
    return [Row("layers of the fullest stage", -(-model.layers // stages), note=note)]


def all_reduce(
    *,
    size_bytes: int | float,
    ranks: int,
    algorithm: str | None = None,
    link: str | None = None,
    latency_s: float = LATENCY_S,
    bandwidth_bytes_per_s: float | None = None,
    reduction_s_per_byte: float = 0.0,
    element_bytes: int = 2,
    gpus_per_node: int | None = None,
    node_link: str | None = None,
) -> tuple[Row, ...]:
    """Return how long an all-reduce takes in the α–β model, on which links, and which algorithm is fastest.

    Args:
        size_bytes: bytes of the vector that every rank brings and ends with; at least 0, a multiple of
            ``element_bytes``.
        ranks: ranks that take part, at most 2¹⁵ = 32,768.
        algorithm: flat, binomial, ring, recursive-doubling, halving-doubling, bruck or double-binary-tree; of several
            nodes also hierarchical or many-rings; the fastest unless given.
        link: the link by which each rank sends to other nodes, of the book's catalogue; its bandwidth in one direction
            is β; InfiniBand NDR unless given.
        latency_s: α, seconds before the first byte of a message arrives, at least 0. Chapter 14's assumption; measure
            yours.
        bandwidth_bytes_per_s: β in one direction, in place of the link's.
        reduction_s_per_byte: γ, seconds to add one byte that was received, at least 0.
        element_bytes: bytes of one element, which is never cut.
        gpus_per_node: GPUs of a node, a divisor of ``ranks``; 1 for a network without nodes. Unless given: 1 with a
            link or bandwidth of your own, else the book's 8, all ranks where they are fewer, 1 where 8 does not divide
            them.
        node_link: the link between the GPUs of a node, of the book's catalogue; NVLink 4 (H100) unless given.

    Returns:
        Rows: the topology that is assumed, the algorithm, its time, steps, bytes, bandwidths as nccl-tests reports
        them, the bound, and the time of every other algorithm, the fastest first.

    Example:
        >>> rows = {row.what: row.value for row in all_reduce(size_bytes=141e9, ranks=256)}
        >>> rows["algorithm"], round(rows["time of many_rings"], 3), round(rows["time of ring"], 3)
        ('many_rings', 0.705, 5.621)
    """
    size, ranks = nonnegative_integer("size_bytes", size_bytes), positive_integer("ranks", ranks)
    at_most("ranks", ranks, MOST_RANKS)
    element_bytes = positive_integer("element_bytes", element_bytes)
    alone = link is None and bandwidth_bytes_per_s is None
    g = _gpus_per_node(gpus_per_node, ranks, alone=alone)
    wires = _wires(ranks // g, g, link, bandwidth_bytes_per_s, node_link)
    known = (*ALGORITHMS["all_reduce"], *(_BY_NODES if wires.nodes > 1 < g else ()))
    if algorithm is not None:
        algorithm = named("algorithm", algorithm, known, aliases=ALIASES)
    machine: dict[str, Any] = {
        "latency_s": nonnegative_number("latency_s", latency_s),
        "bandwidth_bytes_per_s": wires.flat_bytes_per_s,
        "reduction_s_per_byte": nonnegative_number("reduction_s_per_byte", reduction_s_per_byte),
    }
    assumed = "Chapter 14's assumption; measure yours." if machine["latency_s"] == LATENCY_S else "As given."
    job: dict[str, Any] = {"primitive": "all_reduce", "ranks": ranks, "size_bytes": size}
    cut: dict[str, Any] = {**job, "element_bytes": element_bytes}
    times = _all_reduce_times(cut, machine, wires)
    fastest = next(iter(times))
    chosen = fastest if algorithm is None else algorithm
    said = "The fastest here." if chosen == fastest else "As asked for."
    rows = [
        Row("topology assumed", wires.said, note=wires.note),
        Row("algorithm", chosen, note=said),
        times.pop(chosen),
        Row("α", machine["latency_s"], "s", note=f"Before the first byte of a message arrives. {assumed}"),
        *wires.rows,
    ]
    rows += _by_nodes_terms(chosen, size, wires) if chosen in _BY_NODES else _flat_terms(chosen, cut, machine)
    time_s = rows[2].value
    if time_s > 0 and size > 0:
        rate: dict[str, Any] = {"size_bytes": size, "time_s": time_s}
        rows += [
            _computed("algorithm bandwidth", "bytes/s", algorithm_bandwidth_bytes_per_s, **rate),
            _computed("bus bandwidth", "bytes/s", bus_bandwidth_bytes_per_s, **job, time_s=time_s),
        ]
    rows.append(wires.bound(job))
    if chosen != fastest:
        rows.append(Row("fastest algorithm here", fastest, note="The least of the times below."))
    return (*rows, *times.values())


_BY_NODES = ("many_rings", "hierarchical")


@dataclass(frozen=True)
class _Wires:
    """The links of an all-reduce.

    Attributes:
        nodes, gpus: how many nodes, and GPUs of each.
        port_bytes_per_s, node_bytes_per_s: what a GPU sends to other nodes, and inside its own.
        said, note: the topology in words, and what it means for the algorithms.
        rows: the bandwidths with their sources.
    """

    nodes: int
    gpus: int
    port_bytes_per_s: float
    node_bytes_per_s: float
    said: str
    note: str
    rows: tuple[Row, ...]

    @property
    def flat_bytes_per_s(self) -> float:
        """What algorithms that know no nodes are priced with: β, or inside a single node its links."""
        return self.node_bytes_per_s if self.nodes == 1 < self.gpus else self.port_bytes_per_s

    def bound(self, job: dict[str, Any]) -> Row:
        """Return the time that the bytes need at the least: through the nodes' ports, or each rank's one link."""
        if self.nodes == 1 or self.gpus == 1:
            return _computed(
                "bound by bytes", "s", bandwidth_bound_s, **job, bandwidth_bytes_per_s=self.flat_bytes_per_s
            )
        ports: dict[str, Any] = {"ports_per_node": self.gpus, "port_bytes_per_s": self.port_bytes_per_s}
        size = job["size_bytes"]
        return _computed("bound by bytes", "s", node_all_reduce_bound_s, nodes=self.nodes, size_bytes=size, **ports)


def _gpus_per_node(given: Any, ranks: int, *, alone: bool) -> int:
    """Return the GPUs of a node: the book's 8 where nothing is said of the links and the ranks fill such nodes."""
    if given is None:
        book = NODES["DGX H100"].accelerators
        return min(book, ranks) if alone and (ranks < book or ranks % book == 0) else 1
    g = positive_integer("gpus_per_node", given)
    if ranks % g:
        raise ValueError(f"gpus_per_node must be a divisor of ranks = {ranks}, got {g}")
    return g


def _wires(nodes: int, gpus: int, link: str | None, bandwidth: Any, node_link: str | None) -> _Wires:
    """Return the links of so many nodes: those that are given, else those of the book's machine."""
    wire, own = LINKS["InfiniBand NDR" if link is None else link], bandwidth is not None
    port = positive_number("bandwidth_bytes_per_s", bandwidth) if own else wire.bandwidth_bytes_per_s
    name = "the bandwidth given" if own else wire.name
    source = "As given." if own else f"{wire.name}: {wire.source}."
    if gpus == 1:
        _no_effect("with gpus_per_node above 1", node_link=node_link)
        said, note = f"flat: every rank has one link, {name}", "Every message takes such a link."
        row = Row("β", port, "bytes/s", note=f"In one direction. {source}")
        return _Wires(nodes, 1, port, port, said, note, (row,))
    inside = LINKS[LINKS.name_of("NVLink 4 (H100)" if node_link is None else node_link, argument="node_link")]
    node = Row("β inside a node", inside.bandwidth_bytes_per_s, "bytes/s", note=f"In one direction. {inside.source}.")
    if nodes == 1:
        _no_effect("where there is more than one node", link=link, bandwidth_bytes_per_s=bandwidth)
        said, note = f"1 node of {gpus} GPUs: {inside.name}", "Every message takes such a link."
        return _Wires(1, gpus, port, inside.bandwidth_bytes_per_s, said, note, (node,))
    said = f"{nodes} nodes of {gpus} GPUs: {inside.name} inside, {name} for each GPU between"
    note = "Algorithms other than hierarchical and many_rings know no nodes: each of their messages is priced at β."
    rows = (node, Row("β", port, "bytes/s", note=f"Of a GPU's port, in one direction. {source}"))
    return _Wires(nodes, gpus, port, inside.bandwidth_bytes_per_s, said, note, rows)


def _all_reduce_times(cut: dict[str, Any], machine: dict[str, Any], wires: _Wires) -> dict[str, Row]:
    """Return the rows of the algorithms' times, the fastest first."""
    compared = _computed("", "s", compare_algorithms, **cut, **machine, note="Sα + B/β + Rγ of its terms.")
    times = {one.algorithm: _part(f"time of {one.algorithm}", compared, one.time_s, "s") for one in compared.value}
    if wires.nodes > 1 < wires.gpus:
        sent: dict[str, Any] = {"size_bytes": cut["size_bytes"], "latency_s": machine["latency_s"]}
        rates = {"node_bytes_per_s": wires.node_bytes_per_s, "port_bytes_per_s": wires.port_bytes_per_s}
        grid: dict[str, Any] = {"nodes": wires.nodes, "gpus_per_node": wires.gpus, **sent, **rates}
        added = algorithm_cost(**cut, algorithm="ring").reduced_bytes * machine["reduction_s_per_byte"]
        note = "γ of what a ring adds is in it." if added else ""
        by_nodes = (
            _computed("time of many_rings", "s", many_rings_time_s, rings=wires.gpus, **grid, note=note),
            _computed("time of hierarchical", "s", hierarchical_all_reduce_time_s, **grid, note=note),
        )
        times |= {name: replace(row, value=row.value + added) for name, row in zip(_BY_NODES, by_nodes, strict=True)}
    return dict(sorted(times.items(), key=lambda item: item[1].value))


def _flat_terms(chosen: str, cut: dict[str, Any], machine: dict[str, Any]) -> list[Row]:
    """Return the blocks, steps and bytes of an algorithm that knows no nodes."""
    how, rows = {**cut, "algorithm": chosen}, []
    if chosen in PIPELINED:
        rows.append(_computed("blocks of the vector", "", best_collective_segments, **how, **machine))
        how["segments"] = rows[-1].value
    cost = _computed("terms", "", algorithm_cost, **how)
    sent = _computed("traffic", "", collective_traffic, **how)
    return [
        *rows,
        _part("steps", cost, cost.value.steps, ""),
        _part("bytes one after the other", cost, cost.value.wire_bytes),
        _part("sent by the busiest rank", sent, max(sent.value.sent_bytes)),
    ]


def _by_nodes_terms(chosen: str, size: int, wires: _Wires) -> list[Row]:
    """Return what a rank sends in an algorithm that knows nodes."""
    if chosen == "many_rings":
        ranks, note = wires.nodes * wires.gpus, f"Over {wires.gpus} rings at once."
        return [_computed("sent by each rank", "bytes", ring_all_reduce_bytes, ranks=ranks, size_bytes=size, note=note)]
    sides = [wires.gpus, wires.nodes]
    both = _computed("", "bytes", all_reduce_dimension_bytes, sides=sides, size_bytes=size)
    inside, between = both.value
    return [_part("sent by a rank inside", both, inside), _part("sent by a rank between nodes", both, between)]


def pipeline(
    *,
    stages: int,
    micro_batches: int,
    forward_s: float | None = None,
    backward_s: float | None = None,
    weight_gradient_s: float | None = None,
    chunks: int = 1,
    schedule: str = "all",
    model: Transformer | str | None = None,
    sequence: int | None = None,
    micro_batch: int = 1,
) -> tuple[Row, ...]:
    """Return what a pipeline's schedules idle, how long a step takes, and what the fullest device keeps.

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.
        forward_s: seconds of the forward pass of one micro-batch through a device's layers; unless given, times are in
            forward passes.
        backward_s: seconds of its whole backward pass; twice the forward pass unless given.
        weight_gradient_s: the part of it that is the weights' gradient, which zero-bubble schedules move, at least 0;
            half of it unless given. They need it no longer than ``forward_s`` and the rest of ``backward_s``.
        chunks: model chunks of a device, for interleaved 1F1B.
        schedule: "gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", or "all".
        model: a name in ``MODELS``, or a ``Transformer`` of your own, to have the activations in bytes; then
            ``sequence`` too. Where the stages do not divide its layers, they are those of the fullest stage, and all
            else takes the stages for alike.
        sequence: tokens of one sequence, with ``model``.
        micro_batch: sequences of one micro-batch, with ``model``.

    Returns:
        Rows for each schedule: the bubble's share, the time of a step, the most micro-batches that a device keeps
        activations of, and with a model their bytes; or why its formulas do not hold for these sizes.

    Example:
        >>> rows = {row.what: row.value for row in pipeline(stages=8, micro_batches=32, schedule="1f1b")}
        >>> f"{rows['1F1B: bubble']:.1%}", rows["1F1B: step"], rows["1F1B: micro-batches kept"]
        ('17.9%', 117.0, 8)
    """
    p, m = positive_integer("stages", stages), positive_integer("micro_batches", micro_batches)
    v, micro_batch = positive_integer("chunks", chunks), positive_integer("micro_batch", micro_batch)
    sequence = _sequence(sequence)
    F = 1.0 if forward_s is None else positive_number("forward_s", forward_s)
    B = 2 * F if backward_s is None else positive_number("backward_s", backward_s)
    if forward_s is None and backward_s is not None:
        raise ValueError(f"backward_s must be given only with forward_s, got {backward_s!r}")
    if math.isinf(B):
        raise ValueError(f"forward_s must be a number whose double is finite, got {forward_s!r}")
    W = B / 2 if weight_gradient_s is None else nonnegative_number("weight_gradient_s", weight_gradient_s)
    if W > B:
        raise ValueError(f"weight_gradient_s must be at most backward_s = {B:g}, got {weight_gradient_s!r}")
    times: dict[str, Any] = {"forward_s": F, "backward_s": B}
    split: dict[str, Any] = {"stages": p, "forward_s": F, "input_gradient_s": B - W, "weight_gradient_s": W}
    size: dict[str, Any] = {"stages": p, "micro_batches": m}
    holds = {
        "gpipe": "",
        "one_f_one_b": "",
        "interleaved": _lacks("chunks", v, 2) or _lacks("micro_batches", m, p) or _uneven(m, p),
        "zb_h1": _lacks("micro_batches", m, p) or _long(W, F, B),
        "zb_h2": _lacks("micro_batches", m, 2 * p - 1) or _long(W, F, B),
    }
    wanted = named("schedule", schedule, (*_TYPED, "all"), aliases=SCHEDULE_ALIASES)
    wanted = _TYPED.get(wanted, wanted)
    if wanted not in ("interleaved", "all"):
        _no_effect("for the schedule interleaved", chunks=v if v > 1 else None)
    if wanted not in ("zb_h1", "zb_h2", "all"):
        _no_effect("for the schedules zb-h1 and zb-h2", weight_gradient_s=weight_gradient_s)
    if model is None:
        _no_effect("with model", sequence=sequence, micro_batch=micro_batch if micro_batch != 1 else None)
    if wanted != "all" and holds[wanted]:
        raise ValueError(holds[wanted].replace(", got", f" for {_SPOKEN[wanted]}, got"))
    kept = _kept_bytes(model, sequence, micro_batch, p)
    rows = [] if model is None else _uneven_rows(MODELS.find(model), p)
    for name in SCHEDULES if wanted == "all" else (wanted,):
        if holds[name]:
            if name != "interleaved" or v > 1:
                note = "Its formulas do not hold for these sizes."
                rows.append(Row(_SPOKEN[name], f"not counted: {holds[name].replace('_', '-')}", note=note))
        else:
            made = _interleaved(size, times, v) if name == "interleaved" else _plain(name, size, times, split)
            rows += [
                Row(
                    f"{_SPOKEN[name]}: {row.what}",
                    row.value,
                    "forward passes" if row.unit == "s" and forward_s is None else row.unit,
                    row.formula,
                    row.arguments,
                    row.note,
                )
                for row in (*made, *_in_bytes(made[-1], kept))
            ]
    return tuple(rows)


def _lacks(name: str, value: int, least: int) -> str:
    return f"{name} must be at least {least}, got {value}" if value < least else ""


def _uneven(m: int, p: int) -> str:
    return f"micro_batches must be a multiple of stages = {p}, got {m}" if m % p else ""


def _long(W: float, F: float, B: float) -> str:
    most = min(F, B - W)
    return f"weight_gradient_s must be at most {most:g}, got {W:g}" if most < W else ""


def _plain(name: str, size: dict[str, Any], times: dict[str, Any], split: dict[str, Any]) -> list[Row]:
    """Return bubble, step and micro-batches kept of a schedule with one chunk a device."""
    if name in ("gpipe", "one_f_one_b"):
        shares = {"gpipe": gpipe_bubble_share, "one_f_one_b": one_f_one_b_bubble_share}
        bubble = _computed("bubble", "share", shares[name], **size)
        step = _computed("step", "s", pipeline_step_time_s, **size, **times)
    else:
        idle = _computed("", "s", {"zb_h1": zb_h1_bubble_s, "zb_h2": zb_h2_bubble_s}[name], **split)
        work_s = pipeline_step_time_s(stages=1, micro_batches=size["micro_batches"], **times)
        said = f"Idle for {idle.name}: {idle.convention}"
        bubble = _computed("bubble", "share", pipeline_idle_share, bubble_s=idle.value, work_s=work_s, note=said)
        step = Row("step", idle.value + work_s, "s", idle.formula, idle.arguments, "The bubble and the work, added.")
    peaks: dict[str, Callable[..., int]] = {
        "gpipe": gpipe_peak_activations,
        "one_f_one_b": one_f_one_b_peak_activations,
        "zb_h1": zb_h1_peak_activations,
        "zb_h2": zb_h2_peak_activations,
    }
    alone = {"micro_batches": size["micro_batches"]} if name == "gpipe" else size
    if name == "zb_h2":
        bubble, step = (replace(row, what=f"{row.what} if no optimizer waits for another") for row in (bubble, step))
    return [bubble, step, _computed("micro-batches kept", "", peaks[name], **alone)]


def _interleaved(size: dict[str, Any], times: dict[str, Any], chunks: int) -> list[Row]:
    held = _computed("", "", interleaved_peak_activations, **size, chunks=chunks)
    note = f"In micro-batches of all of a device's layers: chunks in flight over {chunks}."
    return [
        _computed("bubble", "share", interleaved_bubble_share, **size, chunks=chunks),
        _computed("step", "s", pipeline_step_time_s, **size, **times, chunks=chunks),
        Row("micro-batches kept", held.value / chunks, "", held.formula, held.arguments, note),
    ]


def _kept_bytes(model: Any, sequence: Any, micro_batch: int, stages: int) -> Row | None:
    """Return what one micro-batch leaves on a device for its backward pass."""
    if model is None:
        return None
    chosen = MODELS.find(model)
    if sequence is None:
        raise ValueError("sequence must be an integer of at least 1 where model is given, got None")
    layers = -(-chosen.layers // stages)
    size: dict[str, Any] = {"sequence": sequence, "micro_batch": micro_batch}
    width: dict[str, Any] = {"hidden": chosen.hidden, "heads": chosen.attention.heads, "attention": "flash"}
    layer = _computed("", "bytes", layer_activation_bytes, **size, **width)
    note = f"Times {layers} layers a device, times the micro-batches kept."
    return Row("", layer.value * layers, "bytes", layer.formula, layer.arguments, note)


def _in_bytes(count: Row, kept: Row | None) -> list[Row]:
    if kept is None:
        return []
    return [Row("activations", count.value * kept.value, "bytes", kept.formula, kept.arguments, kept.note)]


def roofline(
    *,
    m: int,
    k: int,
    n: int,
    device: str = "H100 SXM",
    dtype: str = "bf16",
    element_bytes: float | None = None,
) -> tuple[Row, ...]:
    """Return what bounds the product of an m × k and a k × n matrix on a device, and the least time that it takes.

    Args:
        m: rows of the first matrix: tokens, where the second holds weights.
        k: the shared dimension.
        n: columns of the second matrix.
        device: an accelerator of the book's catalogue.
        dtype: number format of the products: fp32, tf32, fp16, bf16, fp8 or int8, as far as the device lists it.
        element_bytes: bytes of one number in memory, at least 1/8; by default those of ``dtype``.

    Returns:
        Rows: operations, bytes, intensity, the device's ridge, what bounds it, time and rate. The rows from which on
        arithmetic is the bound are infinite where no number is enough.

    Example:
        >>> rows = {row.what: row.value for row in roofline(m=8192, k=8192, n=8192)}
        >>> rows["bound by"], round(rows["least time"] * 1e3, 3)
        ('compute', 1.111)
    """
    shape: dict[str, Any] = {name: positive_integer(name, value) for name, value in (("m", m), ("k", k), ("n", n))}
    name, dtype = ACCELERATORS.name_of(device, argument="device"), named("dtype", dtype, DTYPES)
    width = (
        ELEMENT_BYTES[dtype]
        if element_bytes is None
        else number_between("element_bytes", element_bytes, low=0.125, high=1024)
    )
    peak = _computed("peak", "FLOP/s", dense_peak_flops_per_s, accelerator=name, dtype=dtype)
    bandwidth = ACCELERATORS[name].memory_bandwidth_bytes_per_s
    flops = _computed("operations", "FLOP", gemm_flops, **shape)
    words = _computed("", "", gemm_words, **shape)
    note = f"{width:g} bytes a number; each is read or written once."
    moved = Row("bytes read and written", words.value * width, "bytes", words.formula, words.arguments, note)
    intensity = _computed("arithmetic intensity", "FLOP/byte", gemm_arithmetic_intensity, **shape, element_bytes=width)
    done: dict[str, Any] = {"flops": flops.value, "memory_bytes": moved.value}
    rates: dict[str, Any] = {"peak_flops_per_s": peak.value, "memory_bytes_per_s": bandwidth}
    both: dict[str, Any] = {"peak_flops_per_s": peak.value, "bandwidth_bytes_per_s": bandwidth}
    times = _computed("", "s", ceiling_times_s, **done, **rates)
    bound = max(("compute", "memory"), key=lambda ceiling: times.value[ceiling])
    rate = _computed("rate at best", "FLOP/s", roofline_flops_per_s, flops_per_byte=intensity.value, **both)
    sheet = f"{ACCELERATORS[name].source}; read {ACCELERATORS[name].read}."
    return (
        flops,
        moved,
        intensity,
        peak,
        Row("memory bandwidth", bandwidth, "bytes/s", note=f"Reads and writes share it. {sheet}"),
        _computed("ridge", "FLOP/byte", ridge_flops_per_byte, accelerator=name, dtype=dtype),
        _part("bound by", times, bound, ""),
        _part("time of the arithmetic", times, times.value["compute"], "s"),
        _part("time of the memory traffic", times, times.value["memory"], "s"),
        _computed("least time", "s", roofline_time_s, **done, **rates),
        rate,
        Row("share of the peak", rate.value / peak.value, "share", note="The rate at best over the peak."),
        _computed(
            "rows from which arithmetic is the bound",
            "",
            compute_bound_batch,
            k=shape["k"],
            n=shape["n"],
            **both,
            weight_bytes=width,
            activation_bytes=width,
        ),
    )


def train(
    *,
    tokens: int | float,
    model: Transformer | str | None = None,
    parameters: int | float | None = None,
    gpus: int,
    mfu: float = 0.4,
    device: str = "H100 SXM",
    dtype: str = "bf16",
    usd_per_gpu_hour: float = 2.0,
    goodput: float = 1.0,
) -> tuple[Row, ...]:
    """Return what a training run takes: operations, GPU hours, days and dollars, by 6·N·D and a given MFU.

    Args:
        tokens: tokens trained on.
        model: a name in ``MODELS``, or a ``Transformer`` of your own; give this or ``parameters``. Of a mixture of
            experts, what a token meets counts.
        parameters: how many parameters a token meets, where the model is none of the catalogue.
        gpus: GPUs that share the run.
        mfu: the share of the dense peak that the run reaches, model FLOPs utilization, from 1e-6 to 1.
        device: an accelerator of the book's catalogue.
        dtype: number format of the products, whose dense peak counts.
        usd_per_gpu_hour: price of one GPU for an hour; an assumption, put in your own.
        goodput: the share of the time for which the run moves on, above 0 and at most 1; time and bill are over it.

    Returns:
        Rows: parameters, tokens, operations, peak, GPU hours, days, dollars.

    Example:
        >>> rows = {row.what: row.value for row in train(model="llama 3 405b", tokens=15.6e12, gpus=16384)}
        >>> f"{rows['operations']:.2e}"
        '3.80e+25'
    """
    tokens, gpus = positive_integer("tokens", tokens), positive_integer("gpus", gpus)
    mfu = number_between("mfu", mfu, low=1e-6, high=1)
    goodput = number_between("goodput", goodput, low=1e-6, high=1)
    price = number_between("usd_per_gpu_hour", usd_per_gpu_hour, low=1e-6, high=1e9)
    name, dtype = ACCELERATORS.name_of(device, argument="device"), named("dtype", dtype, DTYPES)
    chosen, rows = _parameter_rows(model, parameters, 1, 1)
    meets = ""
    if chosen is not None and chosen.experts is not None:
        meets = " that a token meets"
        rows.append(_computed(f"parameters{meets}", "", active_parameter_count, model=_as_given(chosen)))
    count = rows[-1].value
    peak = _computed("peak of one GPU", "FLOP/s", dense_peak_flops_per_s, accelerator=name, dtype=dtype)
    work: dict[str, Any] = {"parameters": count, "tokens": tokens}
    flops = _computed("operations", "FLOP", training_flops, **work)
    run: dict[str, Any] = {"flops": flops.value, "peak_flops_per_s": peak.value, "utilization": mfu}
    time = _computed("", "s", training_time_s, **work, devices=gpus, flops_per_s=peak.value * mfu)
    said = "Price, MFU and goodput are assumptions unless given."
    lost = "Without interruptions." if goodput == 1 else f"Over the goodput of {goodput:g}."
    days = Row("time", time.value / goodput / DAY_S, "days", time.formula, time.arguments, lost)
    hours = _computed("GPU time", "hours", device_hours, **run, note=lost)
    return (
        *rows,
        Row("tokens", tokens, note="As given."),
        Row(f"tokens per parameter{meets}", tokens / count, note="The two above, divided."),
        flops,
        peak,
        replace(hours, value=hours.value / goodput),
        days,
        _computed("bill", "USD", training_bill_usd, **run, usd_per_device_hour=price, goodput=goodput, note=said),
    )
