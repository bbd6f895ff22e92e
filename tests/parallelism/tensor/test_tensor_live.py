"""The live figure of chapter 17 says what rings and products take."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.all_reduce import ring_all_reduce_time_s
from snippets.flops import layer_forward_flops
from snippets.live.knobs import from_units
from snippets.parallelism.tensor.figures import (
    block_panel,
    placement_panel,
    product_panel,
    tensor_kept_panel,
    tensor_layer_panel,
    tensor_overlap_panel,
)
from snippets.parallelism.tensor.live import tensor_layer
from snippets.parallelism.tensor.placed_rings import placed_all_reduce

LINKS = {"h100": (450e9, 50e9, 989.4e12), "a100": (300e9, 25e9, 312e12)}


@settings(max_examples=25)
@given(
    ranks=st.sampled_from([2, 4, 8, 16, 32, 64]),
    most=st.sampled_from(["1", "2", "4", "8"]),
    node=st.sampled_from(["h100", "a100"]),
    sequences=st.sampled_from([1, 4]),
    tokens=st.sampled_from([256, 8192]),
    hidden=st.sampled_from([1536, 12288]),
)
def test_the_numbers_are_those_of_operations_and_messages(
    ranks: int, most: str, node: str, sequences: int, tokens: int, hidden: int
) -> None:
    said = tensor_layer(ranks=ranks, most=most, node=node, sequences=sequences, tokens=tokens, hidden=hidden).numbers
    found = re.search(r"takes (\S+ \S*s) on .* nodes?, at .*: (\S+ \S*s) of .* and (\S+ \S*s) of .*, ([\d.]+)%", said)
    found = found or re.search(r"takes (\S+ \S*s) on .*, at .*: (\S+ \S*s) of .* and (\S+ \S*s) of .*, ([\d.]+)%", said)
    assert found, said
    inside, outside, peak = LINKS[node]
    here = min(ranks, int(most))
    size = 2.0 * sequences * tokens * hidden
    if here == ranks:
        sent = 4 * ring_all_reduce_time_s(ranks=ranks, size_bytes=size, latency_s=0, bandwidth_bytes_per_s=inside)
    else:
        links = {"node_bytes_per_s": inside, "adapter_bytes_per_s": outside}
        sent = 4 * placed_all_reduce(nodes=ranks // here, gpus_in_node=here, size_bytes=size, **links).time_s
    compute = 3 * layer_forward_flops(batch=sequences, sequence=tokens, hidden=hidden) / ranks / (peak / 2)
    for text, value in zip(found.groups()[:3], (compute + sent, compute, sent), strict=True):
        assert from_units("time", text, "s") == pytest.approx(value, rel=6e-3)
    assert float(found[4]) == pytest.approx(100 * sent / (compute + sent), abs=0.06)


def test_one_rank_sends_nothing_and_the_batch_changes_no_share() -> None:
    assert "on one GPU: 46.3 ms of arithmetic and 0 s of communication, 0.0%" in tensor_layer(ranks=1).numbers
    shares = [re.search(r"([\d.]+)% of the step", tensor_layer(ranks=8, sequences=b).numbers) for b in (1, 16)]
    assert [found[1] for found in shares if found] == ["11.9", "11.9"]


def test_what_has_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="powers of two"):
        tensor_layer(ranks=3)


def test_the_pictures_show_what_was_computed() -> None:
    """The entries of the small product, and of its terms; the shapes; the end of an overlapped pass."""
    columns, rows = (re.findall(r">(−?\d+)</text>", product_panel(cut=cut).svg()) for cut in ("column", "row"))
    assert " ".join(columns) == "2 1 1 −2 3 0 1 1 −4 2 3 −3 2 2"
    assert " ".join(rows) == "2 1 1 −2 3 0 1 1 −4 2 2 −4 6 0 1 1 −4 2 3 −3 2 2"
    assert "12,288 × 6,144" in block_panel(tokens=2048, stream=12288, inner=49152, ranks=8).svg()
    for cut, calls in ((False, (0, 0, 4)), (True, (4, 4, 0))):
        svg = tensor_layer_panel(sequence_parallel=cut).svg()
        assert tuple(svg.count(f">{name}<") for name in ("all-gather", "reduce-scatter", "all-reduce")) == calls
    assert ">13 B a value<" in tensor_kept_panel({"one": (10, 3)}).svg()
    assert "53 GPU-ms" in placement_panel({"one": (46.3, 6.3)}).svg()
    overlap = {"input_ms": 0.5, "weight_ms": 0.5, "all_reduce_ms": 0.2, "until_ms": 1.5}
    assert "1.00 ms" in tensor_overlap_panel(**overlap, beside=True).svg()
    assert "1.20 ms" in tensor_overlap_panel(**overlap, beside=False).svg()
