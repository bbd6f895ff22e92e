"""Drawings: the live figure of chapter 19: a ring of attention, who computes with whose keys when, and who waits."""

from __future__ import annotations

from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.parallelism.sequence.charts import ring_chart
from snippets.parallelism.sequence.formulas import (
    attention_flops,
    hidden_block_tokens,
    ring_attention_forward_bytes,
    ring_attention_starts_s,
    ring_attention_step_pairs,
)

HEAD_SIZE = 128
WIDTH_PX = 340  # of a telephone
_LAYOUTS = {
    "none": "no mask",
    "contiguous": "causal, in order",
    "zigzag": "causal, zig-zag",
    "striped": "causal, striped",
}
_CHEAP = {"ranks": 16, "queries_per_key": 16, "bandwidth_bytes_per_s": 3e9}


@live_figure(
    title="A ring of attention",
    caption="The forward pass of one layer. A rank has one head of keys and values, of size 128, 2 bytes an element. "
    "A block has the colour and the number of the rank whose keys and values it is computed with; the thin red bar "
    "below it is their message; grey is waiting.",
    opens="The question",
    knobs=[
        Choice("layout", "Mask and cut", _LAYOUTS, "none"),
        Number("ranks", "Ranks R", 4, 2, 16),
        Number("tokens", "Tokens a rank x", 8192, 1024, 65536, 2, "log"),
        Number("queries_per_key", "Query heads a key head q", 1, 1, 16, 2, "log"),
        Number("tflop_per_s", "Achieved rate uP, TFLOP/s", 540, 540 / 2**4, 540 * 2**2, 2**0.5, "log", whole=False),
        Number("bandwidth_bytes_per_s", "Link β", 200e9, 400e9 / 2**8, 400e9 * 4, 2**0.5, "log", "B/s", whole=False),
    ],
    named=[
        Named(
            "The question",
            "A message takes 10.7 ms, beside 29.6 ms of computing in a step: it costs no time.",
            {"layout": "zigzag", "tokens": 62500, **_CHEAP},
        ),
        Named(
            "In order",
            "The last rank computes in every step, and the others wait: the ranks work 52% of the time.",
            {"layout": "contiguous", "tokens": 62500, **_CHEAP},
        ),
        Named(
            "128,000 tokens",
            "A rank has 8,000 tokens, and 22,500 would be needed: the ranks work 37% of the time.",
            {"layout": "zigzag", "tokens": 8000, **_CHEAP},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Cut among the 8 GPUs of a node, each has 1,024 tokens. Latency aside, 447 are enough to "
            "hide the messages.",
            {
                "layout": "zigzag",
                "ranks": 8,
                "tokens": 1024,
                "queries_per_key": 8,
                "tflop_per_s": round(THE_70B.matmul_flops_per_s / 1e12, 2),
                "bandwidth_bytes_per_s": THE_70B.link_share * THE_70B.node_bytes_per_s,
            },
        ),
    ],
)
def attention_ring(
    *, layout: str, ranks: int, tokens: int, queries_per_key: int, tflop_per_s: float, bandwidth_bytes_per_s: float
) -> Picture:
    """Run a ring and draw its chart."""
    tokens += tokens % 2  # zig-zag cuts a rank's tokens in two
    flops_per_s = tflop_per_s * 1e12
    causal = layout != "none"
    cut = layout if causal else "contiguous"
    pairs = ring_attention_step_pairs(ranks=ranks, sequence=ranks * tokens, layout=cut, causal=causal)
    second = attention_flops(pairs=1, query_heads=queries_per_key, head_size=HEAD_SIZE) / flops_per_s
    work = [[count * second for count in row] for row in pairs]
    sent = ring_attention_forward_bytes(sequence=ranks * tokens, kv_width=HEAD_SIZE, ranks=ranks) / (ranks - 1)
    passing = sent / bandwidth_bytes_per_s
    end = max(ring_attention_starts_s(work, pass_s=passing)[-1])
    busy = sum(map(sum, work)) / ranks / end
    least = hidden_block_tokens(
        flops_per_s=flops_per_s,
        bandwidth_bytes_per_s=bandwidth_bytes_per_s,
        queries_per_key=queries_per_key,
        computed_share=0.5 if layout in ("zigzag", "striped") else 1,
    )
    longest = max(max(row) for row in work[1:])
    numbers = (
        f"{ranks} ranks with {tokens:,} tokens each, {_LAYOUTS[layout]}: the pass takes {in_units(end, 's')}, and the "
        f"ranks work {busy:.0%} of the time. A step after the first computes for {in_units(longest, 's')} at the "
        f"longest, and a message of {in_units(sent, 'B')} takes {in_units(passing, 's')}. Where all ranks have "
        f"equal steps, passing hides from {least:,.0f} tokens a rank on."
    )
    alt = (
        f"A chart of time with a row for each of {ranks} ranks, which ends at {in_units(end, 's')}. Blocks are "
        f"computing, grey is waiting; {busy:.0%} of the rows' length is blocks."
    )
    chart = ring_chart(
        work,
        pass_s=passing,
        title=f"{_LAYOUTS[layout].capitalize()}, R = {ranks}",
        width_px=WIDTH_PX,
        row_px=24 if ranks <= 8 else 17,
    )
    return Picture([chart], numbers, alt)
