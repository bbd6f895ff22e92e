"""Ring all-reduce: the book's ring, sent message by message, beside ``dist.all_reduce``.

The ring's result is the simulator's bit for bit and the engine's up to rounding; the bytes that each rank sends are
those of the formula, 2(N−1)/N·n where chunks are even. Then α, β and γ of this machine are fitted to single steps, in
which every rank sends at once, and the times that they predict for the whole ring stand beside the measured ones. Other
sizes: ``--largest-bytes``, ``--repeats``; a picture of them: ``--figure FILE.svg``.

In the recorded run the whole ring takes one and a half times its predicted time for 1 MB, and twice for 16 MB. The
likely reason: four ranks shared two cores, while the model lets each of them copy and add on its own.

    torchrun --standalone --nproc-per-node 4 labs/collectives/ring_all_reduce.py

Chapter: 13

Shown:
    uneven: sent
    even: messages sent
    even: sent, as 2(N−1)/N·n
    ring of
    dist.all_reduce of 16,777,216 bytes
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from labs.collectives.executor import Executor, Tally
from labs.collectives.measure import DTYPE, all_reduce_s, fit_machine, sizes_of_sweep
from labs.harness import Lab, run_lab
from snippets import algorithm_cost, build_collective, collective_traffic, ring_all_reduce_bytes, ring_all_reduce_time_s
from snippets.simulation.runner import run


def options(parser: argparse.ArgumentParser) -> None:
    """Add the lab's own options."""
    parser.add_argument("--largest-bytes", type=int, default=1 << 24, help="largest vector of the sweep")
    parser.add_argument("--repeats", type=int, default=15, help="of which the fastest counts")
    parser.add_argument("--figure", type=Path, help="where to save the sweep as SVG")


def compare(lab: Lab, name: str, length: int) -> Tally:
    """Run ring, simulator and engine on one vector, and return what this rank sent."""
    schedule = build_collective("all_reduce", "ring", ranks=lab.ranks, length=length)
    inputs = [np.random.default_rng(rank).standard_normal(length, dtype=np.float32) for rank in range(lab.ranks)]
    own = torch.from_numpy(inputs[lab.rank]).to(lab.device)
    executor = Executor(schedule, rank=lab.rank, dtype=DTYPE, device=lab.device)
    executor.load(own)
    tally = executor.run()
    simulated = torch.from_numpy(run(schedule, inputs).outputs[lab.rank])
    same = torch.equal(executor.result().cpu(), simulated)
    lab.count(f"{name}: the simulator's result, bit for bit", predicted=True, measured=same)
    dist.all_reduce(own)
    lab.close(f"{name}: dist.all_reduce's result", executor.result(), own, tolerance=lab.ranks * 2.0**-23)
    size = {"ranks": lab.ranks, "size_bytes": length * DTYPE.itemsize, "element_bytes": DTYPE.itemsize}
    formula = collective_traffic("all_reduce", "ring", **size)
    lab.count(f"{name}: sent", predicted=formula.sent_bytes[lab.rank], measured=tally.sent_bytes, unit="bytes")
    lab.count(f"{name}: got", predicted=formula.received_bytes[lab.rank], measured=tally.received_bytes, unit="bytes")
    steps = algorithm_cost("all_reduce", "ring", **size).steps
    lab.count(f"{name}: messages sent", predicted=steps, measured=tally.sent_messages)
    return tally


def sweep(lab: Lab) -> None:
    """Fit the machine, predict the ring at every size, and time it there."""
    sizes, repeats = sizes_of_sweep(lab, lab.options.largest_bytes), lab.options.repeats
    lab.phase("fitting α and β")
    machine = fit_machine(lab, sizes, repeats=repeats)
    lab.phase("size sweep")
    ring = [all_reduce_s(lab, "ring", size, repeats=repeats) for size in sizes]
    vectors = [torch.zeros(size // DTYPE.itemsize, dtype=DTYPE, device=lab.device) for size in sizes]
    engine = [lab.fastest_s(partial(dist.all_reduce, vector), repeats=repeats, warmups=2) for vector in vectors]
    lab.data["sweep"] = {"sizes_bytes": sizes, "ring_s": ring, "engine_s": engine}
    if machine is None:
        return
    link = machine.keywords()
    predicted = [ring_all_reduce_time_s(ranks=lab.ranks, size_bytes=size, **link) for size in sizes]
    lab.data["sweep"]["predicted_s"] = predicted
    for size, expected_s, measured_s in zip(sizes, predicted, ring, strict=True):
        lab.time(f"ring of {size:,} bytes", predicted_s=expected_s, measured_s=measured_s)
    lab.time(f"dist.all_reduce of {sizes[-1]:,} bytes", predicted_s=predicted[-1], measured_s=engine[-1])
    if lab.options.figure and lab.rank == 0:
        draw(lab, lab.options.figure)


def draw(lab: Lab, path: Path) -> None:
    """Save the sweep as a figure in the book's style."""
    from snippets.figures import colour, plot, svg_of

    data = lab.data["sweep"]
    with plot() as (figure, axes):
        axes.loglog(data["sizes_bytes"], data["predicted_s"], color=colour("muted"), label="predicted")
        axes.loglog(data["sizes_bytes"], data["ring_s"], "o", color=colour("communication"), label="the book's ring")
        axes.loglog(data["sizes_bytes"], data["engine_s"], "x", color=colour("accent"), label="dist.all_reduce")
        axes.set(xlabel="bytes of the vector", ylabel="seconds", title=f"{lab.ranks} ranks, {lab.backend}")
        axes.legend()
        path.write_text(svg_of(figure), encoding="utf-8")


def main(lab: Lab) -> None:
    """Check the ring's result and bytes, then time it."""
    lab.phase("checking the ring")
    compare(lab, "uneven", 100 * lab.ranks + lab.ranks // 2 + 1)
    length = 100 * lab.ranks
    tally = compare(lab, "even", length)
    share = ring_all_reduce_bytes(ranks=lab.ranks, size_bytes=length * DTYPE.itemsize)
    lab.count("even: sent, as 2(N−1)/N·n", predicted=round(share), measured=tally.sent_bytes, unit="bytes")
    if lab.ranks == 1:
        lab.say("no sweep: a rank alone sends nothing")
    else:
        sweep(lab)


if __name__ == "__main__":
    run_lab(main, options=options)
