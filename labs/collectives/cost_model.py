"""Cost model: four all-reduces from the book's schedules, and the sizes at which one overtakes another.

Steps, bytes on the wire and bytes reduced on the slowest path are counted round by round and set against the closed
forms. Then α, β and γ are fitted to single steps, and the sizes at which one algorithm overtakes another are predicted
and measured. A crossover is where two lines meet at a small angle, so that a small error in a time is a large one in
the size: expect the right power of ten on a busy machine.

In the recorded run the tree takes less than half of its predicted time. The likely reason: the model gives each rank a
port of its own, but there four ranks shared two cores, α and β were fitted while all four sent at once, and a tree of
four ranks sends 2, 1, 1 and 2 messages in its four steps.

    torchrun --standalone --nproc-per-node 4 labs/collectives/cost_model.py

Chapter: 14

Shown:
    recursive_doubling: steps, wire, reduced
    binomial: steps, wire, reduced
    halving_doubling: steps, wire, reduced
    ring: steps, wire, reduced
    halving_doubling of 4,194,304 bytes
    ring of 4,194,304 bytes
    recursive_doubling of 4,194,304 bytes
    binomial of 4,194,304 bytes
    halving_doubling overtakes recursive_doubling at
    ring overtakes recursive_doubling at
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
import torch
import torch.distributed as dist

from labs.collectives.executor import Executor, Tally
from labs.collectives.measure import DTYPE, Machine, all_reduce_s, crossing, fit_machine, sizes_of_sweep
from labs.harness import Lab, run_lab
from snippets import algorithm_cost, build_collective, compare_algorithms, crossover_bytes

ALGORITHMS = ("recursive_doubling", "binomial", "halving_doubling", "ring")


def options(parser: argparse.ArgumentParser) -> None:
    """Add the lab's own options."""
    parser.add_argument("--largest-bytes", type=int, default=1 << 22, help="largest vector of the sweep")
    parser.add_argument("--repeats", type=int, default=15, help="of which the fastest counts")


def slowest_path(lab: Lab, tally: Tally) -> list[int]:
    """Return messages, bytes and reduced bytes that follow each other: of each round those of its busiest rank."""
    tallies: list[list[tuple[int, int, int]]] = [[] for _ in range(lab.ranks)]
    dist.all_gather_object(tallies, tally.rounds)
    rounds = [np.array(ports).max(axis=0) for ports in zip(*tallies, strict=True)]
    return [int(total) for total in sum(rounds, start=np.zeros(3, dtype=np.int64))]


def check(lab: Lab, algorithm: str, length: int) -> None:
    """Count what an algorithm does, and compare its result with the engine's."""
    schedule = build_collective("all_reduce", algorithm, ranks=lab.ranks, length=length)
    own = torch.arange(length, dtype=DTYPE, device=lab.device) % 97 + lab.rank  # sums stay exact
    executor = Executor(schedule, rank=lab.rank, dtype=DTYPE, device=lab.device)
    executor.load(own)
    counted = slowest_path(lab, executor.run())
    dist.all_reduce(own)
    same = torch.equal(executor.result(), own)
    lab.count(f"{algorithm}: dist.all_reduce's result", predicted=True, measured=same)
    size = {"ranks": lab.ranks, "size_bytes": length * DTYPE.itemsize, "element_bytes": DTYPE.itemsize}
    terms = algorithm_cost("all_reduce", algorithm, **size)
    predicted = [terms.steps, terms.wire_bytes, terms.reduced_bytes]
    lab.count(f"{algorithm}: steps, wire, reduced", predicted=predicted, measured=counted, unit="–, bytes, bytes")


def compare(lab: Lab, machine: Machine | None, sizes: list[int], times: dict[str, list[float]]) -> None:
    """Set predicted beside measured: the times at both ends of the sweep, the fastest there, and the crossovers."""
    if machine is None:
        return
    lab.data["crossovers"] = []
    for place in (0, -1):
        size = {"ranks": lab.ranks, "size_bytes": sizes[place], "element_bytes": DTYPE.itemsize}
        choices = compare_algorithms("all_reduce", **size, algorithms=ALGORITHMS, **machine.keywords())
        for choice in choices:
            measured_s = times[choice.algorithm][place]
            what = f"{choice.algorithm} of {sizes[place]:,} bytes"
            lab.time(what, predicted_s=choice.time_s, measured_s=measured_s)
    for first, second in combinations(ALGORITHMS, 2):
        predicted = crossover_bytes("all_reduce", first, second, ranks=lab.ranks, **machine.keywords())
        measured = crossing(sizes, times[first], times[second])
        lab.data["crossovers"].append(
            {"first": first, "second": second, "predicted_bytes": predicted, "measured_bytes": measured}
        )
        if predicted and measured:
            what = f"{second} overtakes {first} at"
            lab.estimate(what, predicted=predicted, measured=measured, unit="bytes")
        elif predicted or measured:
            expected = f"predicted at {predicted:,.0f} bytes" if predicted else "not predicted"
            found = f"measured at {measured:,.0f} bytes" if measured else "not seen in the sweep"
            lab.say(f"{second} overtakes {first}: {expected}, {found}")


def main(lab: Lab) -> None:
    """Count, fit, sweep, compare."""
    lab.need_ranks(2, "a rank alone sends nothing, so that no algorithm costs anything")
    for algorithm in ALGORITHMS:
        lab.phase(f"counting {algorithm}")
        check(lab, algorithm, 48 * lab.ranks)
    sizes = sizes_of_sweep(lab, lab.options.largest_bytes)
    lab.phase("fitting α and β")
    machine = fit_machine(lab, sizes, repeats=lab.options.repeats)
    times: dict[str, list[float]] = {algorithm: [] for algorithm in ALGORITHMS}
    for size in sizes:  # one after the other at each size, so that a load that drifts hits all alike
        lab.phase(f"timing {size} bytes")
        for algorithm in ALGORITHMS:
            times[algorithm].append(all_reduce_s(lab, algorithm, size, repeats=lab.options.repeats))
    lab.data["sweep"] = {"sizes_bytes": sizes, "times_s": times}
    compare(lab, machine, sizes, times)


if __name__ == "__main__":
    run_lab(main, options=options)
