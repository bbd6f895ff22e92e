"""What breaks when gradients are compressed: the range of fp16, rounding that is biased, a rank that is too low."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook

from labs.efficiency.compressors import BLOCK, LEVELS, RANK, Blocks, N, Network, gathered, hooks, plain, same
from labs.efficiency.recursions import nearest, random_rounding_rms
from labs.efficiency.wire import near
from labs.harness import Lab

ROUNDS, LARGE, SMALL = 32, 2e6, 1e-5


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
