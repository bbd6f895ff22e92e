"""Formulas: Llama 3 405B's step in a layout of its own kind: a layer a chunk, gathered weights, no recomputation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from snippets.composition.layouts import Layout
from snippets.composition.rank_memory import held_micro_batches, layer_kept_bytes
from snippets.composition.step_constants import Constants, job_constants
from snippets.composition.step_model import StepTime, step_time
from snippets.domain import Answers, number_between, of_kind, positive_integer
from snippets.hardware import NODES
from snippets.job import THE_70B
from snippets.models import MODELS, parameter_parts
from snippets.synthesis.llama_3.formulas import any_batch_bubble_overhead, copy_micro_batches

MODEL, NODE, GPUS = "Llama 3 405B", "DGX H100", 16_384
BATCH_TOKENS, SEQUENCE = 2**24, 8_192
PLACES = 128  # 126 layers, and a place each for the embedding and the head
ORDER = ("tensor", "context", "pipeline", "data")


@dataclass(frozen=True)
class Cut(Answers):
    """One way to cut the run, predicted.

    Attributes:
        layout: the sizes of the axes; as many chunks as there are places for.
        micro_batches: m of each copy.
        step: seconds by term.
        weights_bytes: of the fullest stage, in 2 bytes a parameter.
        gradients_bytes: of two chunks, in 4 bytes a parameter: one is made while the other travels.
        optimizer_bytes: a shard.
        activations_bytes: of the fullest stage.

    >>> one = llama_3_cut(tensor=8, pipeline=16)
    >>> one.micro_batches, round(one.held_bytes / 1e9, 1), round(one.step.total, 1)
    (16, 78.1, 5.6)
    """

    layout: Layout
    micro_batches: int
    step: StepTime
    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float

    @property
    def held_bytes(self) -> float:
        """What the fullest GPU holds."""
        return self.weights_bytes + self.gradients_bytes + self.optimizer_bytes + self.activations_bytes

    @property
    def fits(self) -> bool:
        """Whether that is at most an H100's 80 GB."""
        return self.held_bytes <= NODES[NODE].accelerator.memory_bytes


def llama_3_cut(
    *,
    tensor: int,
    pipeline: int,
    context: int = 1,
    ranks: int = GPUS,
    sequence: int = SEQUENCE,
    constants: Constants | None = None,
    activations_factor: float = 1.0,
    chunk_places: int = 1,
) -> Cut:
    """Return what Llama 3 405B's step takes and holds, cut in its makers' way but in other sizes.

    Formula: $T = \\bigl(1 + O\\bigr)\\,m\\,T_\\text{stage} + T_\\text{msg} + T_\\text{data} + T_\\text{update}$
    Symbols: O = any_batch_bubble_overhead; m = copy_micro_batches; T_\\text{stage} and the other terms as in step_time
    Chapter: 37

    Args:
        tensor: t, a divisor of the 128 heads.
        pipeline: p, from 4 to 64, a divisor of 128.
        context: c, ranks among which a sequence is cut.
        ranks: R.
        sequence: s, tokens of a sequence.
        constants: what is assumed of the machine; by default what the book's job assumes.
        activations_factor: by which activations are larger than counted, from 0.01 to 100.
        chunk_places: places of a chunk; with the stages a divisor of 128.

    Returns:
        The cut.

    Raises:
        ValueError: if the shapes do not allow it.

    Source: Grattafiori et al. 2024, section 3.3.2 and table 4; chapter 26's model of a step.
    Convention: 16.8 million tokens a step, one sequence at a time; 128 places for layers, as many chunks to a stage as
        there are places for, the first and the last of which have the tables alone; the mask's half counts as FLOPs; a
        chunk's gradients are summed once a step. An inner stage is the fullest.
    Leaves out: as step_time and layer_kept_bytes; where m exceeds p, that a chunk's gradients are summed in several
        parts.

    Example:
        >>> [round(llama_3_cut(tensor=8, pipeline=p).held_bytes / 1e9) for p in (8, 16, 32)]
        [84, 78, 75]
    """
    p, c = positive_integer("pipeline", pipeline), positive_integer("context", context)
    if not 4 <= p < PLACES or PLACES % p:
        raise ValueError(f"pipeline must be 4, 8, 16, 32 or 64, got {p}")
    size = positive_integer("chunk_places", chunk_places)
    if PLACES // p % size:
        raise ValueError(f"chunk_places must divide the {PLACES // p} places of a stage, got {size}")
    R, t = positive_integer("ranks", ranks), positive_integer("tensor", tensor)
    factor = number_between("activations_factor", activations_factor, low=0.01, high=100)
    s = positive_integer("sequence", sequence)
    if R % (t * p * c):
        raise ValueError(f"ranks must be a multiple of tensor × pipeline × context = {t * p * c}, got {R}")
    if BATCH_TOKENS % (s * (R // (t * p * c))):
        raise ValueError(
            f"ranks and sequence must be such that copies share {BATCH_TOKENS} tokens in whole sequences, got "
            f"{R // (t * p * c)} copies and {s}"
        )
    m = copy_micro_batches(
        batch_tokens=BATCH_TOKENS, sequence=s, ranks=R, tensor_parallel=t, pipeline_parallel=p, context_parallel=c
    )
    if constants is None:
        constants = job_constants(THE_70B)
    layout = Layout(
        tensor=t,
        pipeline=p,
        context=c,
        data=R // (t * p * c),
        chunks=PLACES // p // size,
        order=ORDER,
    )
    step = _step(layout, m, s, of_kind("constants", constants, Constants))
    parts = parameter_parts(MODEL)
    layers = parts.total - parts.token_embedding - parts.head
    own = PLACES / p * layers / MODELS[MODEL].layers / layout.tensor
    kept = layer_kept_bytes(MODEL, layout, sequence=s)
    held = m if m <= p else held_micro_batches(layout, micro_batches=m, stage=1)
    return Cut(
        layout=layout,
        micro_batches=m,
        step=step,
        weights_bytes=2 * own,
        gradients_bytes=min(2, layout.chunks) * 4 * own / layout.chunks,
        optimizer_bytes=12 * own / layout.gradient_ranks,
        activations_bytes=factor * held * PLACES / p * kept,
    )


def _step(layout: Layout, m: int, sequence: int, constants: Constants) -> StepTime:
    """Return the step; with fewer micro-batches than stages that of plain 1F1B with this schedule's bubble."""
    few = m < layout.pipeline
    step = step_time(
        MODEL,
        NODE,
        replace(layout, chunks=1) if few else layout,
        batch_sequences=BATCH_TOKENS // sequence,
        sequence=sequence,
        constants=constants,
        recipe="mixed-adam-fp32-gradients",
        mask="half",
    )
    if not few:
        return step
    overhead = any_batch_bubble_overhead(stages=layout.pipeline, chunks=layout.chunks, micro_batches=m)
    return replace(step, bubble=overhead * (step.compute + step.tensor + step.context))
