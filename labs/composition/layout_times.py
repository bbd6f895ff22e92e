"""Times of layouts: a small transformer trained in every layout of its ranks, in the order that was predicted.

A transformer of 1.6 million parameters is cut among the ranks along the tensor, pipeline and data axes, with one
micro-batch, with several, and with all layers recomputed. The matrices are cut as Megatron cuts them, the pipeline runs
the book's 1F1B, and no communication overlaps. In every layout the first three losses have to be those of one rank, and
a rank has to send what `three_axes_bytes` says, the two ends of the model left out.

Between the steps the lab measures the machine: the rate of a layer and what launching it costs, α and β of gloo's
all-reduce, the optimizer's update. Steps and measurements take turns in rounds, and every time is divided by the pace
of its round, so that a load that drifts hits all alike. From the medians of those measurements, and from nothing else,
`step_time` predicts every layout.

One term needs a correction. Where ranks share cores, a rank that waits in a pipeline leaves its core to the others, and
the bubble is shorter than that of ranks with a device each. By how much is measured too: the lab times the layers with
1, 2, … R ranks at work.

The seconds belong to the machine, but their order decides here. The lab fails if more than a quarter of the pairs that
are predicted 50% apart come out the other way round, if the layout that it would have chosen takes more than three
times as long as the best, if Spearman's correlation is below 0.2, or if half of the predictions are more than 100% off.
These limits are wide, for a machine that is busy with other work.

    torchrun --standalone --nproc-per-node 4 labs/composition/layout_times.py

The number of ranks is 2, 4 or 8. Four on two cores take a minute, eight two.

Chapter: 29

Shown:
    tensor 2, pipeline 2; 4 micro-batches: losses
    tensor 2, pipeline 2; 4 micro-batches: sent by axis
    step of
    pairs predicted 50% apart
    regret
    1 − Spearman's correlation
    median error
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from itertools import product

import torch
import torch.distributed as dist

from labs.composition.cut_transformer import WIDTH, Training, Wire
from labs.composition.own_machine import RECIPE, Machine, probes, steady, timed
from labs.harness import Lab, NotApplicableError, Row, run_lab
from snippets import (
    Attention,
    FeedForward,
    Layout,
    StepTime,
    Transformer,
    choice_regret,
    median_error,
    ordered_pairs_share,
    rank_correlation,
    step_time,
    three_axes_bytes,
)

SEQUENCES, SEQUENCE, HIDDEN, HEADS = 16, 64, 128, 8
MODEL = Transformer(
    "small",
    layers=8,
    hidden=HIDDEN,
    vocabulary=256,
    attention=Attention(HEADS, HEADS, HIDDEN // HEADS),
    feed_forward=FeedForward(4 * HIDDEN, gated=False),
)
MICRO_BATCHES = 16  # over the ranks: of the layouts that have many
CHECKED = 3  # steps whose losses are compared
APART, WRONG, REGRET, DISORDER, ERROR = 0.5, 0.25, 2.0, 0.8, 1.0  # the limits of what decides


def layouts_of(ranks: int) -> list[Layout]:
    """Return the layouts: all sizes of the three axes, each with few and many micro-batches and with recomputation."""
    found = []
    counts = (1, MICRO_BATCHES // ranks)
    powers = [size for size in (1, 2, 4, 8) if ranks % size == 0]
    for tensor, pipeline in product(powers, powers):
        data = ranks // (tensor * pipeline)
        if not data:
            continue
        plain = Layout(tensor=tensor, pipeline=pipeline, data=data, stage=0, sequence_parallel=False)
        few, many = (replace(plain, micro_batch=SEQUENCES // data // min(count, SEQUENCES // data)) for count in counts)
        found += [few, many, replace(few, recompute="full")]
    return found


def named(layout: Layout) -> str:
    """Name a layout by its axes of more than one rank, its micro-batches and what it recomputes."""
    axes = [f"{name} {getattr(layout, name)}" for name in ("tensor", "pipeline", "data") if getattr(layout, name) > 1]
    count = layout.micro_batches(SEQUENCES)
    more = "; recomputed" * (layout.recompute == "full")
    return f"{', '.join(axes)}; {count} micro-batch{'es' * (count > 1)}{more}"


def predicted(layout: Layout, machine: Machine) -> tuple[StepTime, float]:
    """Return chapter 26's step with this machine's constants and its shared cores; and the bubble without those."""
    step = step_time(
        MODEL,
        machine.node,
        layout,
        batch_sequences=SEQUENCES,
        sequence=SEQUENCE,
        constants=machine.constants,
        recipe=RECIPE,
        mask="half",
    )
    count = layout.micro_batches(SEQUENCES)
    bubble = machine.bubble_s(step.bubble, stages=layout.pipeline, micro_batches=count)
    return replace(step, bubble=bubble), step.bubble


def check(lab: Lab, run: Training, alone: torch.Tensor) -> None:
    """Compare the first losses with one rank's, and what this rank has sent with the formula."""
    name, layout, wire = named(run.layout), run.layout, run.wire
    losses = torch.tensor(run.losses[:CHECKED]) * (wire.at["tensor"] == 0)  # its ranks have each the same
    dist.all_reduce(losses)
    lab.close(f"{name}: losses", losses, alone)
    sent = three_axes_bytes(
        parameters=run.weights.numel() * layout.tensor * layout.pipeline,
        layers=MODEL.layers,
        hidden=HIDDEN,
        sequence=SEQUENCE,
        micro_batches=layout.micro_batches(SEQUENCES),
        tensor_parallel=layout.tensor,
        pipeline_parallel=layout.pipeline,
        data_parallel=layout.data,
        zero_stage=layout.stage,
        recompute=layout.recompute == "full",
        sequence_parallel=False,
        micro_batch=layout.micro_batch,
        element_bytes=WIDTH,
    )
    edges = (not run.piece.first) + (not run.piece.last)  # the formula's rank has a stage on either side
    expected = [round(sent.tensor), round(sent.pipeline * edges / 2), round(sent.data)]
    counted = [round(wire.sent_bytes[axis] / len(run.losses)) for axis in ("tensor", "pipeline", "data")]
    lab.count(f"{name}: sent by axis", predicted=expected, measured=counted, unit="bytes: tensor, pipeline, data")


def judge(lab: Lab, expected_s: list[float], measured_s: list[float]) -> None:
    """Compare the order of the measured times with that of the predicted ones."""
    wrong = 1 - ordered_pairs_share(expected_s, measured_s, apart=APART)
    rows = (
        (f"pairs predicted {APART:.0%} apart: in the wrong order", WRONG, wrong, "share of them"),
        ("regret", REGRET, choice_regret(expected_s, measured_s), "share of the best step"),
        ("1 − Spearman's correlation", DISORDER, 1 - rank_correlation(expected_s, measured_s), ""),
        ("median error", ERROR, median_error(expected_s, measured_s), "share of the step"),
    )
    lab.rows += [Row(what, "bound", most, found, unit) for what, most, found, unit in rows]


def on_one_rank(lab: Lab, tokens: torch.Tensor) -> torch.Tensor:
    """Return the losses of the first steps on one rank, the others waiting."""
    losses = torch.zeros(CHECKED)
    if lab.rank == 0:
        layout = Layout(micro_batch=SEQUENCES, stage=0)
        run = Training(MODEL, layout, Wire(layout, alone=True), tokens)
        for _ in range(CHECKED):
            run.step()
        losses = torch.tensor(run.losses)
    dist.broadcast(losses, 0)
    return losses


def main(lab: Lab) -> None:
    """Train in all layouts in turn, measure the machine between, predict, and compare."""
    lab.need_ranks(2, "one rank has one layout")
    if lab.ranks not in (2, 4, 8):
        raise NotApplicableError(f"needs 2, 4 or 8 ranks, which cut the model evenly, here are {lab.ranks}")
    lab.device, lab.backend = torch.device("cpu"), "gloo"
    torch.set_num_threads(1)
    lab.phase("one rank")
    tokens = torch.randint(MODEL.vocabulary, (SEQUENCES, SEQUENCE + 1), generator=torch.Generator().manual_seed(1))
    alone = on_one_rank(lab, tokens)
    runs = {
        f"step of {named(layout)}": Training(MODEL, layout, Wire(layout), tokens) for layout in layouts_of(lab.ranks)
    }
    operations = probes(lab, MODEL, SEQUENCE) | {name: run.step for name, run in runs.items()}
    times_s = timed(lab, operations, rounds=max(CHECKED, lab.options.rounds))
    compare(lab, runs, times_s, alone)


def compare(lab: Lab, runs: dict[str, Training], times_s: dict[str, list[float]], alone: torch.Tensor) -> None:
    """Set every layout's step beside its prediction, then the two orders."""
    for run in runs.values():
        check(lab, run, alone)
    medians_s = steady(times_s)
    machine = Machine.measured(medians_s, ranks=lab.ranks, model=MODEL, sequence=SEQUENCE)
    lab.data |= {"constants": asdict(machine), "rounds_s": times_s, "layouts": []}
    totals_s = []
    for name, run in runs.items():
        step, own_bubble_s = predicted(run.layout, machine)
        totals_s.append(step.total)
        lab.time(name, predicted_s=step.total, measured_s=medians_s[name])
        lab.data["layouts"].append(
            {
                "layout": named(run.layout),
                "terms_s": step.terms,
                "bubble_of_own_devices_s": own_bubble_s,
                "measured_s": medians_s[name],
            }
        )
    judge(lab, totals_s, [medians_s[name] for name in runs])


def options(parser: argparse.ArgumentParser) -> None:
    """Add the option of this lab."""
    parser.add_argument("--rounds", type=int, default=5, help="timed steps of each layout, at least 3; medians count")


if __name__ == "__main__":
    run_lab(main, options=options, time_limit_s=300)
