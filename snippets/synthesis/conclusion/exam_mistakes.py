"""Formulas: what is wrong with a layout, by name, each said only where the planner shows that it's true."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.composition.configuration_search.planner import Plan
from snippets.composition.layouts import Layout, axis_placement
from snippets.domain import Answers, nonnegative_number, number_between, of_kind
from snippets.synthesis.conclusion.exam_layouts import PAIRS, ExamJob, exam_plan, paired_change, single_changes

LARGE_BUBBLE = 0.25  # of the step
WORTH = 0.02  # of the step: what saves less is not called a mistake
MOST_NAMED = 3
LEAST_LOSS = 0.05  # of the step: what takes less is not named as the largest loss
_LOSSES = {
    "tensor": ("the sums of the tensor group", 17),
    "context": ("the keys and values of the context group", 19),
    "expert": ("the tokens on their way to experts", 20),
    "pipeline": ("what stages send one another", 18),
    "bubble": ("the bubble", 18),
    "data": ("the gathers and sums of the data group", 22),
    "optimizer": ("the optimizer", 22),
    "recompute": ("what is computed again", 23),
}
_PAIRED = f"does one of {', '.join(' with '.join(pair) for pair in PAIRS[:-1])} or {' with '.join(PAIRS[-1])}"
_PAIR_CHAPTERS = {"p": 18, "c": 19, "t": 17}
_STATE = ("weights", "gradients", "optimizer")
_KINDS = (*_STATE, "activations", "buffers")


@dataclass(frozen=True)
class NamedMistake(Answers):
    """Something that is wrong with an answer.

    Attributes:
        name: in a word or two.
        sentence: what is wrong, with the numbers of this answer.
        chapter: where to read about it.

    >>> NamedMistake("memory", "It doesn't fit.", 21).chapter
    21
    """

    name: str
    sentence: str
    chapter: int


def memory_mistake(found: Plan) -> NamedMistake:
    """Return that a layout doesn't fit: by how much, and what takes the most.

    Args:
        found: a plan that doesn't fit.

    Returns:
        The mistake.

    Raises:
        ValueError: if the plan fits.

    Source: ``rank_memory``.
    Leaves out: nothing.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> memory_mistake(exam_plan(job, Layout(tensor=2, data=128), keep="none")).name
        'memory'
    """
    if of_kind("found", found, Plan).fits:
        raise ValueError(f"found must be a plan that does not fit, got {found!r}")
    held = {kind: getattr(found.memory, kind) / 1e9 for kind in _KINDS}
    most = max(held, key=lambda kind: held[kind])
    limit, chapter = found.job.limit_bytes / 1e9, 22 if most in _STATE else 23 if most == "activations" else 21
    sentence = (
        f"It doesn't fit. The fullest GPU would hold {found.memory.total / 1e9:.1f} GB, and {limit:.1f} GB may be"
        f" filled."
        f" The largest part: {most}, {held[most]:.1f} GB."
    )
    return NamedMistake("memory", sentence, chapter)


def layout_mistakes(job: ExamJob, layout: Layout, *, keep: str) -> tuple[NamedMistake, ...]:
    """Return what makes a layout that fits slower than it could be.

    Args:
        job: the job.
        layout: the layout.
        keep: what its layers make again.

    Returns:
        Mistakes, those that cost most first, at most three. One is named where a single change to the layout fits and
        saves at least 2% of the step; besides, a tensor group that leaves the fast links, and a bubble above a quarter.
        None where a layout is as good as its neighbours.

    Source: ``single_changes``.
    Convention: a mistake says what is wrong and not what would be right.
    Leaves out: what only two changes at once would bring.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> [one.name for one in layout_mistakes(job, Layout(tensor=16, data=16), keep="full")][1]
        'tensor group across nodes'
    """
    of_kind("job", job, ExamJob)
    there = exam_plan(job, layout, keep=keep)
    found: dict[str, tuple[float, NamedMistake]] = {}
    for change in single_changes(job, layout, keep=keep):
        saved = 1 - change.plan.total_s / there.total_s
        if saved >= WORTH:
            mistake = _named(job, there, keep, change.axis, change.larger, change.plan.layout)
            found[mistake.name] = max(
                found.get(mistake.name, (0.0, mistake)), (saved, mistake), key=lambda pair: pair[0]
            )
    for mistake, cost in _always(job, there):
        found.setdefault(mistake.name, (cost, mistake))
    ranked = sorted(found.values(), key=lambda pair: -pair[0])
    return tuple(mistake for _, mistake in ranked[:MOST_NAMED])


def pair_mistake(job: ExamJob, layout: Layout, *, keep: str) -> NamedMistake | None:
    """Return that two sizes have to change together, where no single change helps and a pair does.

    Args:
        job: the job.
        layout: a layout that fits.
        keep: what its layers make again.

    Returns:
        The mistake; ``None`` where a single change saves 2% of the step, or no pair does.

    Source: ``single_changes``, ``paired_change``.
    Leaves out: pairs that are not in ``PAIRS``.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> pair_mistake(job, Layout(tensor=8, pipeline=4, data=8), keep="full") is None
        True
    """
    enough = (1 - WORTH) * exam_plan(of_kind("job", job, ExamJob), layout, keep=keep).total_s
    if any(change.plan.total_s <= enough for change in single_changes(job, layout, keep=keep)):
        return None
    best = paired_change(job, layout, keep=keep)
    if best is None or best[1].total_s > enough:
        return None
    (first, second), _ = best
    said = f"No single change saves 2% of this step, but {first} and {second} do if both change."
    return NamedMistake("two sizes that change together", said, _PAIR_CHAPTERS[first])


def largest_loss(found: Plan, *, again_s: float = 0.0) -> NamedMistake:
    """Return what takes most of a step besides computing: what is said where no change helps, single or paired.

    Args:
        found: the plan.
        again_s: seconds of its computing that make something again.

    Returns:
        The loss, as a mistake, if it takes at least 5% of the step; else that one change alone does not help.

    Source: ``StepTime.terms``.
    Leaves out: nothing.

    Example:
        >>> job = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
        >>> largest_loss(exam_plan(job, Layout(tensor=8, data=32), keep="full")).name
        'the sums of the tensor group'
    """
    terms = {name: seconds for name, seconds in of_kind("found", found, Plan).step.terms.items() if name != "compute"}
    terms["recompute"] = nonnegative_number("again_s", again_s)
    most = max(terms, key=lambda name: terms[name])
    share = terms[most] / found.total_s
    if share < LEAST_LOSS:
        said = (
            f"No single change to this layout saves 2% of its step, and neither {_PAIRED}. What is better differs more."
        )
        return NamedMistake("more than one change away", said, 29)
    name, chapter = _LOSSES[most]
    said = (
        f"No single change saves 2% of this step, and neither {_PAIRED}. What takes most of it, besides computing once:"
        f" {name}, {share:.0%}."
    )
    return NamedMistake(name, said, chapter)


def _always(job: ExamJob, there: Plan) -> list[tuple[NamedMistake, float]]:
    """Return what is wrong with a layout whatever a single change would bring."""
    found = []
    if there.layout.tensor > job.cluster.fast_gpus:
        found.append((_crossing(job, there), there.step.tensor / there.total_s))
    if there.step.bubble > LARGE_BUBBLE * there.total_s:
        found.append((_bubble(there), there.step.bubble / there.total_s))
    return found


def _crossing(job: ExamJob, there: Plan) -> NamedMistake:
    share = number_between("share", there.step.tensor / there.total_s, low=0, high=1)
    return NamedMistake(
        "tensor group across nodes",
        f"Fast links join {job.cluster.fast_gpus} GPUs, and the tensor group has {there.layout.tensor}. So its sums"
        f" cross"
        f" the network: they take {share:.0%} of the step.",
        17,
    )


def _bubble(there: Plan) -> NamedMistake:
    p, m = there.layout.pipeline, there.layout.micro_batches(there.job.batch_sequences)
    return NamedMistake(
        "bubble",
        f"{there.step.bubble / there.total_s:.0%} of the step is bubble: each copy of the model has {m} micro-batches"
        f" for {p} stages in {there.layout.chunks} chunk{'s' if there.layout.chunks > 1 else ''} each.",
        18,
    )


_OTHERS = {
    ("t", False): ("tensor group too wide", "Fewer tensor ranks would still fit, and the step would be shorter.", 17),
    ("t", True): ("tensor group too narrow", "More tensor ranks would shorten the step.", 17),
    ("p", False): ("more stages than memory needs", "Fewer stages would still fit, and the step would be shorter.", 18),
    ("p", True): ("too few stages", "More stages would shorten the step.", 18),
    ("c", False): ("context axis too large", "A smaller context axis would still fit, and be faster.", 19),
    ("c", True): ("context axis too small", "A larger context axis would shorten the step.", 19),
    ("e", False): ("experts on too many ranks", "Fewer expert ranks would still fit, and be faster.", 20),
    ("e", True): ("experts on too few ranks", "More expert ranks would shorten the step.", 20),
    ("v", False): ("too many chunks", "Fewer chunks a stage would shorten the step.", 18),
    ("v", True): ("too few chunks", "More chunks a stage would shorten the step.", 18),
    ("b", False): ("micro-batch too large", "Smaller micro-batches would shorten the step.", 18),
    ("b", True): ("micro-batch too small", "Larger micro-batches would still fit, and be faster.", 26),
    ("zero", False): ("more sharded than memory needs", "A lower ZeRO stage would still fit, and be faster.", 22),
    ("zero", True): ("too little sharded", "A higher ZeRO stage would shorten the step.", 22),
}


def _named(job: ExamJob, there: Plan, keep: str, axis: str, larger: bool, changed: Layout) -> NamedMistake:
    """Return the mistake that one change would undo."""
    layout = there.layout
    if axis == "recompute":
        return NamedMistake(
            "recompute that memory doesn't need",
            f"The layers make again what would fit (recompute={keep}): {there.spare_bytes / 1e9:.1f} GB that may be"
            " filled are empty, and keeping more of the activations still fits.",
            23,
        )
    if axis == "t" and not larger and layout.tensor > job.cluster.fast_gpus:
        return _crossing(job, there)
    if axis in ("p", "v", "b") and there.step.bubble > LARGE_BUBBLE * there.total_s:
        return _bubble(there)
    if axis == "zero" and not larger and layout.stage == 3 and layout.pipeline > 1:
        m = layout.micro_batches(job.batch_sequences)
        return NamedMistake(
            "stage 3 inside a pipeline",
            f"ZeRO-3 gathers the weights of a stage again for each of {m} micro-batches, and a lower stage would fit.",
            22,
        )
    if axis == "e" and not larger:
        domain = job.cluster.fast_gpus
        before, after = (axis_placement(each, "expert", domain=domain).domains for each in (layout, changed))
        if before > 1 and after == 1:
            return NamedMistake(
                "experts across nodes",
                f"The {layout.expert} expert ranks spread over {before} nodes, so tokens cross the network. Experts on"
                " GPUs that fast links join would fit, and be faster.",
                20,
            )
    return NamedMistake(*_OTHERS[axis, larger])
