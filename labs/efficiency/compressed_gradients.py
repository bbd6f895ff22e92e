"""Compressed gradients: what five communication hooks of DDP send, and what they make of the gradient.

Two hooks are PyTorch's for fewer bits, `fp16_compress_hook` and `bf16_compress_hook`; one is its PowerSGD, which sends
two thin matrices for each square one. Two are written here. *8-bit blocks* quantises 256 entries to a scale, deals the
chunks by all-to-all, sums them in fp32, quantises the average again and gathers it; ZeRO++ averages gradients by such
an all-to-all. *Top 1%* gathers each rank's k largest entries with their places, and keeps what it did not send for
later; a rank gets (R − 1)·k pairs of 8 bytes, the more the more ranks there are.

Three things decide. Every collective that gloo is given has the predicted size, read from the profiler's trace (of
PowerSGD, which sends from other threads, the sizes of its matrices). On Linux, what the sockets send is within 3% of
the formula. And the averages are those of a recursion in NumPy, which has all ranks' gradients at hand and sends
nothing: after several steps with error feedback too.

Then what breaks. fp16 makes infinities of large entries and zeros of small ones, which bf16 keeps, with fewer digits.
Rounding to the nearest level is off by the same each time, so the mean of many rounds is no better than one. Rounding
up or down by chance is unbiased, and the error of that mean falls as the formula says. With error feedback nothing is
lost: what was sent and what is left over are together the sum of all gradients. PowerSGD is exact where the average has
no higher rank than it sends. The losses are shown beside that of plain DDP and decide nothing.

    torchrun --standalone --nproc-per-node 4 labs/efficiency/compressed_gradients.py

Chapter: 30

Shown:
    fp32: on the wire
    fp16: on the wire
    8-bit blocks: given to gloo
    8-bit blocks: on the wire
    8-bit blocks: NumPy's average
    PowerSGD: thin
    PowerSGD: on the wire
    PowerSGD: average of
    PowerSGD: error of an average
    top 1%: on the wire
    top 1%: places filled
    top 1%: sent and left over
    top 1%, no feedback: lost
    fp16, scaled
    bf16, scaled
    nearest: error
    by chance: error
    loss after
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook, fp16_compress_hook
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook

from labs.efficiency.compressors import LEVELS, Blocks, Hook, Largest, Network, plain
from labs.efficiency.recursions import (
    blocks_average,
    largest_with_feedback,
    low_rank_with_feedback,
    nearest,
    random_rounding_rms,
)
from labs.efficiency.trace import Trace
from labs.efficiency.wire import compare_wire, near, on_gloo, sent_by
from labs.harness import Lab, run_lab
from snippets import collective_traffic, quantization_constant_bytes

MATRICES, WIDTH, BATCH, BLOCK, RANK = 4, 384, 16, 256, 16
N = MATRICES * WIDTH**2
KEPT = N // 100
CHECKED, RATE = 4, 0.2
ROUNDS, LARGE, SMALL = 32, 2e6, 1e-5
ALGORITHMS = {"all_reduce": "ring", "all_gather": "ring", "all_to_all": "pairwise"}

Calls = list[tuple[str, int]]


def gathered(lab: Lab, own: torch.Tensor) -> np.ndarray[Any, Any]:
    """Return what all ranks have, a row for each."""
    rows = [torch.empty_like(own) for _ in range(lab.ranks)]
    dist.all_gather(rows, own)
    return torch.stack(rows).numpy()


def wire_bytes(lab: Lab, calls: Calls) -> int:
    """Return what this rank sends in collectives, each with what a rank brings to it."""
    sent = 0
    for name, brought in calls:
        whole = brought * lab.ranks if name == "all_gather" else brought
        if whole:
            traffic = collective_traffic(name, ALGORITHMS[name], ranks=lab.ranks, size_bytes=whole, element_bytes=1)
            sent += traffic.sent_bytes[lab.rank]
    return sent


def text(calls: Calls) -> str:
    """Write collectives down."""
    return ", ".join(f"{name} {brought}" for name, brought in calls)


def sizes(lab: Lab) -> dict[str, Calls]:
    """Return the collectives of a step of each hook, with the bytes that a rank brings."""
    blocks = -(-N // (lab.ranks * BLOCK)) * lab.ranks
    scales = quantization_constant_bytes(blocks * BLOCK, block=BLOCK, states=1)
    half, thin = 2 * N, 4 * RANK * WIDTH * MATRICES
    largest = [("all_gather", 4 * KEPT)] * 2
    return {
        "fp32": [("all_reduce", 4 * N)],
        "fp16": [("all_reduce", half)],
        "bf16": [("all_reduce", half)],
        "8-bit blocks": [
            ("all_to_all", blocks * BLOCK),
            ("all_to_all", scales),
            ("all_gather", blocks * BLOCK // lab.ranks),
            ("all_gather", scales // lab.ranks),
        ],
        "PowerSGD": [("all_reduce", 0), ("all_reduce", thin), ("all_reduce", thin)],  # first what isn't compressed
        "top 1%": largest,
        "top 1%, no feedback": largest,
    }


def hooks() -> dict[str, Callable[[], Hook]]:
    """Return what makes each hook; PowerSGD's first two steps are those of plain DDP."""
    world = dist.group.WORLD
    return {
        "fp32": lambda: plain,
        "fp16": lambda: partial(fp16_compress_hook, world),
        "bf16": lambda: partial(bf16_compress_hook, world),
        "8-bit blocks": lambda: Blocks(block=BLOCK),
        "PowerSGD": lambda: partial(
            powerSGD_hook, PowerSGDState(None, matrix_approximation_rank=RANK, start_powerSGD_iter=2)
        ),
        "top 1%": lambda: Largest(KEPT),
        "top 1%, no feedback": lambda: Largest(KEPT, feedback=False),
    }


def first_directions() -> list[np.ndarray[Any, Any]]:
    """Return the random matrices with which PowerSGD begins, drawn as its default seed draws them."""
    generator = torch.Generator().manual_seed(int(np.random.RandomState(0).randint(1_000_000_000)))
    return [torch.randn(1, WIDTH, RANK, generator=generator)[0].double().numpy() for _ in range(MATRICES)]


def same(lab: Lab, what: str, found: Any, expected: Any, *, tolerance: float = 1e-5) -> None:
    """Compare two vectors, the second from NumPy."""
    lab.close(what, torch.as_tensor(found), torch.as_tensor(expected), tolerance=tolerance)


def check(lab: Lab, name: str, seen: list[Any], took: list[Any], hook: Hook) -> None:
    """Compare the averages of the first steps with those that NumPy makes of the ranks' own gradients."""
    total = sum(gradients.astype(np.float64).mean(axis=0) for gradients in seen)
    if name in ("fp32", "fp16", "bf16"):
        digits = {"fp32": 24, "fp16": 11, "bf16": 8}[name]
        same(lab, f"{name}: average", took[-1], seen[-1].mean(axis=0), tolerance=lab.ranks * 2.0**-digits)
    elif name == "8-bit blocks":
        padded = np.pad(seen[-1], ((0, 0), (0, -N % (lab.ranks * BLOCK))))
        twice = blocks_average(padded, block=BLOCK, levels=LEVELS)[1][:N]
        equal = int(np.count_nonzero(twice == took[-1]))
        lab.count(f"{name}: NumPy's average, bit for bit", predicted=N, measured=equal, unit="entries")
    elif name == "PowerSGD":
        averages, errors = low_rank_with_feedback(seen, first_directions())
        same(lab, f"{name}: average of step {CHECKED}", took[-1], averages[-1], tolerance=1e-3)
        state: Any = hook.args[0]  # type: ignore[attr-defined]
        matrices = [memory[0].nbytes for memory in (state.p_memory_dict, state.q_memory_dict)]
        thin = [brought for _, brought in sizes(lab)[name][1:]]
        lab.count(f"{name}: thin matrices", predicted=thin, measured=matrices, unit="bytes")
        same(lab, f"{name}: left over", state.error_dict[0], errors[lab.rank], tolerance=1e-3)
        same(lab, f"{name}: sent and left over", sum(took) + errors.mean(axis=0), total, tolerance=1e-3)
    else:
        feedback = "no" not in name
        averages, filled, errors = largest_with_feedback(seen, count=KEPT, feedback=feedback)
        same(lab, f"{name}: average of step {CHECKED}", took[-1], averages[-1])
        measured = int(np.count_nonzero(took[-1]))
        lab.count(f"{name}: places filled", predicted=filled[-1], measured=measured, unit="entries")
        if feedback and isinstance(hook, Largest):
            same(lab, f"{name}: left over", hook.error, errors[lab.rank])
            mean = gathered(lab, torch.as_tensor(hook.error)).mean(axis=0)
            same(lab, f"{name}: sent and left over, beside all gradients", sum(took) + mean, total)
        else:
            lost = [float(np.linalg.norm(total - part) / np.linalg.norm(total)) for part in (sum(averages), sum(took))]
            near(lab, f"{name}: lost", predicted=lost[0], measured=lost[1], unit="of all gradients", most=1e-3)


def ranges(lab: Lab, network: Network) -> None:
    """Scale a gradient up and down, beyond what fp16 can say."""
    data = network.draw()
    network.restart(hooks()["fp16"]())
    large = network.gradient(data, scale=LARGE)
    with np.errstate(over="ignore"):
        beyond = ~np.isfinite(gathered(lab, network.own).astype(np.float16)).all(axis=0)
    infinite = int(torch.count_nonzero(~torch.isfinite(large)))
    lab.count(f"fp16, scaled by {LARGE:g}: infinite", predicted=int(beyond.sum()), measured=infinite, unit="entries")
    small = network.gradient(data, scale=SMALL)
    shares = gathered(lab, network.own).astype(np.float16) / np.float16(lab.ranks)
    zeros = int(np.count_nonzero(shares.sum(axis=0) == 0))  # so small that the sum of halves has no rounding
    lab.count(f"fp16, scaled by {SMALL:g}: zeros", predicted=zeros, measured=int((small == 0).sum()), unit="entries")
    network.restart(hooks()["bf16"]())
    for scale in (LARGE, SMALL):
        found = network.gradient(data, scale=scale)
        what, tolerance = f"bf16, scaled by {scale:g}: average", lab.ranks * 2.0**-8
        same(lab, what, found, gathered(lab, network.own).mean(axis=0), tolerance=tolerance)


def unbiased(lab: Lab, network: Network) -> None:
    """Average many times what the ranks make of the same gradients, rounded to the nearest level or by chance."""
    network.restart(plain)
    network.gradient()
    every = gathered(lab, network.own)
    length = N // (lab.ranks * BLOCK) * lab.ranks * BLOCK
    exact = torch.from_numpy(every[:, :length].astype(np.float64).mean(axis=0)).chunk(lab.ranks)[lab.rank]
    own = every[:, :length].reshape(lab.ranks, lab.ranks, -1)[:, lab.rank]  # all ranks' share of this rank's chunk
    rounded = np.mean([nearest(part, block=BLOCK, levels=LEVELS).astype(np.float64) for part in own], axis=0)
    always = float(np.sqrt(np.mean((rounded - exact.numpy()) ** 2)))
    once = random_rounding_rms(own, block=BLOCK, levels=LEVELS)
    for name, generator in (("nearest", None), ("by chance", torch.Generator().manual_seed(lab.rank))):
        blocks = Blocks(block=BLOCK, generator=generator)
        total = torch.zeros_like(exact)
        for turn in range(1, ROUNDS + 1):
            total += blocks.dealt(network.own[:length]).double()
            if turn in (1, ROUNDS):
                expected = always if generator is None else once / turn**0.5
                error = float((total / turn - exact).square().mean().sqrt())
                what = f"{name}: error of the mean of {turn}"
                near(lab, what, predicted=expected, measured=error, unit="root mean square", most=0.05)


def exact_rank(lab: Lab, network: Network) -> None:
    """Let PowerSGD average gradients of so few examples that the average has the rank that it sends."""
    examples = max(1, RANK // lab.ranks)
    state = PowerSGDState(
        None, matrix_approximation_rank=RANK, start_powerSGD_iter=0, use_error_feedback=False, warm_start=False
    )
    network.restart(partial(powerSGD_hook, state))
    found = network.gradient([part[:examples] for part in network.draw()])
    what = f"PowerSGD: error of an average of rank {examples * lab.ranks}"
    same(lab, what, found, gathered(lab, network.own).mean(axis=0), tolerance=1e-3)


def main(lab: Lab) -> None:
    """Train a few steps with every hook, then show what breaks."""
    lab.need_ranks(2, "a rank alone sends nothing")
    on_gloo(lab)
    network = Network(lab, matrices=MATRICES, width=WIDTH, batch=BATCH)
    test = network.draw()
    for part in test:
        dist.broadcast(part, 0)
    calls = sizes(lab)
    losses: dict[str, float] = {}
    for name, make in hooks().items():
        lab.phase(name)
        hook = make()
        network.restart(hook)
        if name == "PowerSGD":
            given = [call for _ in range(2) for call in Trace(network.gradient).given]
            lab.count(f"{name}: first two steps", predicted=text(2 * calls["fp32"]), measured=text(given), unit="bytes")
        network.generator.manual_seed(1 + lab.rank)
        seen, took = [], []
        for _ in range(CHECKED):
            took.append(network.step(RATE).numpy())
            seen.append(gathered(lab, network.own))
        check(lab, name, seen, took, hook)
        for _ in range(lab.options.steps - CHECKED):
            network.step(RATE)
        losses[name] = network.loss_of(test)
        given = Trace(network.gradient).given
        if name != "PowerSGD":  # its callbacks run in gloo's threads, which the profiler may not see
            told = "given to gloo"
            lab.count(f"{name}: {told}", predicted=text(calls[name]), measured=text(given), unit="bytes")
        compare_wire(lab, name, predicted=wire_bytes(lab, calls[name]), measured=sent_by(network.gradient))
    lab.phase("what breaks")
    exact_rank(lab, network)
    ranges(lab, network)
    unbiased(lab, network)
    for name, loss in losses.items():
        what = f"loss after {lab.options.steps} steps: {name}"
        lab.estimate(what, predicted=losses["fp32"], measured=loss, unit="")


def options(parser: argparse.ArgumentParser) -> None:
    """Add the option of this lab."""
    parser.add_argument("--steps", type=int, default=30, help=f"of each hook, at least {CHECKED}")


if __name__ == "__main__":
    run_lab(main, options=options)
