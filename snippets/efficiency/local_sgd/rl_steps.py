"""Formulas: 19 published steps of reinforcement learning, and what a model of three terms says of them.

The documentation of NeMo RL says what the columns are: T- stands for training and G- for generation; G-GBS is how many
sequences a step generates, T-GBS how many one update is made of. A step's time has training, generation, the policy's
probabilities and the moving of weights. In the recipes the longest sequence is prompt and answer together.
What the average counts is not said. The printed tokens a second and GPU, times GPUs and seconds, are 2 to 16% more than
G-GBS times the average: in 15 of the 19 rows 99 to 121 tokens a sequence, which we take for the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from snippets.domain import (
    Answers,
    Catalogue,
    integer_fields,
    named,
    of_kind,
    positive_integer,
    positive_number,
    text,
    text_fields,
)
from snippets.efficiency.local_sgd.rl_formulas import (
    cached_token_bytes,
    decoding_weight_bytes,
    own_shards_s,
    policy_training_flops,
    policy_training_time_s,
    rl_step_s,
    rollout_time_s,
)
from snippets.hardware import ACCELERATORS, DTYPES, NODES, dense_peak_flops_per_s
from snippets.models import MODELS, active_parameter_count, parameter_count

READ = "2026-11-29"
PROMPT_TOKENS = 110  # the median of what the rows' tokens are more than the generated ones
LINK_SHARE = 0.8  # of a port's rate, as everywhere in this book
HELD_SHARE = 0.8  # of a GPU's memory, which the recipes with two fleets give to the generating engine
_NODES = MappingProxyType({"H100 SXM": "DGX H100", "GB200": "GB200 NVL72"})


@dataclass(frozen=True)
class RlStep(Answers):
    """One published row: a job, how it was cut, and how long a step took.

    Attributes:
        name: machine, model, GPUs and how many steps off: no two rows share one.
        line: of the table's file.
        accelerator: a name in ``ACCELERATORS``.
        dtype: of the weights, in training and generation.
        model: a name in ``MODELS``; Nemotron 3 Nano is not among them, and no prediction is made for it.
        steps_off: how many updates may lie between the weights that generate and those that are trained; with 0 all
            GPUs do both, one after the other.
        longest_tokens: of a sequence, prompt and answer together.
        mean_tokens: of an answer.
        devices: of both fleets together.
        generating_devices: that only generate, as the recipe of the row has it; ``None`` on-policy.
        sequences: that a step generates (G-GBS).
        update_sequences: of one update of the weights (T-GBS).
        generation_tensor: GPUs of a generating replica.
        training: its tensor, context, expert and pipeline sizes.
        tokens_per_s_per_gpu: as printed.
        seconds: of a step, as printed.
        source: where the table stands.
        recipe: the file with the settings of such a run, as it stands in later commits too.

    >>> RL_STEPS["H100 DeepSeek-V3 512, 1 off"].seconds
    64.1
    >>> from dataclasses import replace
    >>> replace(RL_STEPS["H100 DeepSeek-V3 512, 1 off"], name="mine", generating_devices=128).training_devices
    384
    """

    name: str
    line: int
    accelerator: str
    dtype: str
    model: str
    steps_off: int
    longest_tokens: int
    mean_tokens: int
    devices: int
    generating_devices: int | None
    sequences: int
    update_sequences: int
    generation_tensor: int
    training: tuple[int, int, int, int]
    tokens_per_s_per_gpu: float
    seconds: float
    source: str = "NVIDIA-NeMo/RL, docs/about/performance-summary.md at 7ea279abf (NeMo RL 0.6)"
    recipe: str = ""

    def __post_init__(self) -> None:
        text_fields(self, "name", "accelerator", "model", "source", "recipe")
        object.__setattr__(self, "dtype", named("dtype", self.dtype, DTYPES))
        integer_fields(self, "line", "longest_tokens", "mean_tokens", "devices", "sequences", "update_sequences")
        integer_fields(self, "generation_tensor")
        integer_fields(self, "steps_off", minimum=0)
        for field in ("tokens_per_s_per_gpu", "seconds"):
            object.__setattr__(self, field, positive_number(field, getattr(self, field)))
        if not isinstance(self.training, tuple | list) or len(self.training) != 4:
            raise ValueError(f"training must be four sizes, got {self.training!r}")
        object.__setattr__(self, "training", tuple(positive_integer("training", size) for size in self.training))
        if self.mean_tokens > self.longest_tokens:
            raise ValueError(f"mean_tokens must be at most {self.longest_tokens}, got {self.mean_tokens!r}")
        if (self.steps_off == 0) != (self.generating_devices is None):
            raise ValueError(
                f"generating_devices must be None exactly where steps_off is 0, got {self.generating_devices!r}"
            )
        if self.generating_devices is not None:
            generating = positive_integer("generating_devices", self.generating_devices)
            if generating >= self.devices:
                raise ValueError(f"generating_devices must be fewer than devices = {self.devices}, got {generating}")
            object.__setattr__(self, "generating_devices", generating)

    @property
    def training_devices(self) -> int:
        """GPUs that train.

        >>> RL_STEPS["H100 Qwen3 30B-A3B 192, 8 off"].training_devices
        128
        """
        return self.devices - (self.generating_devices or 0)

    @property
    def tokens(self) -> float:
        """Tokens of a step, from the printed rate.

        >>> round(RL_STEPS["GB200 Qwen3 30B-A3B 16, 1 off"].tokens / 1e6, 2)
        6.77
        """
        return self.tokens_per_s_per_gpu * self.devices * self.seconds

    @property
    def prompt_tokens(self) -> float:
        """What is left of a sequence's share of the tokens without the mean answer: the prompt, if the row is sound.

        >>> round(RL_STEPS["GB200 Qwen3 30B-A3B 16, 1 off"].prompt_tokens)
        109
        """
        return self.tokens / self.sequences - self.mean_tokens

    @property
    def micro_batches(self) -> int:
        """Micro-batches of a training replica in an update, sequences packed to the longest.

        >>> RL_STEPS["H100 DeepSeek-V3 512, on-policy"].micro_batches
        9
        """
        t, c, _, p = self.training
        replicas = max(1, self.training_devices // (t * c * p))
        packed = self.update_sequences * (self.mean_tokens + PROMPT_TOKENS)
        return max(1, -(-packed // (replicas * self.longest_tokens)))


class RlShares(NamedTuple):
    """The model's two constants: shares of the data sheet's rates.

    >>> RlShares(0.4, 0.1).utilization
    0.1
    """

    memory_share: float
    utilization: float


class RlTimes(NamedTuple):
    """A step's three terms and the step, in seconds.

    >>> RlTimes(3.0, 2.0, 1.0, 6.0).step_s
    6.0
    """

    generation_s: float
    training_s: float
    moving_s: float
    step_s: float


class RlReading(NamedTuple):
    """Which side sets a split fleet's pace, with the constants that then follow from two rows.

    >>> RlReading("training", RlShares(0.4, 0.1)).slower
    'training'
    """

    slower: str
    shares: RlShares


class RlResidual(NamedTuple):
    """A row's name, the predicted and the reported seconds.

    >>> RlResidual("mine", 75.0, 100.0).error
    -0.25
    """

    name: str
    predicted_s: float
    reported_s: float

    @property
    def error(self) -> float:
        """Predicted over reported, less 1.

        >>> round(RlResidual("mine", 110.0, 100.0).error, 2)
        0.1
        """
        return self.predicted_s / self.reported_s - 1


_FOLDER = "examples/configs/recipes/llm/performance"
# fmt: off
_ROWS = (
    (56, "H100 SXM", "bf16", "DeepSeek-V3", 0, 1536, 701, 256, None, 512, 512, 32, (1, 1, 16, 16), 12.1, 134),
    (57, "H100 SXM", "bf16", "DeepSeek-V3", 0, 1536, 697, 512, None, 512, 512, 32, (1, 1, 16, 16), 7.24, 111),
    (58, "H100 SXM", "bf16", "DeepSeek-V3", 1, 1536, 710, 512, 256, 512, 512, 32, (1, 1, 16, 16), 12.8, 64.1),
    (59, "H100 SXM", "bf16", "Qwen3 235B-A22B", 0, 8192, 5698, 128, None, 512, 512, 16, (2, 2, 16, 8), 58.9, 395),
    (60, "H100 SXM", "bf16", "Qwen3 235B-A22B", 0, 8192, 5713, 256, None, 512, 512, 16, (2, 2, 16, 8), 37.4, 312),
    (61, "H100 SXM", "bf16", "Qwen3 235B-A22B", 1, 8192, 5721, 256, 128, 512, 512, 8, (4, 1, 16, 8), 58.7, 231),
    (62, "H100 SXM", "bf16", "Qwen3 30B-A3B", 0, 4096, 3203, 32, None, 2048, 512, 2, (1, 1, 8, 1), 1102, 192),
    (63, "H100 SXM", "bf16", "Qwen3 30B-A3B", 1, 4096, 3201, 32, 16, 2048, 512, 2, (1, 1, 8, 2), 1414, 152),
    (64, "H100 SXM", "bf16", "Qwen3 30B-A3B", 8, 4096, 3206, 192, 64, 2048, 512, 2, (1, 1, 8, 1), 1025, 34.5),
    (65, "H100 SXM", "bf16", "Nemotron 3 Nano", 1, 131072, 31599, 128, 64, 512, 512, 8, (8, 8, 8, 1), 37.5, 430),
    (75, "H100 SXM", "fp8", "DeepSeek-V3", 1, 1536, 721, 512, 256, 512, 512, 16, (1, 1, 16, 16), 14.1, 59.2),
    (85, "GB200", "bf16", "DeepSeek-V3", 0, 1536, 711, 128, None, 512, 512, 32, (1, 1, 16, 8), 30.2, 108),
    (86, "GB200", "bf16", "DeepSeek-V3", 0, 1536, 700, 256, None, 512, 512, 32, (1, 1, 16, 8), 16.4, 98.7),
    (87, "GB200", "bf16", "DeepSeek-V3", 1, 1536, 708, 256, 128, 512, 512, 16, (1, 1, 16, 8), 26.7, 61.7),
    (88, "GB200", "bf16", "Qwen3 235B-A22B", 0, 8192, 5709, 64, None, 512, 512, 8, (2, 2, 16, 4), 163, 286),
    (89, "GB200", "bf16", "Qwen3 235B-A22B", 0, 8192, 5693, 128, None, 512, 512, 8, (2, 2, 16, 4), 67.4, 345),
    (90, "GB200", "bf16", "Qwen3 235B-A22B", 1, 8192, 5705, 128, 64, 512, 512, 8, (4, 1, 16, 4), 85.5, 278),
    (91, "GB200", "bf16", "Qwen3 30B-A3B", 0, 4096, 3199, 16, None, 2048, 512, 1, (1, 1, 16, 1), 1910, 221),
    (92, "GB200", "bf16", "Qwen3 30B-A3B", 1, 4096, 3197, 16, 8, 2048, 512, 1, (1, 1, 16, 1), 1406, 301),
)
# fmt: on
_RECIPES = {
    56: "deepseek-v3-32n8g",
    57: "deepseek-v3-64n8g",
    58: "deepseek-v3-64n8g-async-1off",
    59: "qwen3-235b-16n8g",
    60: "qwen3-235b-32n8g",
    61: "qwen3-235b-32n8g-async-1off",
    62: "qwen3-30ba3b-4n8g",
    63: "qwen3-30ba3b-4n8g-async-1off",
    64: "qwen3-30ba3b-24n8g-async-8off",
    65: "nemotron-nano-16n8g-async-1off-swe",
    75: "deepseek-v3-64n8g-fp8-async-1off",
    85: "deepseek-v3-32n4g",
    86: "deepseek-v3-64n4g",
    87: "deepseek-v3-64n4g-async-1off",
    88: "qwen3-235b-16n4g",
    89: "qwen3-235b-32n4g",
    90: "qwen3-235b-32n4g-async-1off",
    91: "qwen3-30ba3b-4n4g",
    92: "qwen3-30ba3b-4n4g-async-1off",
}


def _row(line: int, accelerator: str, dtype: str, model: str, off: int, *rest: Any) -> RlStep:
    policy = f"{off} off" if off else "on-policy"
    machine = accelerator.split()[0] + (" FP8" if dtype == "fp8" else "")
    recipe = f"{_FOLDER}/grpo-{_RECIPES[line]}.yaml"
    name = f"{machine} {model} {rest[2]}, {policy}"
    return replace(RlStep(name, line, accelerator, dtype, model, off, *rest), recipe=recipe)


RL_STEPS = Catalogue("rl_step", RlStep, (_row(*row) for row in _ROWS))

# What ``rl_readings`` says of the 30B model's two rows on each machine, if training is the slower side of two fleets.
RL_30B_H100 = RlShares(0.395, 0.0968)
RL_30B_GB200 = RlShares(0.556, 0.0379)


def predicted_rl_step(rl_step: RlStep | str, *, shares: RlShares = RL_30B_H100) -> RlTimes:
    """Return what the model of three terms predicts for a published row.

    Args:
        rl_step: a row, or its name in ``RL_STEPS``; its model must be in ``MODELS``.
        shares: the model's two constants.

    Returns:
        The times of generating, training and moving weights, and of the step: their sum on-policy, the larger of the
        first two and the third on two fleets.

    Source: ``rollout_time_s``, ``policy_training_time_s``, ``own_shards_s``, ``rl_step_s``.
    Convention: two passes for probabilities, by the policy and by the reference, as the recipes have them; with
        ``steps_off`` above 1 as many batches are generated at once.
    Leaves out: rewards, prompts, what a shared fleet needs to change from one work to the other.

    Example:
        >>> times = predicted_rl_step("GB200 Qwen3 30B-A3B 16, 1 off", shares=RL_30B_GB200)
        >>> round(times.generation_s), round(times.training_s), round(times.step_s)
        (85, 300, 301)
    """
    row, found = RL_STEPS.find(rl_step), of_kind("shares", shares, RlShares)
    generating = row.generating_devices or row.devices
    stages = row.training[3]
    width = 1 if row.dtype == "fp8" else 2
    generation = rollout_time_s(
        row.model,
        accelerator=row.accelerator,
        devices=generating,
        tensor_parallel=row.generation_tensor,
        sequences=row.sequences,
        longest_tokens=max(row.longest_tokens - PROMPT_TOKENS, row.mean_tokens),
        mean_tokens=row.mean_tokens,
        prompt_tokens=PROMPT_TOKENS,
        memory_share=found.memory_share,
        batches=max(1, row.steps_off),
        element_bytes=width,
    )
    training = policy_training_time_s(
        flops=policy_training_flops(
            active_parameters=active_parameter_count(row.model),
            tokens=row.sequences * (row.mean_tokens + PROMPT_TOKENS),
        ),
        devices=row.training_devices,
        peak_flops_per_s=dense_peak_flops_per_s(row.accelerator, row.dtype),
        utilization=found.utilization,
        micro_batches=row.micro_batches,
        stages=stages,
    )
    node = NODES[_NODES[ACCELERATORS[row.accelerator].name]]
    moving = own_shards_s(
        weight_bytes=width * parameter_count(row.model),
        bandwidth_bytes_per_s=LINK_SHARE * node.network_bytes_per_s_per_accelerator,
        tensor_parallel=row.generation_tensor,
        generating_devices=generating,
        training_devices=row.training_devices,
    )
    step = rl_step_s(generation_s=generation, training_s=training, moving_s=moving, steps_off=row.steps_off)
    return RlTimes(generation, training, moving, step)


def rl_readings(*, on_policy: RlStep | str, split: RlStep | str) -> tuple[RlReading, ...]:
    """Return which constants two rows of one job allow: one on a shared fleet, one on two.

    The split row says how long its slower side takes, but not which side that is. Either is tried; then the on-policy
    row gives the other constant. A reading counts if the side that is said to be the faster comes out as the faster.

    Args:
        on_policy: a row with ``steps_off`` 0, or its name.
        split: a row with ``steps_off`` above 0, or its name.

    Returns:
        At most two readings; none where the on-policy step takes more than both sides could need, whichever is slower.

    Source: derived: two equations, two constants.
    Convention: the constants are the same in both rows.
    Leaves out: the rows' own errors of measurement.

    Example:
        >>> found = rl_readings(on_policy="GB200 Qwen3 30B-A3B 16, on-policy", split="GB200 Qwen3 30B-A3B 16, 1 off")
        >>> [(each.slower, round(each.shares.memory_share, 2), round(each.shares.utilization, 3)) for each in found]
        [('training', 0.56, 0.038)]
    """
    first, second = _step_of("on_policy", on_policy), _step_of("split", split)
    for name, row, off in (("on_policy", first, 0), ("split", second, 1)):
        if min(row.steps_off, 1) != off:
            raise ValueError(f"{name} must be a row {('on-policy', 'with steps off')[off]}, got {row.name!r}")
    one = RlShares(1.0, 1.0)  # at these, times are what the constants divide
    whole, half = predicted_rl_step(first, shares=one), predicted_rl_step(second, shares=one)
    both, slower = first.seconds - whole.moving_s, second.seconds - half.moving_s
    readings = []
    memory = half.generation_s / slower
    rest = both - whole.generation_s / memory
    if rest > 0 and half.training_s * rest <= slower * whole.training_s:
        readings.append(RlReading("generation", RlShares(memory, whole.training_s / rest)))
    utilization = half.training_s / slower
    rest = both - whole.training_s / utilization
    if rest > 0 and half.generation_s * rest <= slower * whole.generation_s:
        readings.append(RlReading("training", RlShares(whole.generation_s / rest, utilization)))
    return tuple(each for each in readings if each.shares.memory_share <= 1 and each.shares.utilization <= 1)


def _step_of(name: str, rl_step: RlStep | str) -> RlStep:
    """Return a row, or that of a name, or refuse it under an argument's name."""
    return rl_step if isinstance(rl_step, RlStep) else RL_STEPS[RL_STEPS.name_of(rl_step, argument=name)]


def rl_residuals(shares: RlShares = RL_30B_H100, *, accelerator: str = "", model: str = "") -> tuple[RlResidual, ...]:
    """Return every row that the model can predict, predicted beside reported.

    Args:
        shares: the model's two constants.
        accelerator: of these rows alone; all if empty.
        model: of these rows alone; all if empty.

    Returns:
        In the table's order; the row of Nemotron 3 Nano is left out.

    Source: ``predicted_rl_step``.
    Convention: one pair of constants for all rows.
    Leaves out: rows whose model is not in ``MODELS``.

    Example:
        >>> [(each.name, round(each.predicted_s)) for each in rl_residuals(accelerator="GB200", model="Qwen3 30B-A3B")]
        [('GB200 Qwen3 30B-A3B 16, on-policy', 158), ('GB200 Qwen3 30B-A3B 16, 1 off', 121)]
    """
    found = of_kind("shares", shares, RlShares)
    device, network = text("accelerator", accelerator), text("model", model)
    device = device and ACCELERATORS.name_of(device, argument="accelerator")
    network = network and MODELS.name_of(network, argument="model")
    return tuple(
        RlResidual(row.name, predicted_rl_step(row, shares=found).step_s, row.seconds)
        for row in RL_STEPS.values()
        if row.model in MODELS
        and row.accelerator == (device or row.accelerator)
        and row.model == (network or row.model)
    )


def rl_splits(rl_step: RlStep | str, *, shares: RlShares = RL_30B_H100) -> Mapping[int, RlTimes]:
    """Return the times of every split of a row's fleet, by how many GPUs generate, one step off.

    Args:
        rl_step: a row, or its name in ``RL_STEPS``.
        shares: the model's two constants.

    Returns:
        Splits of which the generating side has whole replicas and room for its weights and, in the mean, its caches,
        and of which the training side has whole replicas. May be empty.

    Source: ``predicted_rl_step``.
    Convention: ``HELD_SHARE`` of the memory is the engine's; a cache has the prompt and half of the mean answer. The
        expert axis is taken to fit any number of GPUs.
    Leaves out: whether the weights, gradients and states of training have room on the other side.

    Example:
        >>> splits = rl_splits("GB200 Qwen3 30B-A3B 16, on-policy", shares=RL_30B_GB200)
        >>> best = min(splits, key=lambda gpus: splits[gpus].step_s)
        >>> best, round(splits[best].step_s), round(splits[8].step_s)
        (4, 201, 301)
    """
    row, t = RL_STEPS.find(rl_step), RL_STEPS.find(rl_step).generation_tensor
    size = row.training[0] * row.training[1] * row.training[3]
    width = 1 if row.dtype == "fp8" else 2
    room = HELD_SHARE * ACCELERATORS[row.accelerator].memory_bytes
    cached = cached_token_bytes(row.model, tensor_parallel=t, element_bytes=width)
    found = {}
    for generating in range(t, row.devices, t):
        own = row.sequences * t / generating
        weights = decoding_weight_bytes(row.model, sequences=2**40, element_bytes=width) / t
        held = weights + own * (PROMPT_TOKENS + row.mean_tokens / 2) * cached
        if held <= room and own >= 1 and (row.devices - generating) % size == 0:
            cut = replace(row, steps_off=1, generating_devices=generating)
            found[generating] = predicted_rl_step(cut, shares=shares)
    return MappingProxyType(found)
