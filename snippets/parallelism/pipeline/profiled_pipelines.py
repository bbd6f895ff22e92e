"""Formulas: a catalogue of published pipeline runs, with the profiled times, bubbles, rates and memory of their paper.

All are from Qi et al. 2024 (Zero Bubble Pipeline Parallelism, arXiv:2401.10241; read on 2026-11-21): the models and
sizes from table 3, samples per second and memory from table 4, bubble rates from table 5, times from appendix D. The
GPUs are A100 SXM 80 GB, 8 to a node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from snippets.domain import Catalogue, flag
from snippets.parallelism.pipeline.formulas import pipeline_pass_activation_bytes

READ = "2026-11-21"
SCHEDULES = ("one_f_one_b", "interleaved", "zb_h1", "zb_h2")


@dataclass(frozen=True)
class ProfiledRun:
    """A GPT-like model on one pipeline, as reported.

    Attributes:
        model: its size, as the paper writes it.
        layers: transformer layers; the first and the last stage have one fewer than the others.
        heads: attention heads.
        hidden: width.
        sequence: tokens of a sequence.
        stages: p, one on each GPU.
        micro_batch: sequences of a micro-batch.
        micro_batches: m.
        forward_s: time of F on a stage.
        input_gradient_s: time of B, the gradient of the stage's input alone.
        weight_gradient_s: time of W.
        message_s: time of one message.
        bubbles: by schedule, the share of the longest device's time from its own start to its own end that is not
            work; computed by the authors from the four times.
        samples_per_device_s: by schedule, measured throughput; ``"zb_h1"`` stands for ZB-1p, whose bubble is the same.
        memory_gb: by schedule, measured peak of the fullest GPU; in what the paper calls GB.

    Source: Qi et al. 2024, tables 3 to 5 and appendix D.
    Convention: the interleaved runs have one layer in a chunk; heads and layers are the paper's.
    Leaves out: ZB-2p and ZB-V, whose orders a search finds.

    Example:
        >>> run = PROFILED_RUNS["14.6B, 48 micro-batches"]
        >>> run.layers_per_stage, round(run.work_s * 1000, 3), round(run.layer_activation_bytes / 1e6)
        (3, 30.727, 388)
        >>> run.durations_s(splits_backward=False)
        {'F': 0.011347, 'B': 0.01938}
    """

    model: str
    layers: int
    heads: int
    hidden: int
    sequence: int
    stages: int
    micro_batch: int
    micro_batches: int
    forward_s: float
    input_gradient_s: float
    weight_gradient_s: float
    message_s: float
    bubbles: Mapping[str, float]
    samples_per_device_s: Mapping[str, float]
    memory_gb: Mapping[str, int]

    @property
    def name(self) -> str:
        """The model and how many micro-batches it ran with."""
        return f"{self.model}, {self.micro_batches} micro-batches"

    @property
    def layers_per_stage(self) -> int:
        """Layers of every stage but the first and the last."""
        return (self.layers + 2) // self.stages

    @property
    def work_s(self) -> float:
        """Time of all three passes of a micro-batch on a stage."""
        return self.forward_s + self.input_gradient_s + self.weight_gradient_s

    @property
    def layer_activation_bytes(self) -> int:
        """What a layer keeps of one micro-batch until its B, by ``pipeline_pass_activation_bytes``."""
        return pipeline_pass_activation_bytes(
            micro_batch=self.micro_batch, sequence=self.sequence, hidden=self.hidden, heads=self.heads
        ).until_backward

    def durations_s(self, *, splits_backward: bool) -> dict[str, float]:
        """Return the times by kind of task, as ``run_pipeline`` takes them; unsplit, B is the whole backward."""
        if flag("splits_backward", splits_backward):
            return {"F": self.forward_s, "B": self.input_gradient_s, "W": self.weight_gradient_s}
        return {"F": self.forward_s, "B": self.input_gradient_s + self.weight_gradient_s}


# model: layers, heads, hidden, stages, sequences in a micro-batch; GB of 1F1B, interleaved, ZB-1p
_MODELS = {
    "1.5B": ((22, 24, 2304, 8, 6), (30, 40, 32)),
    "6.2B": ((30, 32, 4096, 8, 3), (39, 48, 42)),
    "14.6B": ((46, 40, 5120, 16, 1), (32, 39, 33)),
    "28.3B": ((62, 48, 6144, 32, 1), (43, 58, 44)),
}

# model, micro-batches; F, B, W and message in ms; bubbles of SCHEDULES; samples a second of 1F1B, interleaved, ZB-1p
_TABLE = (
    ("1.5B", 24, (18.522, 18.086, 9.337, 0.601), (0.2431, 0.1055, 0.1585, 0.1083), (11.8, 13.1, 12.9)),
    ("1.5B", 32, (18.513, 18.086, 9.331, 0.626), (0.1985, 0.0818, 0.1242, 0.0837), (12.5, 13.4, 13.4)),
    ("1.5B", 64, (18.546, 18.097, 9.321, 0.762), (0.1240, 0.0443, 0.0674, 0.0444), (13.6, 13.9, 14.2)),
    ("6.2B", 24, (29.718, 29.444, 19.927, 0.527), (0.2347, 0.0808, 0.1323, 0.0698), (3.50, 4.01, 3.88)),
    ("6.2B", 32, (29.802, 29.428, 19.530, 0.577), (0.1898, 0.0628, 0.1045, 0.0559), (3.70, 4.08, 4.00)),
    ("6.2B", 64, (29.935, 29.621, 19.388, 0.535), (0.1091, 0.0320, 0.0554, 0.0294), (4.03, 4.19, 4.20)),
    ("14.6B", 48, (11.347, 11.248, 8.132, 0.377), (0.2552, 0.1104, 0.1397, 0.0672), (1.40, 1.54, 1.61)),
    ("14.6B", 64, (11.307, 11.254, 8.101, 0.379), (0.2082, 0.0852, 0.1088, 0.0516), (1.49, 1.59, 1.67)),
    ("14.6B", 128, (11.325, 11.308, 8.109, 0.378), (0.1251, 0.0445, 0.0576, 0.0266), (1.64, 1.66, 1.76)),
    ("28.3B", 96, (10.419, 10.207, 7.715, 0.408), (0.2646, 0.1493, 0.1421, 0.0641), (0.76, 0.82, 0.87)),
    ("28.3B", 128, (10.408, 10.204, 7.703, 0.408), (0.2168, 0.1164, 0.1106, 0.0490), (0.80, 0.85, 0.90)),
    ("28.3B", 256, (10.402, 10.248, 7.698, 0.460), (0.1352, 0.0624, 0.0594, 0.0257), (0.88, 0.90, 0.96)),
)


def _run(
    model: str, micro_batches: int, times_ms: tuple[float, ...], bubbles: tuple[float, ...], rates: tuple[float, ...]
) -> ProfiledRun:
    (layers, heads, hidden, stages, micro_batch), memory_gb = _MODELS[model]
    forward_s, input_gradient_s, weight_gradient_s, message_s = (time / 1000 for time in times_ms)
    return ProfiledRun(
        model=model,
        layers=layers,
        heads=heads,
        hidden=hidden,
        sequence=1024,
        stages=stages,
        micro_batch=micro_batch,
        micro_batches=micro_batches,
        forward_s=forward_s,
        input_gradient_s=input_gradient_s,
        weight_gradient_s=weight_gradient_s,
        message_s=message_s,
        bubbles=MappingProxyType(dict(zip(SCHEDULES, bubbles, strict=True))),
        samples_per_device_s=MappingProxyType(dict(zip(SCHEDULES, rates, strict=False))),
        memory_gb=MappingProxyType(dict(zip(SCHEDULES, memory_gb, strict=False))),
    )


PROFILED_RUNS = Catalogue("run", ProfiledRun, (_run(*row) for row in _TABLE))
