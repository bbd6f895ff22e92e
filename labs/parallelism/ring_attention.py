"""Ring attention: what it sends and computes, and who waits, beside the formulas.

Keys and values go round by ``isend`` and ``irecv`` while each rank computes with the block that it has; their gradients
go round with them in the backward pass. Output and gradients have to be those of
``torch.nn.functional.scaled_dot_product_attention`` on the whole sequence, with a causal mask and with four query heads
to two heads of keys. The bytes and the pairs of a query and a key are counted where they are sent and computed.

Who waits is then shown with ranks that sleep in place of computing, as long as their pairs say, so that it does not
depend on how many cores there are: a causal ring with the sequence in order, and zig-zag.

    torchrun --standalone --nproc-per-node 4 labs/parallelism/ring_attention.py

Chapter: 19

Shown:
    zig-zag: output
    zig-zag: gradients
    zig-zag: sent forward
    zig-zag: sent backward
    zig-zag: pairs
    in order: pairs
    in order: time of a ring that sleeps
    zig-zag: time of a ring that sleeps
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.functional import scaled_dot_product_attention

from labs.harness import Lab, run_lab
from snippets import (
    context_rank_tokens,
    ring_attention_backward_bytes,
    ring_attention_forward_bytes,
    ring_attention_starts_s,
    ring_attention_step_pairs,
)

QUERY_HEADS, KEY_HEADS, HEAD_SIZE, TOKENS = 4, 2, 8, 16  # tokens of a rank
LAYOUTS = {"in order": "contiguous", "zig-zag": "zigzag", "striped": "striped"}


def options(parser: argparse.ArgumentParser) -> None:
    """Add the lab's own options."""
    parser.add_argument("--block-ms", type=float, default=40, help="milliseconds that a whole block of pairs sleeps")


@dataclass
class Ring:
    """The neighbours, and what has been sent and computed."""

    lab: Lab
    sent_bytes: int = 0
    pairs: int = 0

    def start(self, tensors: list[Any]) -> tuple[list[Any], list[Any]]:
        """Begin to send tensors to the next rank and to receive as many from the one before."""
        lab = self.lab
        after, before = (lab.rank + 1) % lab.ranks, (lab.rank - 1) % lab.ranks
        arriving = [torch.empty_like(tensor) for tensor in tensors]
        operations = [dist.P2POp(dist.isend, tensor.contiguous(), after) for tensor in tensors]
        operations += [dist.P2POp(dist.irecv, tensor, before) for tensor in arriving]
        self.sent_bytes += sum(tensor.nbytes for tensor in tensors)
        return dist.batch_isend_irecv(operations), arriving

    @staticmethod
    def wait(begun: tuple[list[Any], list[Any]]) -> list[Any]:
        for work in begun[0]:
            work.wait()
        return begun[1]

    def scores(self, q: Any, k: Any, here: Any, there: Any) -> Any:
        """Masked scores of one block; its visible pairs are counted."""
        hidden = there[None, :] > here[:, None]
        self.pairs += int((~hidden).sum()) * QUERY_HEADS
        shared = k.repeat_interleave(QUERY_HEADS // KEY_HEADS, dim=0)
        return (q @ shared.transpose(1, 2) / HEAD_SIZE**0.5).masked_fill(hidden, -torch.inf)


def forward(ring: Ring, places: list[Any], q: Any, k: Any, v: Any) -> tuple[Any, Any]:
    """Return this rank's output and the log-sum-exp of each row of scores."""
    lab, here = ring.lab, places[ring.lab.rank]
    o, log_sum = torch.zeros_like(q), torch.full(q.shape[:2], -torch.inf, dtype=q.dtype, device=q.device)
    for step in range(lab.ranks):
        last, there = step + 1 == lab.ranks, places[(lab.rank - step) % lab.ranks]
        begun = None if last else ring.start([k, v])
        if bool((there.min() <= here.max()).item()):
            scores = ring.scores(q, k, here, there)
            more = torch.logsumexp(scores, dim=2)
            shared = v.repeat_interleave(QUERY_HEADS // KEY_HEADS, dim=0)
            weights = torch.exp(scores - more.nan_to_num(neginf=0)[..., None])
            together = torch.logaddexp(log_sum, more)
            safe = together.nan_to_num(neginf=0)
            part = torch.exp(more.nan_to_num(neginf=0) - safe) * torch.isfinite(more)
            o = torch.exp(log_sum - safe)[..., None] * o + part[..., None] * (weights @ shared)
            log_sum = together
        if begun:
            k, v = ring.wait(begun)
    return o, log_sum


def backward(ring: Ring, places: list[Any], q: Any, k: Any, v: Any, o: Any, log_sum: Any, d_o: Any) -> tuple[Any, ...]:
    """Return the gradients of this rank's queries, keys and values."""
    lab, here, group = ring.lab, places[ring.lab.rank], QUERY_HEADS // KEY_HEADS
    delta = (d_o * o).sum(dim=2, keepdim=True)
    d_q, d_k, d_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for step in range(lab.ranks):
        there = places[(lab.rank - step) % lab.ranks]
        if bool((there.min() <= here.max()).item()):
            soft = torch.exp(ring.scores(q, k, here, there) - log_sum[..., None])
            shared = v.repeat_interleave(group, dim=0)
            d_scores = soft * (d_o @ shared.transpose(1, 2) - delta) / HEAD_SIZE**0.5
            d_q = d_q + d_scores @ k.repeat_interleave(group, dim=0)
            d_k = d_k + (d_scores.transpose(1, 2) @ q).unflatten(0, (KEY_HEADS, group)).sum(dim=1)
            d_v = d_v + (soft.transpose(1, 2) @ d_o).unflatten(0, (KEY_HEADS, group)).sum(dim=1)
        if step + 1 < lab.ranks:
            k, v, d_k, d_v = ring.wait(ring.start([k, v, d_k, d_v]))
        elif lab.ranks > 1:
            d_k, d_v = ring.wait(ring.start([d_k, d_v]))  # home
    return d_q, d_k, d_v


def compare(lab: Lab, name: str) -> None:
    """Compare a ring with attention in one piece, and its bytes and pairs with the formulas."""
    lab.phase(name)
    tokens = TOKENS * lab.ranks
    q, d_o = (torch.randn(QUERY_HEADS, tokens, HEAD_SIZE).to(lab.device) for _ in range(2))
    k, v = (torch.randn(KEY_HEADS, tokens, HEAD_SIZE).to(lab.device) for _ in range(2))
    whole = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    shared = [tensor.repeat_interleave(QUERY_HEADS // KEY_HEADS, dim=0) for tensor in whole[1:]]
    output = scaled_dot_product_attention(whole[0][None], shared[0][None], shared[1][None], is_causal=True)[0]
    output.backward(d_o)

    layout = LAYOUTS[name]
    cut: dict[str, Any] = {"ranks": lab.ranks, "sequence": tokens, "layout": layout}
    places = [torch.tensor(context_rank_tokens(r, **cut), device=lab.device) for r in range(lab.ranks)]
    mine, ring = places[lab.rank], Ring(lab)
    o, log_sum = forward(ring, places, q[:, mine], k[:, mine], v[:, mine])
    there, pairs = ring.sent_bytes, ring.pairs
    gradients = backward(ring, places, q[:, mine], k[:, mine], v[:, mine], o, log_sum, d_o[:, mine])
    lab.close(f"{name}: output", o, output.detach()[:, mine])
    exact = [tensor.grad[:, mine].flatten() for tensor in whole if tensor.grad is not None]
    lab.close(f"{name}: gradients", torch.cat([gradient.flatten() for gradient in gradients]), torch.cat(exact))
    size = {"sequence": tokens, "kv_width": KEY_HEADS * HEAD_SIZE, "ranks": lab.ranks, "element_bytes": 4}
    lab.count(
        f"{name}: sent forward", predicted=round(ring_attention_forward_bytes(**size)), measured=there, unit="bytes"
    )
    back = ring.sent_bytes - there
    lab.count(
        f"{name}: sent backward", predicted=round(ring_attention_backward_bytes(**size)), measured=back, unit="bytes"
    )
    said = sum(row[lab.rank] for row in ring_attention_step_pairs(**cut)) * QUERY_HEADS
    lab.count(f"{name}: pairs", predicted=said, measured=pairs)


def sleep(lab: Lab, name: str) -> None:
    """Time a ring whose ranks sleep for each block as long as its pairs say."""
    lab.phase(f"{name}, asleep")
    tokens = 1000
    pairs = ring_attention_step_pairs(ranks=lab.ranks, sequence=tokens * lab.ranks, layout=LAYOUTS[name])
    work = [[lab.options.block_ms / 1e3 * count / tokens**2 for count in row] for row in pairs]
    ring = Ring(lab)

    def run() -> None:
        block = [torch.zeros(8, device=lab.device)]
        for step in range(lab.ranks):
            begun = ring.start(block) if step + 1 < lab.ranks else None
            time.sleep(work[step][lab.rank])
            if begun:
                block = ring.wait(begun)

    predicted = max(ring_attention_starts_s(work, pass_s=0)[-1])
    lab.time(f"{name}: time of a ring that sleeps", predicted_s=predicted, measured_s=lab.fastest_s(run, repeats=3))


def main(lab: Lab) -> None:
    """Compare all three layouts, then time two of them."""
    torch.manual_seed(0)
    for name in LAYOUTS:
        compare(lab, name)
    for name in ("in order", "zig-zag"):
        sleep(lab, name)


if __name__ == "__main__":
    run_lab(main, options=options)
