"""Exercise: the bytes that a layer of Llama keeps for its backward pass."""

from __future__ import annotations

import math

from grader.exercise import Exercise, Inputs, Mistake


def llama_layer_bytes(
    *,
    sequence: int,
    micro_batch: int,
    hidden: int,
    heads: int,
    key_value_heads: int,
    width: int,
) -> int:
    """Return the bytes that a layer of Llama keeps for its backward pass.

    Nothing is recomputed but the scores of flash attention. Values have 16
    bits, except flash attention's log-sum-exp, one float32 for each token and
    head. The layer has no dropout; of a norm only its input is kept; rotary
    positions are applied to queries and keys in place.

    Args:
        sequence: tokens of a sequence.
        micro_batch: sequences of a micro-batch.
        hidden: width of the stream; a multiple of ``heads``.
        heads: heads of the queries.
        key_value_heads: heads of the keys, and of the values; each as wide as
            one of the queries.
        width: inner width of the feed-forward block W₃(silu(W₁x) ⊙ W₂x).

    Returns:
        Bytes.

    >>> llama_layer_bytes(
    ...     sequence=3, micro_batch=2, hidden=8, heads=4, key_value_heads=2,
    ...     width=5,
    ... )
    1008
    """
    tokens = sequence * micro_batch
    # Two norms' inputs, two blocks' inputs, queries, the heads' output.
    stream = 6 * hidden
    keys_and_values = 2 * (hidden // heads * key_value_heads)
    # Both matrices' outputs, the silu's output, the last matrix's input.
    inner = 4 * width
    log_sum_exp = 4 * heads
    return tokens * (2 * (stream + keys_and_values + inner) + log_sum_exp)


def bytes_of_tensors(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    """List the tensors that the layer keeps, and add them up."""
    tokens = (sequence, micro_batch)
    head = hidden // heads
    tensors = [
        ("input of the first norm", (*tokens, hidden), 2),
        ("input of the three projections", (*tokens, hidden), 2),
        ("queries", (*tokens, heads, head), 2),
        ("keys", (*tokens, key_value_heads, head), 2),
        ("values", (*tokens, key_value_heads, head), 2),
        ("log-sum-exp", (*tokens, heads), 4),
        ("input of the output projection", (*tokens, heads, head), 2),
        ("input of the second norm", (*tokens, hidden), 2),
        ("input of W₁ and W₂", (*tokens, hidden), 2),
        ("output of W₁", (*tokens, width), 2),
        ("output of W₂", (*tokens, width), 2),
        ("output of the silu", (*tokens, width), 2),
        ("input of W₃", (*tokens, width), 2),
    ]
    return sum(math.prod(shape) * size for _, shape, size in tensors)


def layer(sequence: int, micro_batch: int, groups: int, each: int, head: int, width: int) -> Inputs:
    """Return a layer whose queries have ``each`` heads for each of ``groups`` heads of keys and values."""
    return {
        "sequence": sequence,
        "micro_batch": micro_batch,
        "hidden": groups * each * head,
        "heads": groups * each,
        "key_value_heads": groups,
        "width": width,
    }


def taught() -> str:
    own = EXERCISE.examples[-1]
    unit = own["sequence"] * own["micro_batch"] * own["hidden"]
    wide = 4 * 2 * own["width"] / own["hidden"]
    return (
        f"{llama_layer_bytes(**own) / unit:.2f} multiples of sbh. {wide:g} of them are the four wide tensors of the "
        "feed-forward block, more than all others together: to save memory, look there first."
    )


EXERCISE = Exercise(
    llama_layer_bytes,
    number=3,
    asked="the bytes that a layer of Llama keeps for its backward pass",
    expected=bytes_of_tensors,
    examples=[layer(3, 2, 2, 2, 2, 5), layer(1, 1, 1, 1, 1, 1), layer(8192, 1, 8, 4, 128, 14336)],
    inputs=lambda st: st.builds(
        layer, st.integers(1, 6), *3 * [st.integers(1, 3)], st.integers(1, 4), st.integers(1, 9)
    ),
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "counts_values",
            "These are values; one of 16 bits has 2 bytes, the log-sum-exp 4.",
            {"2 * (stream": "(stream", "4 * heads": "heads"},
        ),
        Mistake(
            "widens_keys_and_values",
            "Keys and values have fewer heads than queries: they are not as wide as the stream.",
            {" // heads * key_value_heads": ""},
        ),
        Mistake("forgets_the_values", "Keys or values are missing: both are kept.", {"2 * (hidden": "(hidden"}),
        Mistake(
            "keeps_rotated_copies_of_the_keys",
            "Rotary positions are applied in place: there is no second copy of the keys.",
            {"2 * (hidden": "3 * (hidden"},
        ),
        Mistake(
            "keeps_rotated_copies",
            "Rotary positions are applied in place: there is no second copy of queries and keys.",
            {"6 * hidden": "7 * hidden", "2 * (hidden": "3 * (hidden"},
        ),
        Mistake(
            "forgets_the_log_sum_exp",
            "Flash attention keeps a log-sum-exp for each token and head, in float32.",
            {"4 * heads": "0"},
        ),
        Mistake(
            "halves_the_log_sum_exp",
            "The log-sum-exp has 4 bytes: it is the one that stays in float32.",
            {"4 * heads": "2 * heads"},
        ),
        Mistake(
            "forgets_the_norms",
            "A norm's input is kept too, beside the input of the block behind it.",
            {"6 * hidden": "4 * hidden"},
        ),
        Mistake(
            "forgets_the_product",
            "Four tensors have the inner width: the outputs of W₁ and W₂, the silu's output, and the product.",
            {"4 * width": "3 * width"},
        ),
    ],
)
