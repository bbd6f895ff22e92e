"""Formulas: training runs with the GPU hours that their makers published, and the share of the peak that follows."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked
from snippets.flops import flops_utilization, training_flops
from snippets.hardware import dense_peak_flops_per_s
from snippets.models import parameter_count

READ = "2026-11-23"
_LLAMA_1 = "Touvron et al. 2023, tables 2 and 15"
_LLAMA_2 = "meta-llama/llama-models, models/llama2/MODEL_CARD.md at commit d13eea5ec039baa48b5f0fa3641692a45b639da7"
_LLAMA_3 = "meta-llama/llama-models, models/llama3_1/MODEL_CARD.md at commit 1b28708fc46501a449e03d8d618340a052d9ba07"


@dataclass(frozen=True)
class TrainingRun(Checked):
    """A finished training run: what was trained on how much, and the hours of all accelerators together.

    Attributes:
        name: the model as its makers call it.
        model: its name in ``snippets.models.MODELS``.
        tokens: tokens of the training; the card of Llama 3.1 prints "15T+", of which 15·10¹² is the lower bound.
        device: the accelerator's name in ``snippets.hardware.ACCELERATORS``.
        device_hours: hours of all of them, added up, as printed.
        source: where the hours and tokens are printed.
        read: when they were read there.

    >>> run = TrainingRun("small", "GPT-2 124M", 10**9, "A100 SXM 80GB", 2, "nowhere")
    >>> round(run.peak_share, 3)
    0.332
    """

    name: str
    model: str
    tokens: int
    device: str
    device_hours: int
    source: str
    read: str = READ

    @property
    def peak_share(self) -> float:
        """6ND over what the hours would have held at the dense bf16 peak: all that was lost, in one number.

        >>> round(TRAINING_RUNS["Llama 3.1 405B"].peak_share, 3)
        0.346
        """
        return flops_utilization(
            flops=training_flops(parameters=parameter_count(self.model), tokens=self.tokens),
            seconds=3600 * self.device_hours,
            devices=1,
            peak_flops_per_s=dense_peak_flops_per_s(self.device, "bf16"),
        )


_A100, _H100 = "A100 SXM 80GB", "H100 SXM"

TRAINING_RUNS = Catalogue(
    "run",
    TrainingRun,
    (
        TrainingRun("LLaMA 7B", "LLaMA 7B", 10**12, _A100, 82_432, _LLAMA_1),
        TrainingRun("LLaMA 13B", "LLaMA 13B", 10**12, _A100, 135_168, _LLAMA_1),
        TrainingRun("LLaMA 33B", "LLaMA 33B", 14 * 10**11, _A100, 530_432, _LLAMA_1),
        TrainingRun("LLaMA 65B", "LLaMA 65B", 14 * 10**11, _A100, 1_022_362, _LLAMA_1),
        TrainingRun("Llama 2 7B", "Llama 2 7B", 2 * 10**12, _A100, 184_320, _LLAMA_2),
        TrainingRun("Llama 2 13B", "Llama 2 13B", 2 * 10**12, _A100, 368_640, _LLAMA_2),
        TrainingRun("Llama 2 70B", "Llama 2 70B", 2 * 10**12, _A100, 1_720_320, _LLAMA_2),
        TrainingRun("Llama 3.1 8B", "Llama 3 8B", 15 * 10**12, _H100, 1_460_000, _LLAMA_3),
        TrainingRun("Llama 3.1 70B", "Llama 3 70B", 15 * 10**12, _H100, 7_000_000, _LLAMA_3),
        TrainingRun(
            "Llama 3.1 405B",
            "Llama 3 405B",
            156 * 10**11,
            _H100,
            30_840_000,
            f"{_LLAMA_3}; tokens: Grattafiori et al. 2024",
        ),
    ),
)

# DeepSeek-AI 2024, table 1: thousands of H800 hours of pre-training, context extension and post-training.
DEEPSEEK_V3_KILOHOURS = {"pre-training": 2_664, "context extension": 119, "post-training": 5}
# MLPerf Training 3.0 (June 2023), GPT-3 175B on H100 of NVIDIA and CoreWeave: GPUs, minutes.
MLPERF_GPT3_MINUTES = {768: 45.606, 1536: 23.611, 3584: 10.940}
