"""ZeRO and FSDP2: what DDP, ``ZeroRedundancyOptimizer`` and ``fully_shard`` send and hold, beside 2N, 2N, 3N and 16N/R.

Every collective that the engine issues is noted with its kind and its size. Sizes are whole: a rank sends (R − 1)/R of
them, and an all-reduce counts as both of its phases. All layers are equal and 2R in number, so that every way to cut
them is even (N is 18,432 on four ranks); one more, uneven layer shows the padding. "Held" is parameters, gradients and
Adam's moments of one rank, in bytes; a peak is the most bytes of tensors alive at any operation of the forward and
backward pass. After a collective, gloo's own thread may hold its buffer a moment longer, and nothing says when it has
let go: with parameters kept, one step in five met such a buffer at its next operation. The least of three steps' peaks
is what it needs.

Three things stand out. ``ZeroRedundancyOptimizer`` saves stage 1's memory, but it all-reduces the gradients and then
broadcasts the parameters: 3N, not the 2N of the paper, which the prediction takes into account. "Parameters kept" sends
as little as stage 2 and holds the gathered parameters from the forward to the backward pass; between steps it holds as
little as stage 3. And the peak, less the layers' inputs and rounded up to whole layers, lies two layers above shards
and buffers: what the formula says it leaves out, the next layer gathered ahead and the collective's own buffer. The
temporaries of the optimizer's step are not in it, nor what the allocator and gloo keep for themselves.

    torchrun --standalone --nproc-per-node 4 labs/memory/zero_fsdp.py

Chapter: 22

Shown:
    0, DDP: sizes
    0, DDP: held
    1, ZeroRedundancyOptimizer: sizes
    1, ZeroRedundancyOptimizer: held
    2, FSDP2, parameters kept: sizes
    2, 2 micro-batches: sizes
    3, FSDP2: sizes
    3, FSDP2: gathers, reduces
    3, FSDP2: held
    3, FSDP2: peak
    3, 2 micro-batches: sizes
    3, 2 micro-batches, reduced once: sizes
    layer of 9 rows: padded to
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any, cast

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from labs.harness import Lab, run_lab
from labs.memory.account import GATHER, SCATTER, Account, local
from snippets import (
    shard_length,
    zero_buffer_bytes,
    zero_communication_elements,
    zero_state_bytes,
    zero_traffic_bytes,
    zero_traffic_elements,
)

BF16 = "mixed-adam-fp32-gradients"


def model_and_inputs(lab: Lab, *, rows: int, micro_batches: int) -> tuple[nn.Module, torch.Tensor]:
    """Return 2N equal layers, or a single one of so many rows, and what all ranks are fed: other data on each."""
    torch.manual_seed(0)
    width = lab.ranks * -(-48 // lab.ranks)
    layers = [nn.Linear(width, rows or width, bias=False) for _ in range(1 if rows else 2 * lab.ranks)]
    return nn.Sequential(*layers).to(lab.device), torch.randn(lab.ranks, micro_batches, 1, width).to(lab.device)


class Run:
    """Four steps of one way to train; the last is accounted, for DDP sorts its buckets before the second."""

    def __init__(self, lab: Lab, how: str, *, micro_batches: int = 1, reduce_each: bool = True, rows: int = 0) -> None:
        lab.phase(f"{how}, micro-batches: {micro_batches}")
        model, batches = model_and_inputs(lab, rows=rows, micro_batches=micro_batches)
        (model(batches).square().sum() / lab.ranks).backward()
        self.expected = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
        engine, sharded = cast(Any, model), how.startswith("fsdp")
        if sharded:
            mesh = init_device_mesh(lab.device.type, (lab.ranks,))
            policy = MixedPrecisionPolicy(*((torch.bfloat16, torch.float32) if "mixed" in how else ()))
            for module in [*engine, engine]:
                fully_shard(module, mesh=mesh, mp_policy=policy, reshard_after_forward="kept" not in how)
        else:
            engine = DistributedDataParallel(engine, gradient_as_bucket_view=True)
        parameters = list(engine.parameters())
        shared: Any = ZeroRedundancyOptimizer(parameters, torch.optim.Adam, lr=0.0) if how == "zero" else None
        optimizer = shared or torch.optim.Adam(parameters, lr=0.0)  # 0, so that every step has the same gradient
        states = (shared.optim if shared else optimizer).state
        peaks_bytes = []
        for _ in range(4):
            optimizer.zero_grad()
            # Adam's moments, but not the number of the step
            moments = [local(t) for state in states.values() for t in state.values() if t.dim()]
            self.account = Account([local(p) for p in parameters] + moments)
            with self.account:
                for index, batch in enumerate(batches[lab.rank]):
                    last = index == micro_batches - 1
                    if sharded:
                        engine.set_requires_gradient_sync(reduce_each or last)
                        engine.set_reshard_after_backward(last or "kept" not in how)
                    with nullcontext() if sharded or last else engine.no_sync():
                        engine(batch).square().sum().backward()
                peaks_bytes.append(self.account.peak_bytes)
                held = [parameters, [p.grad for p in parameters], moments]
                self.held_bytes = [sum(local(t).nbytes for t in kind) for kind in held]
                optimizer.step()
        self.peak_bytes = min(peaks_bytes[1:])  # the first step has no moments yet
        whole = [p.grad.full_tensor() if sharded else p.grad for p in parameters]
        self.gradient = torch.cat([gradient.flatten() for gradient in whole])


def main(lab: Lab) -> None:
    """Count, size and weigh every way to train."""
    lab.need_ranks(2, "a rank alone shards nothing and sends nothing")
    n, rank, two = lab.ranks, lab.rank, {"micro_batches": 2}
    ways: list[tuple[str, str, int, dict[str, Any]]] = [
        ("0, DDP", "ddp", 0, {}),
        ("0, 2 micro-batches, no_sync", "ddp", 0, two),
        ("1, ZeroRedundancyOptimizer", "zero", 1, {}),
        ("2, FSDP2, parameters kept", "fsdp, kept", 2, {}),
        ("2, 2 micro-batches", "fsdp, kept", 2, two),
        ("3, FSDP2", "fsdp", 3, {}),
        ("3, 2 micro-batches", "fsdp", 3, two),
        ("3, 2 micro-batches, reduced once", "fsdp", 3, {**two, "reduce_each": False}),
    ]
    gradients: list[torch.Tensor] = []
    expected: list[torch.Tensor] = []
    for name, how, stage, options in ways:
        run = Run(lab, how, **options)
        gradients.append(run.gradient)
        expected.append(run.expected)
        count, layers = run.expected.numel(), 2 * n
        elements = zero_communication_elements(count, stage=stage, **options)
        if how == "zero":  # gradients are all-reduced as in stage 0; then every owner broadcasts its parameters
            elements = zero_communication_elements(count, stage=3) - elements
            elements += zero_communication_elements(count, stage=0)
        lab.count(f"{name}: sizes", predicted=int(elements), measured=run.account.elements, unit="elements")
        keeps: dict[str, Any] = {"ranks": n, "stage": 3 if "fsdp" in how else stage}
        if "fsdp" in how:
            calls = zero_traffic_elements(count, ranks=n, stage=stage, rank=rank, **options)
            once = zero_traffic_elements(count // layers, ranks=n, stage=1, rank=rank)  # one call of each
            predicted = [calls.sent_parameters // once.sent_parameters, calls.sent_gradients // once.sent_gradients]
            measured = [len(run.account.of(GATHER)), len(run.account.of(SCATTER))]
            lab.count(f"{name}: gathers, reduces", predicted=predicted, measured=measured, unit="calls")
        if not options:
            state = zero_state_bytes(count, rank=rank, recipe="fp32-adam", **keeps)
            kinds = [state.parameters, state.gradients, state.optimizer]
            lab.count(f"{name}: held", predicted=kinds, measured=run.held_bytes, unit="bytes")
        if not options and "fsdp" in how and lab.device.type == "cpu":
            unit, again = count // layers, how == "fsdp"
            buffers = zero_buffer_bytes(count, largest_unit=unit, recipe="fp32-adam", gather_again=again, **keeps)
            # What the formula leaves out: the next layer, gathered ahead, and the buffer of the collective itself.
            most = state.total + buffers + (2 * 4 * unit if again else 0)
            inputs = 4 * (layers + 1) * math.isqrt(unit)  # what layers keep of what they are fed, at the most
            peak = -((inputs - run.peak_bytes) // (4 * unit))
            lab.count(f"{name}: peak", predicted=most // (4 * unit), measured=peak, unit="layers of fp32")
    lab.close("gradients of all, beside one process's", torch.cat(gradients), torch.cat(expected))
    run = Run(lab, "fsdp, mixed")
    sent = zero_traffic_bytes(run.expected.numel(), ranks=n, stage=3, rank=rank, recipe=BF16).sent
    measured_sent = sum(beside for _, _, beside in run.account.calls)
    lab.count("3, bf16, gradients in fp32: sent", predicted=sent, measured=measured_sent, unit="bytes")
    rows = 2 * n + 1
    run = Run(lab, "fsdp", rows=rows)
    padded = n * shard_length(rows, ranks=n, rank=0) * (run.expected.numel() // rows)
    lab.count(f"layer of {rows} rows: padded to", predicted=padded, measured=run.account.of(GATHER)[0], unit="elements")


if __name__ == "__main__":
    run_lab(main)
