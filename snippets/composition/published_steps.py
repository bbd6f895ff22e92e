"""Formulas: published training steps, each with its layout, and what the model of a step predicts for it.

The rows of vTrain are of VIA-Research/vTrain, data/ground_truth_multi.csv at f8dda84, MIT License, Copyright (c) 2024
VIA Research Group at KAIST. The others are facts from papers and logs, each with its source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from snippets.composition.layer_times import ATTENTIONS
from snippets.composition.layouts import Layout, stage_layers
from snippets.composition.rank_errors import choice_regret, median_error, ordered_pairs_share, rank_correlation
from snippets.composition.rank_memory import (
    ENGINES,
    MODULES,
    RankMemory,
    held_micro_batches,
    layer_kept_bytes,
    module_kept_bytes,
    rank_memory,
)
from snippets.composition.step_constants import H100_BF16, H100_FP8, MEGATRON_A100, Constants
from snippets.composition.step_model import StepTime, step_time
from snippets.domain import Answers, each, integer_fields, named, of_kind, positive_number, text_fields
from snippets.flops import MASKS, gpt_training_flops, training_step_flops
from snippets.hardware import ACCELERATORS, DTYPES, NODES, Node
from snippets.models import MODELS, Transformer, gpt_like
from snippets.recipes import RECIPES, Recipe


@dataclass(frozen=True)
class PublishedStep(Answers):
    """A measured training step, and what the model of a step needs to predict it.

    Attributes:
        name: of the row, which no other has.
        group: what the rows that are judged together are called.
        model: what was trained.
        node: on which machines.
        layout: how it was cut.
        batch_sequences: sequences of a step.
        sequence: tokens of each.
        seconds: measured.
        constants: what the prediction assumes of the machine.
        attention: ``"standard"`` or ``"flash"``.
        mask: which pairs were computed.
        dtype: of the weights' matmuls.
        source: where it is printed.
        recipe: bytes of state for a parameter.
        engine: as in ``rank_memory``.
        memory_bytes: the measured peak of one rank, where it is printed; else ``None``.
        offloaded: of how many layers the activations wait in the CPU's memory.
        modules: what every layer makes again besides, of ``rank_memory.MODULES``; only memory counts it.

    >>> published_steps("vTrain 3.6B")[0].seconds
    3.5665
    >>> mine = PublishedStep(
    ...     name="mine",
    ...     group="torchtitan",
    ...     model=MODELS["Llama 3 8B"],
    ...     node=NODES["DGX H100"],
    ...     layout=Layout(data=8, stage=3),
    ...     batch_sequences=16,
    ...     sequence=8192,
    ...     seconds=2.5,
    ...     constants=H100_BF16,
    ...     attention="flash",
    ... )
    >>> mine.predicted().ranks
    8
    """

    name: str
    group: str
    model: Transformer
    node: Node
    layout: Layout
    batch_sequences: int
    sequence: int
    seconds: float
    constants: Constants
    attention: str = "standard"
    mask: str = "full"
    dtype: str = "bf16"
    source: str = ""
    recipe: Recipe = RECIPES["mixed-adam"]
    engine: str = "megatron"
    memory_bytes: float | None = None
    offloaded: int = 0
    modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text_fields(self, "name", "group", "source")
        for name, kind in (
            ("model", Transformer),
            ("node", Node),
            ("layout", Layout),
            ("constants", Constants),
            ("recipe", Recipe),
        ):
            of_kind(name, getattr(self, name), kind)
        integer_fields(self, "batch_sequences", "sequence")
        integer_fields(self, "offloaded", minimum=0)
        for name, allowed in (
            ("attention", ATTENTIONS),
            ("mask", MASKS),
            ("dtype", DTYPES),
            ("engine", ENGINES),
        ):
            object.__setattr__(self, name, named(name, getattr(self, name), allowed))
        modules = each("modules", self.modules, lambda name, module: named(name, module, MODULES))
        object.__setattr__(self, "modules", modules)
        object.__setattr__(self, "seconds", positive_number("seconds", self.seconds))
        if self.memory_bytes is not None:
            object.__setattr__(self, "memory_bytes", positive_number("memory_bytes", self.memory_bytes))

    def predicted(self, constants: Constants | None = None) -> StepTime:
        """Return the step that the model predicts, with other constants where they are given.

        >>> round(published_steps("Megatron 2021")[3].predicted().total, 1)
        9.2
        """
        return step_time(
            self.model,
            self.node,
            self.layout,
            batch_sequences=self.batch_sequences,
            sequence=self.sequence,
            constants=self.constants if constants is None else constants,
            attention=self.attention,
            mask=self.mask,
            dtype=self.dtype,
            recipe=self.recipe,
        )

    def held(self) -> RankMemory:
        """Return what a rank of the fullest stage, which is the first or the last, holds at its peak.

        Of layers whose activations are offloaded, those of one at a time are still there.

        >>> round(published_steps("Megatron 2021")[3].held().total / 1e9, 1)
        47.2
        """
        return max((self._held(stage) for stage in (0, -1)), key=lambda each: each.total)

    def _held(self, stage: int) -> RankMemory:
        sizes: dict[str, Any] = {"sequence": self.sequence, "dtype": self.dtype}
        held = rank_memory(
            self.model,
            self.layout,
            **sizes,
            batch_sequences=self.batch_sequences,
            stage=stage,
            recipe=self.recipe,
            attention=self.attention,
            engine=self.engine,
        )
        gone: float = max(0, self.offloaded - 1) * layer_kept_bytes(
            self.model, self.layout, **sizes, attention=self.attention
        )
        if self.modules:
            own, place = self.layout, stage % self.layout.pipeline
            many = held_micro_batches(own, micro_batches=own.micro_batches(self.batch_sequences), stage=place)
            counts = stage_layers(self.model.layers, stages=own.pipeline, chunks=own.chunks, uneven=own.uneven)
            again = module_kept_bytes(self.model, own, **sizes, modules=self.modules)
            gone += max(0.0, many * counts[place] - 1) * again
        return replace(held, activations=held.activations - gone)

    @property
    def error(self) -> float:
        """The prediction over what was measured, less 1.

        >>> f"{published_steps('Megatron 2021')[3].error:+.1%}"
        '-2.1%'
        """
        return self.predicted().total / self.seconds - 1


GROUPS = (
    "vTrain 3.6B",
    "vTrain 39.1B",
    "Megatron 2021",
    "Megatron 2022",
    "MLPerf 405B",
    "NeMo dense",
    "NeMo experts",
    "Llama 3 405B",
    "torchtitan",
)


@dataclass(frozen=True)
class GroupResidual(Answers):
    """How well the model does on one group: shares, all but the count of rows.

    Attributes:
        group: its name.
        rows: how many steps it has.
        median_error: of the predictions.
        rank_correlation: of predicted and measured times.
        regret: by how much the choice of the predictions is slower than the best row.
        ordered_pairs: of the pairs that are predicted 20% apart, how many were measured in that order.
        one_job: whether the rows are layouts of one job on one number of GPUs; only then do rank and choice say
            anything.

    >>> group_residual("Megatron 2021").rows, group_residual("vTrain 3.6B").one_job
    (10, True)
    """

    group: str
    rows: int
    median_error: float
    rank_correlation: float
    regret: float
    ordered_pairs: float
    one_job: bool


def published_steps(group: str) -> tuple[PublishedStep, ...]:
    """Return the published steps of one group.

    Formula: $T_i$
    Symbols: T_i = seconds of the rows
    Chapter: 26

    Args:
        group: one of ``GROUPS``.

    Returns:
        The rows, in the order of their source.

    Source: each row's own.
    Convention: seconds of one optimizer step, without evaluation and checkpoints.
    Leaves out: other rows of these sources.

    Example:
        >>> [len(published_steps(group)) for group in GROUPS]
        [26, 47, 10, 8, 3, 6, 4, 3, 9]
    """
    return _ROWS[named("group", group, GROUPS)]


def group_residual(group: str) -> GroupResidual:
    """Return how well the model predicts the steps of one group.

    Formula: $\\operatorname{median}_i \\left| \\frac{x_i}{y_i} - 1 \\right|$
    Symbols: x_i, y_i = predicted and measured seconds; the other measures as in their own formulas
    Chapter: 26

    Args:
        group: one of ``GROUPS``.

    Returns:
        Median error, rank correlation, regret of the choice, and the share of pairs, predicted 20% apart, in the right
        order. Rank and choice mean something where the rows are layouts of one job, as vTrain's are.

    Source: ``published_steps``.
    Convention: two constants were fitted, on "vTrain 39.1B" alone: MEGATRON_A100's matmul_share and launch_s.
    Leaves out: nothing.

    Example:
        >>> found = group_residual("vTrain 3.6B")
        >>> f"{found.median_error:.1%}", f"{found.rank_correlation:.2f}", f"{found.regret:.1%}"
        ('4.2%', '0.97', '0.0%')
    """
    rows = published_steps(group)
    predicted, measured = [row.predicted().total for row in rows], [row.seconds for row in rows]
    return GroupResidual(
        group=group,
        rows=len(rows),
        median_error=median_error(predicted, measured),
        rank_correlation=rank_correlation(predicted, measured),
        regret=choice_regret(predicted, measured),
        ordered_pairs=ordered_pairs_share(predicted, measured),
        one_job=len({(row.model.name, row.layout.ranks, row.batch_sequences, row.sequence) for row in rows}) == 1,
    )


def _gpt(name: str, layers: int, hidden: int, heads: int) -> Transformer:
    return replace(gpt_like(name, layers=layers, hidden=hidden, heads=heads, positions=2048), vocabulary=51200)


# ---------------------------------------------------------------------------------------------------- vTrain

VTRAIN_NODE = replace(
    NODES["DGX A100"], name="vTrain's A100 node", ports=4, source="vTrain: nodes of eight A100, 800 Gb/s a node"
)
# t, p, d, b and seconds
_VTRAIN_3_6B = (
    (1, 1, 64, 8, 3.5665),
    (1, 1, 64, 4, 3.6383),
    (2, 1, 32, 8, 3.9752),
    (1, 1, 64, 2, 3.7005),
    (2, 1, 32, 16, 3.9375),
    (2, 1, 32, 4, 4.0782),
    (2, 1, 32, 2, 4.2642),
    (4, 1, 16, 16, 4.4921),
    (4, 1, 16, 32, 4.5482),
    (4, 1, 16, 8, 4.6344),
    (4, 1, 16, 4, 4.7640),
    (1, 2, 32, 4, 4.3821),
    (1, 2, 32, 2, 4.0349),
    (4, 1, 16, 2, 6.2283),
    (1, 2, 32, 8, 5.0456),
    (8, 1, 8, 64, 9.8389),
    (8, 1, 8, 32, 4.9723),
    (8, 1, 8, 16, 5.0178),
    (8, 1, 8, 8, 5.1780),
    (8, 1, 8, 4, 5.6180),
    (8, 1, 8, 2, 8.8809),
    (16, 1, 4, 32, 10.5806),
    (16, 1, 4, 16, 10.7193),
    (16, 1, 4, 8, 10.8940),
    (16, 1, 4, 4, 11.9601),
    (16, 1, 4, 2, 13.4722),
)
_VTRAIN_39_1B = (
    (2, 8, 32, 2, 21.8904),
    (4, 4, 32, 2, 13.8755),
    (2, 16, 16, 2, 23.7479),
    (4, 4, 32, 3, 16.1855),
    (4, 4, 32, 4, 15.6256),
    (4, 8, 16, 2, 16.0706),
    (2, 8, 32, 3, 19.0672),
    (4, 8, 16, 3, 17.6061),
    (4, 16, 8, 2, 14.5296),
    (2, 16, 16, 3, 26.1888),
    (4, 8, 16, 4, 17.4136),
    (4, 4, 32, 6, 18.5321),
    (8, 2, 32, 6, 14.9155),
    (8, 2, 32, 8, 15.2128),
    (8, 2, 32, 4, 14.7573),
    (8, 2, 32, 12, 17.1268),
    (8, 2, 32, 3, 14.8504),
    (4, 16, 8, 3, 15.0239),
    (8, 2, 32, 2, 14.6140),
    (4, 16, 8, 4, 15.5855),
    (8, 4, 16, 2, 14.7134),
    (4, 8, 16, 6, 16.0870),
    (8, 4, 16, 3, 14.8338),
    (8, 4, 16, 4, 14.7507),
    (8, 4, 16, 6, 15.2494),
    (8, 8, 8, 2, 15.0019),
    (8, 4, 16, 8, 15.8145),
    (8, 8, 8, 3, 15.2707),
    (8, 8, 8, 4, 14.9671),
    (4, 16, 8, 6, 20.0441),
    (8, 8, 8, 6, 15.7753),
    (8, 4, 16, 12, 17.1824),
    (1, 16, 32, 3, 19.9910),
    (8, 16, 4, 2, 15.6394),
    (2, 8, 32, 6, 23.0629),
    (8, 16, 4, 3, 16.3608),
    (8, 8, 8, 8, 16.4134),
    (8, 16, 4, 4, 15.9445),
    (8, 16, 4, 6, 16.2328),
    (2, 16, 16, 6, 27.2284),
    (8, 8, 8, 12, 17.9995),
    (4, 8, 16, 12, 20.6148),
    (8, 16, 4, 8, 16.8771),
    (8, 16, 4, 12, 18.5683),
    (4, 16, 8, 12, 27.8103),
    (8, 8, 8, 24, 23.1711),
    (8, 16, 4, 24, 24.1699),
)


def _vtrain(
    group: str, model: Transformer, batch: int, rows: tuple[tuple[int, int, int, int, float], ...]
) -> tuple[PublishedStep, ...]:
    return tuple(
        PublishedStep(
            name=f"{group}: t {t}, p {p}, d {d}, b {b}",
            group=group,
            model=model,
            node=VTRAIN_NODE,
            layout=Layout(
                tensor=t, pipeline=p, data=d, micro_batch=b, stage=0, recompute="full", sequence_parallel=False
            ),
            batch_sequences=batch,
            sequence=2048,
            seconds=seconds,
            constants=MEGATRON_A100,
            source="VIA-Research/vTrain, data/ground_truth_multi.csv at f8dda84",
        )
        for t, p, d, b, seconds in rows
    )


# ------------------------------------------------------------------------------------- Megatron, 2021 and 2022

# parameters (10⁹), layers, hidden, heads, t, p, v, GPUs, batch, b, TFLOP/s a GPU
_MEGATRON_2021 = (
    (1.7, 24, 2304, 24, 1, 1, 1, 32, 512, 16, 137),
    (3.6, 30, 3072, 32, 2, 1, 1, 64, 512, 16, 138),
    (7.5, 36, 4096, 32, 4, 1, 1, 128, 512, 16, 142),
    (18.4, 40, 6144, 48, 8, 1, 1, 256, 1024, 8, 135),
    (39.1, 48, 8192, 64, 8, 2, 1, 512, 1536, 4, 138),
    (76.1, 60, 10240, 80, 8, 4, 3, 1024, 1792, 2, 140),
    (145.6, 80, 12288, 96, 8, 8, 2, 1536, 2304, 2, 148),
    (310.1, 96, 16384, 128, 8, 16, 2, 1920, 2160, 1, 155),
    (529.6, 105, 20480, 128, 8, 35, 3, 2520, 2520, 1, 163),
    (1008.0, 128, 25600, 160, 8, 64, 1, 3072, 3072, 1, 163),
)
# name, layers, hidden, heads, p, v, GPUs, batch, b, seconds with full recomputation, with selective
_MEGATRON_2022 = (
    ("22B", 48, 6144, 64, 1, 1, 8, 4, 4, 1.42, 1.10),
    ("175B", 96, 12288, 96, 8, 3, 64, 64, 1, 18.13, 13.75),
    ("530B", 105, 20480, 128, 35, 3, 280, 280, 1, 49.05, 37.83),
    ("1T", 128, 25600, 160, 64, 1, 512, 512, 1, 94.42, 71.49),
)


def _megatron_2021() -> tuple[PublishedStep, ...]:
    rows = []
    for size, layers, hidden, heads, t, p, v, gpus, batch, b, rate in _MEGATRON_2021:
        flops = gpt_training_flops(
            batch=batch, sequence=2048, layers=layers, hidden=hidden, vocabulary=51200, recomputation="full"
        )
        layout = Layout(
            tensor=t,
            pipeline=p,
            chunks=v,
            data=gpus // (t * p),
            micro_batch=b,
            stage=0,
            recompute="full",
            sequence_parallel=False,
        )
        row = PublishedStep(
            name=f"{size:g}B on {gpus} A100",
            group="Megatron 2021",
            model=_gpt(f"GPT {size:g}B", layers, hidden, heads),
            node=NODES["DGX A100"],
            layout=layout,
            batch_sequences=batch,
            sequence=2048,
            seconds=flops / (gpus * rate * 1e12),
            constants=MEGATRON_A100,
            source="Narayanan et al. 2021, table 1, and run_table_1.sh of Megatron-LM; seconds from the printed rate",
        )
        rows.append(row)
    return tuple(rows)


def _megatron_2022() -> tuple[PublishedStep, ...]:
    rows = []
    for name, layers, hidden, heads, p, v, gpus, batch, b, full, selective in _MEGATRON_2022:
        for way, seconds in (("full", full), ("selective", selective)):
            layout = Layout(
                tensor=8,
                pipeline=p,
                chunks=v,
                data=gpus // (8 * p),
                micro_batch=b,
                stage=0,
                recompute=way,
                sequence_parallel=way == "selective",
            )
            row = PublishedStep(
                name=f"{name} on {gpus} A100, {way} recomputation",
                group="Megatron 2022",
                model=_gpt(f"GPT {name}", layers, hidden, heads),
                node=NODES["DGX A100"],
                layout=layout,
                batch_sequences=batch,
                sequence=2048,
                seconds=seconds,
                constants=MEGATRON_A100,
                source="Korthikanti et al. 2022, table 5",
            )
            rows.append(row)
    return tuple(rows)


# ------------------------------------------------------------------------------------------------- H100

# GPUs, d, batch, median seconds
_MLPERF = ((512, 4, 1152, 55.0998), (2048, 16, 1152, 14.2054), (8192, 64, 1536, 5.1804))
# GPUs, c, d, sequence, sequences of a data rank, TFLOP/s a GPU
_LLAMA_3 = (
    (8192, 1, 64, 8192, 32, 430),
    (16384, 1, 128, 8192, 16, 400),
    (16384, 16, 8, 131072, 16, 380),
)


def _mlperf() -> tuple[PublishedStep, ...]:
    return tuple(
        PublishedStep(
            name=f"405B on {gpus} H100, fp8",
            group="MLPerf 405B",
            model=MODELS["Llama 3 405B"],
            node=NODES["DGX H100"],
            layout=Layout(tensor=8, pipeline=8, context=2, data=data, chunks=8, stage=1),
            batch_sequences=batch,
            sequence=8192,
            seconds=seconds,
            constants=H100_FP8,
            attention="flash",
            mask="half",
            dtype="fp8",
            source="MLPerf Training v5.0 results, NVIDIA, eos-dfw, llama31_405b: median of the logged steps",
        )
        for gpus, data, batch, seconds in _MLPERF
    )


# model, GPUs, batch, b, sequence, t, p, v, c, e, seconds, release
_NEMO_DENSE = (
    ("Llama 2 13B", 16, 128, 1, 4096, 1, 4, 1, 1, 1, 3.9271, "NeMo Framework Launcher"),
    ("Llama 2 70B", 64, 128, 1, 4096, 4, 4, 1, 1, 1, 4.9379, "NeMo Framework Launcher"),
    ("Llama 3 70B", 64, 128, 1, 8192, 4, 4, 1, 2, 1, 11.3463, "NeMo Framework Launcher"),
    ("Llama 3 405B", 1024, 512, 1, 8192, 8, 8, 8, 2, 1, 14.0274, "Megatron Bridge 25.11"),
    ("Llama 3 70B", 64, 256, 1, 8192, 4, 8, 5, 1, 1, 20.2147, "Megatron Bridge 26.02"),
    ("Llama 3 405B", 1024, 1536, 1, 8192, 8, 8, 8, 2, 1, 39.5113, "Megatron Bridge 26.02"),
)
_NEMO_EXPERTS = (
    ("Qwen3 235B-A22B", 256, 2048, 1, 4096, 2, 8, 4, 1, 32, 20.8051, "Megatron Bridge 25.11"),
    ("Qwen3 30B-A3B", 16, 512, 2, 4096, 1, 2, 24, 1, 8, 24.8478, "Megatron Bridge 25.11"),
    ("Qwen3 30B-A3B", 16, 1024, 1, 4096, 1, 2, 12, 1, 8, 28.9406, "Megatron Bridge 26.02.01"),
    ("Qwen3 235B-A22B", 256, 8192, 1, 4096, 2, 8, 4, 1, 32, 77.7414, "Megatron Bridge 26.04"),
)


def _nemo(group: str, rows: tuple[tuple[Any, ...], ...]) -> tuple[PublishedStep, ...]:
    return tuple(
        PublishedStep(
            name=f"{model} on {gpus} H100, {release}, batch {batch}",
            group=group,
            model=MODELS[model],
            node=NODES["DGX H100"],
            layout=Layout(
                tensor=t,
                pipeline=p,
                chunks=v,
                context=c,
                expert=e,
                data=gpus // (t * p * c),
                micro_batch=b,
                stage=1,
            ),
            batch_sequences=batch,
            sequence=sequence,
            seconds=seconds,
            constants=H100_FP8,
            attention="flash",
            mask="half",
            dtype="fp8",
            source=f"NVIDIA, performance tables of {release}; seconds from tokens a second and GPU",
        )
        for model, gpus, batch, b, sequence, t, p, v, c, e, seconds, release in rows
    )


def _llama_3() -> tuple[PublishedStep, ...]:
    rows = []
    for gpus, context, data, sequence, share, rate in _LLAMA_3:
        model, batch = MODELS["Llama 3 405B"], data * share
        flops = training_step_flops(model, batch=batch, sequence=sequence)
        row = PublishedStep(
            name=f"405B on {gpus} H100, {sequence} tokens",
            group="Llama 3 405B",
            model=model,
            node=NODES["DGX H100"],
            layout=Layout(tensor=8, pipeline=16, context=context, data=data, chunks=8, stage=1),
            batch_sequences=batch,
            sequence=sequence,
            seconds=flops / (gpus * rate * 1e12),
            constants=H100_BF16,
            attention="flash",
            source="Grattafiori et al. 2024, table 4; a layer a chunk: section 3.3.2; seconds from the printed rate",
        )
        rows.append(row)
    return tuple(rows)


TORCHTITAN_NODE = replace(
    NODES["DGX H100"],
    name="torchtitan's H100 node",
    accelerator=replace(
        ACCELERATORS["H100 SXM"],
        name="H100 96GB HBM2e",
        memory_bytes=96 * 10**9,
        memory_bandwidth_bytes_per_s=2_400 * 10**9,
    ),
    source="torchtitan benchmarks/llama3_h100_202412_torchtitan.md: 96 GB of HBM2e, 500 W",
)
# model, GPUs, d, t, p, c, batch, b, sequence, number format, recomputation, seconds
_TORCHTITAN = (
    ("8B", 8, 8, 1, 1, 1, 16, 2, 8192, "bf16", "selective", 2.8435),
    ("8B", 128, 128, 1, 1, 1, 256, 2, 8192, "bf16", "selective", 2.9231),
    ("8B", 128, 128, 1, 1, 1, 256, 2, 8192, "fp8", "selective", 1.9551),
    ("8B", 8, 8, 1, 1, 1, 8, 1, 32768, "fp8", "full", 8.4237),
    ("8B", 8, 4, 1, 1, 2, 4, 1, 65536, "fp8", "full", 12.9008),
    ("8B", 8, 2, 1, 1, 4, 2, 1, 131072, "fp8", "full", 30.5957),
    ("8B", 8, 1, 1, 1, 8, 1, 1, 262144, "fp8", "full", 59.7956),
    ("70B", 256, 32, 8, 1, 1, 512, 16, 8192, "fp8", "full", 18.7032),
    ("405B", 512, 8, 8, 8, 1, 256, 4, 8192, "fp8", "full", 32.0),
)


def _torchtitan() -> tuple[PublishedStep, ...]:
    return tuple(
        PublishedStep(
            name=f"{size} on {gpus} H100, {sequence} tokens, {dtype}",
            group="torchtitan",
            model=MODELS[f"Llama 3 {size}"],
            node=TORCHTITAN_NODE,
            layout=Layout(
                tensor=t,
                pipeline=p,
                context=c,
                data=data,
                micro_batch=b,
                stage=3,
                recompute=recompute,
                uneven=True,
                context_kind="ring",
            ),
            batch_sequences=batch,
            sequence=sequence,
            seconds=seconds,
            constants=H100_FP8 if dtype == "fp8" else H100_BF16,
            attention="flash",
            mask="half",
            dtype=dtype,
            source="torchtitan benchmarks/llama3_h100_202412_torchtitan.md at b5bcd76",
        )
        for size, gpus, data, t, p, c, batch, b, sequence, dtype, recompute, seconds in _TORCHTITAN
    )


_ROWS = {
    "vTrain 3.6B": _vtrain("vTrain 3.6B", _gpt("GPT 3.6B", 30, 3072, 32), 512, _VTRAIN_3_6B),
    "vTrain 39.1B": _vtrain("vTrain 39.1B", _gpt("GPT 39.1B", 48, 8192, 64), 1536, _VTRAIN_39_1B),
    "Megatron 2021": _megatron_2021(),
    "Megatron 2022": _megatron_2022(),
    "MLPerf 405B": _mlperf(),
    "NeMo dense": _nemo("NeMo dense", _NEMO_DENSE),
    "NeMo experts": _nemo("NeMo experts", _NEMO_EXPERTS),
    "Llama 3 405B": _llama_3(),
    "torchtitan": _torchtitan(),
}
