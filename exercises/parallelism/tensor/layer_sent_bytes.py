"""Exercise: what a rank of tensor parallelism sends in a training step."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake
from snippets.collectives.traffic import collective_traffic

MODES = ("tensor", "sequence", "sequence, gathered again")


def layer_sent_bytes(
    *,
    tokens: int,
    hidden: int,
    layers: int,
    ranks: int,
    element_bytes: int,
    mode: str,
) -> int:
    """Return the bytes that one rank sends in a training step of some layers.

    Each layer has an attention and a feed-forward block, their first matrices
    cut by columns, their second ones by rows. Collectives are rings. What
    norms' gradients send is left out.

    Args:
        tokens: of the micro-batch, a multiple of ``ranks``.
        hidden: width of the residual stream.
        layers: of the model.
        ranks: among which each layer is cut, at least 1.
        element_bytes: bytes of one number.
        mode: ``"tensor"``; ``"sequence"``, where the stream is cut by tokens
            and each block keeps its gathered input for the backward pass; or
            ``"sequence, gathered again"``, where each block keeps its part
            alone.

    Returns:
        Bytes, forward and backward together.

    >>> layer_sent_bytes(tokens=4, hidden=1, layers=1, ranks=2,
    ...                  element_bytes=2, mode="tensor")
    32
    """
    halves = {"tensor": 8, "sequence": 8, "sequence, gathered again": 10}[mode]
    return halves * (ranks - 1) * tokens * hidden * layers * element_bytes // ranks


def collective_by_collective(
    *, tokens: int, hidden: int, layers: int, ranks: int, element_bytes: int, mode: str
) -> int:
    """Add up what rank 0 sends in each collective of each block, by the messages of its ring."""
    forward = ["all_reduce"] if mode == "tensor" else ["all_gather", "reduce_scatter"]
    again = ["all_gather"] if mode == "sequence, gathered again" else []
    size = {"ranks": ranks, "size_bytes": tokens * hidden * element_bytes, "element_bytes": element_bytes * hidden}
    block = sum(collective_traffic(primitive, "ring", **size).sent_bytes[0] for primitive in forward + forward + again)
    return 2 * layers * block


def step(tokens: int, hidden: int, layers: int, ranks: int, element_bytes: int, mode: int) -> Inputs:
    return {
        "tokens": tokens,
        "hidden": hidden,
        "layers": layers,
        "ranks": ranks,
        "element_bytes": element_bytes,
        "mode": MODES[mode],
    }


def steps(st):  # type: ignore[no-untyped-def]
    return st.builds(
        lambda chunk, hidden, layers, ranks, size, mode: step(chunk * ranks, hidden, layers, ranks, size, mode),
        st.integers(1, 9),
        st.integers(1, 9),
        st.integers(1, 5),
        st.integers(1, 9),
        st.sampled_from([1, 2, 4]),
        st.integers(0, 2),
    )


HALVES = '{"tensor": 8, "sequence": 8, "sequence, gathered again": 10}[mode]'


def taught() -> str:
    own = step(8192, 6144, 48, 8, 2, 2)
    sent, kept = (layer_sent_bytes(**{**own, "mode": mode}) for mode in MODES[:0:-1])
    return (
        f"A rank of the 22B model sends {sent / 1e9:.1f} GB in each step. With the gathered inputs kept it would be "
        f"{kept / 1e9:.1f} GB: gathering again is {(sent - kept) / sent:.0%} of the bytes, and buys memory."
    )


EXERCISE = Exercise(
    layer_sent_bytes,
    number=1,
    level="easy",
    asked="the bytes that a rank sends in a training step, with and without sequence parallelism",
    expected=collective_by_collective,
    examples=[
        step(4, 1, 1, 2, 2, 0),
        step(4, 1, 1, 2, 2, 1),
        step(4, 1, 1, 2, 2, 2),
        step(3, 5, 2, 1, 2, 2),
        step(6, 5, 3, 3, 4, 2),
        step(8192, 6144, 48, 8, 2, 2),
        step(2048, 12288, 1, 8, 2, 0),
        step(2048, 12288, 96, 8, 2, 2),
    ],
    inputs=steps,
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "forward_alone",
            "This is the forward pass alone. Each block sums once more in the backward pass, at its first matrix.",
            {HALVES: '{"tensor": 4, "sequence": 4, "sequence, gathered again": 4}[mode]'},
        ),
        Mistake(
            "counts_whole_buffers",
            "An all-reduce by a ring sends 2(t − 1)/t times its size, not its size.",
            {"halves * (ranks - 1) * tokens": "halves // 2 * tokens", " // ranks": ""},
        ),
        Mistake(
            "all_reduce_once",
            "An all-reduce has two halves, a reduce-scatter and an all-gather, and each sends (t − 1)/t of the size.",
            {HALVES: '{"tensor": 4, "sequence": 8, "sequence, gathered again": 10}[mode]'},
        ),
        Mistake(
            "no_extra_gather",
            "If a block keeps only its part of the input, the backward pass has to gather it again: one all-gather "
            "more in each of the two blocks.",
            {HALVES: '{"tensor": 8, "sequence": 8, "sequence, gathered again": 8}[mode]'},
        ),
        Mistake(
            "gathers_cost_an_all_reduce",
            "A gather and a scatter are halves of an all-reduce: sequence parallelism has twice as many collectives, "
            "each half as dear.",
            {HALVES: '{"tensor": 8, "sequence": 16, "sequence, gathered again": 20}[mode]'},
        ),
        Mistake(
            "forgets_the_ring",
            "A rank does not send itself its own part: (t − 1)/t of the size, and nothing if there is one rank.",
            {"halves * (ranks - 1) * tokens": "halves * ranks * tokens"},
        ),
        Mistake(
            "sums_over_ranks",
            "This is what all ranks send together; asked is what one does.",
            {" // ranks": ""},
        ),
        Mistake(
            "knows_two_bytes",
            "A number need not have 2 bytes: look at element_bytes.",
            {"* element_bytes // ranks": "* 2 // ranks"},
        ),
    ],
)
