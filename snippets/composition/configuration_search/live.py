"""Drawings: the live figure of chapter 29: a job's layouts by time and memory, and which two of them to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.formulas import (
    best_of_each_kind,
    kind_factors,
    pareto_front,
    second_run_saving_share,
)
from snippets.composition.configuration_search.planner import (
    cuts_of,
    job_candidates,
    job_kernel,
    layout_plan,
    planned_job,
)
from snippets.composition.layouts import Layout
from snippets.composition.published_steps import published_steps
from snippets.composition.rank_memory import rank_memory
from snippets.domain import of_kind
from snippets.drawing import Panel
from snippets.hardware import NODES
from snippets.live.axes import Axis, Plot
from snippets.live.bars import STRENGTH
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

QUESTION = "vTrain 39.1B"
SMALLER = "vTrain 3.6B"
_JOBS = {"question": "39.1B, measured", "Llama 3 8B": "Llama 3 8B", "Llama 3 70B": "Llama 3 70B"}
_JOBS |= {"Llama 3 405B": "Llama 3 405B"}
_NODES = {name: name.removeprefix("DGX ") for name in ("DGX A100", "DGX H100", "DGX B200")}
_TERMS = {"compute": "forward", "bubble": "idle", "waiting": "communication"}
_SHOWN_LONGEST = 2.0  # times the fastest; what takes longer lies beyond the picture
NEAR = 0.1
ERROR_SPREAD = 0.12  # between layouts with different t, corrected, of vTrain's small jobs on one node
_ERRORS = {"corrected": "corrected by t", "model": "the model's own"}


class SearchedLayout(NamedTuple):
    """A layout of the picture.

    Attributes:
        layout: the layout.
        keep: what its layers make again.
        seconds: predicted of a step, corrected where a smaller job says how.
        gigabytes: of its fullest GPU.
        fits: whether that is no more than may be filled.
        measured_s: where somebody has.

    >>> SearchedLayout(Layout(), "none", 1.0, 2.0, True).measured_s
    0.0
    """

    layout: Layout
    keep: str
    seconds: float
    gigabytes: float
    fits: bool
    measured_s: float = 0.0


@lru_cache(maxsize=1)
def corrections() -> Mapping[str, float]:
    """Return by which factor the layouts of each t took longer than predicted in the job that was measured before.

    Returns:
        Factors by kind.

    >>> round(corrections()["t = 4"], 2)
    1.11
    """
    rows = published_steps(SMALLER)
    kinds = [f"t = {row.layout.tensor}" for row in rows]
    return kind_factors([row.predicted().total for row in rows], [row.seconds for row in rows], kinds)


@lru_cache(maxsize=8)
def question_layouts(free_share: float, *, corrected: bool) -> tuple[SearchedLayout, ...]:
    """Return the layouts of the chapter's question, all of them measured.

    Args:
        free_share: of a GPU's memory that stays free, at least 0 and below 1.
        corrected: whether the predictions are corrected by what a smaller job took, t by t.

    Returns:
        The layouts, as the table has them.

    >>> len(question_layouts(0.1, corrected=True))
    47
    """
    factors = corrections() if corrected else {}
    found = []
    for row in published_steps(QUESTION):
        sizes: dict[str, Any] = {
            "batch_sequences": row.batch_sequences,
            "sequence": row.sequence,
            "attention": row.attention,
        }
        held = max(rank_memory(row.model, row.layout, stage=stage, **sizes).total for stage in (0, -1))
        limit = (1 - free_share) * row.node.accelerator.memory_bytes
        seconds = row.predicted().total * factors.get(f"t = {row.layout.tensor}", 1.0)
        found.append(SearchedLayout(row.layout, "full", seconds, held / 1e9, held <= limit, row.seconds))
    return tuple(found)


@lru_cache(maxsize=8)
def planned_layouts(
    model: str, node: str, gpus: int, tokens_per_step: float, sequence: int, free_share: float
) -> tuple[SearchedLayout, ...]:
    """Return a job's layouts, in which each layer drops as many tensors as must go.

    Args:
        model: a name in ``MODELS``.
        node: a name in ``NODES``.
        gpus: a multiple of the 8 of a node.
        tokens_per_step: of all GPUs together.
        sequence: tokens of a sequence.
        free_share: of a GPU's memory that stays free, at least 0 and below 1.

    Returns:
        The layouts that the shapes allow, those that don't fit too.

    >>> len(planned_layouts("Llama 3 8B", "DGX H100", 8, 2**17, 8192, 0.1))
    225
    """
    long = sequence > 8192
    limits = Limits(
        context=None if long else (1, 2),
        micro_batch=(1,) if long else (1, 2, 4),
        stage=(1, 3),
        recompute=("some",),
        uneven=False,
        free_share=free_share,
    )
    cluster = Cluster(NODES[node], nodes=gpus // 8)
    job = planned_job(model, cluster, tokens_per_step=tokens_per_step, sequence=sequence, free_share=free_share)
    kernel = job_kernel(job, limits)
    found = []
    for sizes in job_candidates(job, limits).sizes:
        scores = kernel.scores(cuts_of(sizes))
        gigabytes = float(scores.memory_bytes) / 1e9
        found.append(SearchedLayout(sizes.layout(), "some", float(scores.seconds), gigabytes, bool(scores.fits)))
    return tuple(found)


@live_figure(
    title="Which two would you run?",
    caption="Each dot is a layout of the job: what the fullest GPU holds, and what a step is predicted to take. The "
    "line joins the layouts that nothing dominates. The larger dots are two to benchmark: the fastest that fits, and "
    "the fastest with another t. The measured job's predictions can be corrected by a smaller one; in the others "
    "each layer drops as many tensors as must go.",
    knobs=[
        Choice("job", "Model", _JOBS, "Llama 3 70B"),
        Choice("errors", "Predictions", _ERRORS, "corrected"),
        Choice("node", "GPU", _NODES, "DGX H100"),
        Number("gpus", "GPUs", 256, 8, 2048, 2, "log"),
        Choice("tokens", "Tokens a step", {str(2**n): f"{2**n // 2**20} M" for n in range(20, 25)}, str(2**22)),
        Choice("sequence", "Sequence s", {str(2**n): f"{2**n // 1024}k" for n in (11, 12, 13, 15, 17)}, "8192"),
        Number("free", "Memory kept free, %", 10, 0, 50, 2),
    ],
    named=[
        Named(
            "The question",
            "47 layouts, all measured. The best of t = 8 and of t = 4 are predicted 2% apart: they ran in 14.9 and "
            "13.9 s. With the model's own predictions the second run would have been t = 2, and slow.",
            {"job": "question"},
        ),
        Named(
            "Half of the memory",
            "Now t = 8 with four stages is first, and ran in 14.7 s. The second run took 16.1 s, which is where the "
            "model's own predictions would have begun.",
            {"job": "question", "free": 50},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Run t = 2 without stages. Then c = 2, two GPUs that share the sequence instead: 3% behind.",
            {"job": "Llama 3 70B"},
        ),
        Named(
            "Long sequences",
            "Sequences sixteen times as long: now the context axis is needed, and 1% decides.",
            {"job": "Llama 3 70B", "sequence": str(2**17), "tokens": str(2**22)},
        ),
    ],
    opens="The question",
)
def search_figure(*, job: str, errors: str, node: str, gpus: int, tokens: str, sequence: str, free: int) -> Picture:
    """Draw a job's layouts by time and memory, and the parts of the two to run."""
    if job == "question":
        shown: Sequence[SearchedLayout] = question_layouts(free / 100, corrected=errors == "corrected")
        memory_gb, idle = 80.0, ["node", "gpus", "tokens", "sequence"]
    else:
        try:
            shown = planned_layouts(job, node, gpus, float(tokens), int(sequence), free / 100)
        except ValueError as error:
            raise ValueError(f"This job can't be planned: {error}.") from None
        memory_gb, idle = Cluster(NODES[node], nodes=1).memory_bytes / 1e9, ["errors"]
    fitting = sorted((each for each in shown if each.fits), key=lambda each: (each.seconds, each.gigabytes))
    if not fitting:
        raise ValueError(f"None of the {len(shown)} layouts fits into {(1 - free / 100) * memory_gb:.0f} GB.")
    kinds = [f"t = {each.layout.tensor}" for each in fitting]
    pair = [fitting[place] for place in best_of_each_kind([each.seconds for each in fitting], kinds, runs=2)]
    limit_gb = (1 - free / 100) * memory_gb
    plot = _plot(shown, fitting, pair, limit_gb=limit_gb, memory_gb=memory_gb)
    bars, said = _bars(pair, job=job, node=node, gpus=gpus, tokens=tokens, sequence=sequence, free=free)
    numbers = _numbers(shown, fitting, pair, limit_gb=limit_gb)
    alt = (
        f"A plot of {len(shown)} layouts: seconds of a step against GB of the fullest GPU, a stepped line along the "
        f"front, a line at {limit_gb:.0f} GB, two larger dots. Beside it, their steps as bars. {said}"
    )
    return Picture([plot, bars], numbers, alt, idle=idle)


def spelled(each: SearchedLayout) -> str:
    """Return a layout's sizes, those that are 1 left out.

    Args:
        each: the layout.

    Returns:
        Letters and sizes.

    >>> spelled(SearchedLayout(Layout(tensor=2, data=128, stage=3), "some", 1.0, 1.0, True))
    't = 2, d = 128, ZeRO-3'
    """
    of_kind("each", each, SearchedLayout)
    sizes = {"t": each.layout.tensor, "p": each.layout.pipeline, "v": each.layout.chunks, "c": each.layout.context}
    sizes |= {"d": each.layout.data, "b": each.layout.micro_batch}
    said = [f"{name} = {size}" for name, size in sizes.items() if size > 1]
    return ", ".join([*said, f"ZeRO-{each.layout.stage}"] if each.layout.stage else said) or "one GPU"


def _numbers(
    shown: Sequence[SearchedLayout],
    fitting: Sequence[SearchedLayout],
    pair: Sequence[SearchedLayout],
    *,
    limit_gb: float,
) -> str:
    first, near = pair[0], sum(each.seconds <= (1 + NEAR) * fitting[0].seconds for each in fitting)
    said = (
        f"{len(shown)} layouts, {len(fitting)} of them fit into {limit_gb:.0f} GB, and {near} are within 10% of the "
        f"fastest. First run: {spelled(first)}, {first.seconds:.1f} s, {first.gigabytes:.0f} GB"
    )
    said += f" (measured: {first.measured_s:.1f} s)." if first.measured_s else "."
    if len(pair) < 2 or pair[1].layout.tensor == first.layout.tensor:
        return said + " No layout with another t fits."
    second = pair[1]
    lead = second.seconds / first.seconds - 1
    saving = second_run_saving_share(lead_share=lead, error_spread=ERROR_SPREAD)
    said += f" Second run: {spelled(second)}, {second.seconds:.1f} s, {100 * lead:.0f}% behind"
    said += f" (measured: {second.measured_s:.1f} s)" if second.measured_s else ""
    return said + f"; with errors that differ by 12% it is expected to save {100 * saving:.1f}% of a step."


def _plot(
    shown: Sequence[SearchedLayout],
    fitting: Sequence[SearchedLayout],
    pair: Sequence[SearchedLayout],
    *,
    limit_gb: float,
    memory_gb: float,
) -> Panel:
    low = fitting[0].seconds
    high = max(1.2 * pair[-1].seconds, min(_SHOWN_LONGEST * low, fitting[-1].seconds))
    plot = Plot(
        Axis(0, memory_gb, label="held by the fullest GPU, GB"),
        Axis(0.96 * low, high),
        title="A step, s",
        width_px=330,
        height_px=270,
    )
    places = [(each.gigabytes, each.seconds) for each in fitting]
    plot.dots([(each.gigabytes, each.seconds) for each in shown if not each.fits], colour="line", radius=2.5)
    plot.dots(places, colour="idle", radius=2.5)
    front = [fitting[place] for place in pareto_front([T for _, T in places], [M for M, _ in places])]
    corners = [(limit_gb, front[0].seconds)]
    for each in front:
        corners += [(each.gigabytes, corners[-1][1]), (each.gigabytes, each.seconds)]
    plot.curve([*corners, (corners[-1][0], high)], colour="accent", width=1.5)
    plot.dots([(each.gigabytes, each.seconds) for each in front], colour="accent", radius=3)
    plot.panel.line(plot.x(limit_gb), plot.top, plot.x(limit_gb), plot.bottom, colour="communication", dashed=True)
    plot.panel.text(
        plot.x(limit_gb) - 4, plot.top + 11, f"{limit_gb:.0f} GB", anchor="end", size=12, colour="communication"
    )
    for number, each in enumerate(pair, 1):
        plot.dots([(each.gigabytes, each.seconds)], colour="ink", radius=5)
        x, y = plot.x(each.gigabytes) - 9, plot.y(each.seconds) + (5 if number == 1 else -11)
        plot.panel.text(x, y, str(number), anchor="end", bold=True, size=12)
    return plot.panel


def _bars(
    pair: Sequence[SearchedLayout], *, job: str, node: str, gpus: int, tokens: str, sequence: str, free: int
) -> tuple[Panel, str]:
    """Draw the steps of the two to run, cut into computing, bubble and waiting; say the same in words."""
    panel = Panel(330, 40 + 84 * len(pair))
    longest, said = max(each.seconds for each in pair), []
    for number, each in enumerate(pair):
        parts = _parts(each, job=job, node=node, gpus=gpus, tokens=tokens, sequence=sequence, free=free)
        top, x = 14 + 84 * number, 1.0
        panel.text(0, top, f"{number + 1}: {spelled(each)}", size=12, bold=True)
        for name, seconds in parts.items():
            wide = 327 * seconds / longest
            if wide >= 0.5:
                panel.rectangle(x, top + 8, wide, 22, colour=_TERMS[name], strength=STRENGTH)
            x += wide
        words = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in parts.items())
        panel.text(0, top + 46, words, size=12)
        said.append(f"{spelled(each)}: {words}.")
    return panel, " ".join(said)


def _parts(
    each: SearchedLayout, *, job: str, node: str, gpus: int, tokens: str, sequence: str, free: int
) -> Mapping[str, float]:
    if job == "question":
        step = next(row for row in published_steps(QUESTION) if row.layout == each.layout).predicted()
    else:
        step = layout_plan(
            job,
            Cluster(NODES[node], nodes=gpus // 8),
            each.layout,
            tokens_per_step=float(tokens),
            sequence=int(sequence),
            keep=each.keep,
            free_share=free / 100,
        ).step
    waiting = step.tensor + step.context + step.expert + step.pipeline + step.data
    return {"compute": step.compute + step.optimizer, "bubble": step.bubble, "waiting": waiting}
