"""Exercises of chapter 21: what memory holds at its worst moment."""

from __future__ import annotations

from collections.abc import Iterable


def peak_and_live(events: Iterable[tuple[str, int]]) -> tuple[int, list[str]]:
    """Return the most bytes that are held at one time, and by whom.

    Args:
        events: a name and a number of bytes for each event, in the order of time: positive where a tensor is allocated,
            negative, and of the same size, where it is freed. A name may be used again after it was freed. There may be
            no events at all.

    Returns:
        The peak in bytes, and the names of the tensors that are held then, in the order in which they were allocated.
        Where the peak is reached more than once, the names are those of the first time.
    """
    raise NotImplementedError("peak_and_live is still to be written")


def llama_layer_bytes(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    """Return the bytes that a layer of Llama keeps for its backward pass if nothing is recomputed.

    Values have 16 bits, except flash attention's log-sum-exp, one float32 for each token and head. The layer has no
    dropout; of a norm only its input is kept; rotary positions are applied to queries and keys in place.

    Args:
        sequence: tokens of a sequence.
        micro_batch: sequences of a micro-batch.
        hidden: width of the stream; a multiple of ``heads``.
        heads: heads of the queries.
        key_value_heads: heads of the keys, and of the values; each as wide as one of the queries.
        width: inner width of the feed-forward block W₃(silu(W₁x) ⊙ W₂x).

    Returns:
        Bytes.
    """
    raise NotImplementedError("llama_layer_bytes is still to be written")


def largest_micro_batch(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    """Return the most sequences of a micro-batch whose peak fits.

    Args:
        memory_bytes: memory of the device, at least 0; all of it may be used.
        state_bytes: what is held whatever the micro-batch.
        layers: number of layers, at least 1.
        layer_bytes: what a sequence costs in each layer, at least 1.
        other_bytes: what a sequence costs besides, once.

    Returns:
        Sequences; 0 where not even one fits, or not even the state.
    """
    raise NotImplementedError("largest_micro_batch is still to be written")
