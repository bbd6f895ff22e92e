"""The live figure of chapter 17 says what rings and matmuls take."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.flops import layer_forward_flops
from snippets.live.knobs import from_units
from snippets.parallelism.tensor.figures import (
    block_panels,
    placement_panel,
    product_panel,
    rings_panel,
    tensor_kept_panel,
    tensor_layer_panels,
    tensor_overlap_panel,
)
from snippets.parallelism.tensor.live import tensor_layer
from snippets.parallelism.tensor.placed_rings import placed_all_reduce

LINKS = {"h100": (0.8 * 450e9, 0.8 * 50e9, 989.4e12), "a100": (0.8 * 300e9, 0.8 * 25e9, 312e12)}
GATES = {"gpt": (0, 1), "llama": (1, 8)}  # a gate besides the two matrices; query heads to a key-value head


def matmuls(layer: str, hidden: int) -> tuple[list[float], list[float]]:
    """Return the weights of a block's first matrices, attention and feed-forward, and of its second ones."""
    gate, shared = GATES[layer]
    inner = 4 * hidden if layer == "gpt" else 3.5 * hidden
    queries, keys_and_values = hidden * hidden, 2 * hidden * hidden / shared
    return [queries + keys_and_values, (1 + gate) * hidden * inner], [hidden * hidden, inner * hidden]


@settings(max_examples=25)
@given(
    ranks=st.sampled_from([2, 4, 8, 16, 32, 64]),
    most=st.sampled_from(["1", "2", "4", "8"]),
    node=st.sampled_from(["h100", "a100"]),
    hide=st.sampled_from(["backward", "none"]),
    layer=st.sampled_from(["gpt", "llama"]),
    sequences=st.sampled_from([1, 4]),
    tokens=st.sampled_from([256, 8192]),
    hidden=st.sampled_from([1536, 12288]),
)
def test_the_numbers_are_those_of_two_lanes_and_of_counted_messages(
    ranks: int, most: str, node: str, hide: str, layer: str, sequences: int, tokens: int, hidden: int
) -> None:
    """The GPU and the network as two lanes, matmul by matmul; rings by their messages, link by link."""
    knobs = {"ranks": ranks, "most": most, "node": node, "hide": hide, "layer": layer}
    said = tensor_layer(**knobs, sequences=sequences, tokens=tokens, hidden=hidden).numbers
    found = re.search(r"takes (\S+ \S*s) on .*, at .*: (\S+ \S*s) of .* and (\S+ \S*s) of .*, ([\d.]+)%", said)
    assert found, said
    inside, outside, peak = LINKS[node]
    here, x = min(ranks, int(most)), sequences * tokens
    links = {"node_bytes_per_s": inside, "adapter_bytes_per_s": outside}
    one = placed_all_reduce(nodes=ranks // here, gpus_in_node=here, size_bytes=2.0 * x * hidden, **links).time_s
    one += 2 * (ranks - 1) * 5e-6
    rate = 0.65 * peak * ranks
    scores = 4 * x * tokens * hidden / rate
    first, second = matmuls(layer, hidden)
    clock = sum(2 * x * weights / rate for weights in first + second) + scores + 2 * one  # forward
    for before, behind, own in zip(first, second, (scores, 0), strict=True):
        clock += 2 * 2 * x * behind / rate + 2 * own  # the second matrix, both gradients; then what is between
        clock += 2 * x * before / rate  # the gradient of the input
        sent, done = clock + one, clock + 2 * x * before / rate
        clock = max(sent, done) if hide == "backward" else done + one
    compute = 3 * (sum(2 * x * weights for weights in first + second) / rate + scores)
    if layer == "gpt":
        forward = layer_forward_flops(batch=sequences, sequence=tokens, hidden=hidden)
        assert compute == pytest.approx(3 * forward / rate)
    for text, value in zip(found.groups()[:3], (clock, compute, clock - compute), strict=True):
        assert from_units("time", text, "s") == pytest.approx(value, rel=6e-3)
    assert float(found[4]) == pytest.approx(100 * (clock - compute) / clock, abs=0.06)


def test_one_rank_waits_for_nobody_and_the_batch_changes_little() -> None:
    assert "on one GPU: 142 ms of computing and 0 s of waiting, 0.0%" in tensor_layer(ranks=1).numbers
    still = {"ranks": 8, "hide": "none", "latency_s": 5e-7}
    shares = [re.search(r"([\d.]+)% of the step", tensor_layer(**still, sequences=b).numbers) for b in (1, 16)]
    assert [found[1] for found in shares if found] == ["18.5", "18.1"]


def test_what_has_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="powers of two"):
        tensor_layer(ranks=3)


def test_the_pictures_show_what_was_computed() -> None:
    """The elements of the small matmul, and of its terms; the shapes; the end of an overlapped pass."""
    columns, rows = (re.findall(r">(−?\d+)</text>", product_panel(cut=cut).svg()) for cut in ("column", "row"))
    assert " ".join(columns) == "2 1 1 −2 3 0 1 1 −4 2 3 −3 2 2"
    assert " ".join(rows) == "2 1 1 −2 3 0 1 1 −4 2 2 −4 6 0 1 1 −4 2 3 −3 2 2"
    first, second = (panel.svg() for panel in block_panels(tokens=2048, stream=12288, inner=49152, ranks=8))
    assert "12,288 × 6,144" in first
    assert "6,144 × 12,288" in second
    for cut, calls in ((False, (0, 0, 4)), (True, (4, 4, 0))):
        svg = "".join(panel.svg() for panel in tensor_layer_panels(sequence_parallel=cut))
        assert tuple(svg.count(f">{name}<") for name in ("all-gather", "reduce-scatter", "all-reduce")) == calls
    assert ">13 B an element<" in tensor_kept_panel({"one": (10, 3)}).svg()
    assert rings_panel().svg().count("<path") == 8  # two rings of four messages
    assert "53 GPU-ms" in placement_panel({"one": (46.3, 6.3)}).svg()
    overlap = {"input_ms": 0.5, "weight_ms": 0.5, "all_reduce_ms": 0.2, "until_ms": 1.5}
    assert "1.0 ms" in tensor_overlap_panel(**overlap, beside=True).svg()
    assert "1.2 ms" in tensor_overlap_panel(**overlap, beside=False).svg()
