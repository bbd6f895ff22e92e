"""Solutions of chapter 21's exercises."""

from __future__ import annotations

from collections.abc import Iterable


def peak_and_live(events: Iterable[tuple[str, int]]) -> tuple[int, list[str]]:
    """Follow the events with a running total, and note who is held whenever it rises above all before."""
    held: dict[str, int] = {}
    total = peak = 0
    live: list[str] = []
    for name, change in events:
        total += change
        if change > 0:
            held[name] = change
        else:
            del held[name]
        if total > peak:
            peak, live = total, list(held)
    return peak, live


def llama_layer_bytes(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    """Count values of 2 bytes by their width: six of the stream's, keys and values, four of the inner width."""
    tokens = sequence * micro_batch
    stream = 2 * 6 * hidden  # two norms' inputs, two blocks' inputs, queries, the heads' output
    keys_and_values = 2 * 2 * (hidden // heads * key_value_heads)
    inner = 2 * 4 * width  # both matrices' outputs, the silu's output, the last matrix's input
    log_sum_exp = 4 * heads
    return tokens * (stream + keys_and_values + inner + log_sum_exp)


def largest_micro_batch(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    """Divide what the state leaves free by what a sequence costs."""
    return max(0, memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes)
