"""Exercise: what a decode step reads, for the routers' choices as they were."""

from __future__ import annotations

from collections.abc import Sequence

from grader.exercise import Exercise, Mistake, inputs_for


def step_read_bytes(
    chosen: list[list[list[int]]],
    lengths: list[int],
    *,
    expert_bytes: int,
    rest_bytes: int,
    token_bytes: int,
    window: int,
) -> int:
    """Return the bytes that a step reads to write one token of each request.

    An expert of a layer is read once, however many requests chose it. Of its
    cache each request reads the tokens in its window.

    Args:
        chosen: for each layer, for each request, the numbers of the experts
            that its token chose.
        lengths: tokens of each request so far, with the newest.
        expert_bytes: weights of one expert of one layer.
        rest_bytes: all other weights that are read, of all layers.
        token_bytes: cache of one token, of all layers.
        window: tokens that every layer sees at most.

    Returns:
        Bytes, weights and caches.

    >>> step_read_bytes([[[0, 1], [1, 2]]], [3, 9], expert_bytes=100,
    ...                 rest_bytes=50, token_bytes=1, window=4)
    357
    """
    read = rest_bytes
    for layer in chosen:
        touched = {expert for request in layer for expert in request}
        read += len(touched) * expert_bytes
    for length in lengths:
        read += min(length, window) * token_bytes
    return read


def ticked_off(
    chosen: Sequence[Sequence[Sequence[int]]],
    lengths: Sequence[int],
    *,
    expert_bytes: int,
    rest_bytes: int,
    token_bytes: int,
    window: int,
) -> int:
    """Tick off each expert in a row of bits, and read the cache token by token."""
    total = rest_bytes
    for layer in chosen:
        bits = 0
        for request in layer:
            for expert in request:
                bits |= 1 << expert
        total += bin(bits).count("1") * expert_bytes
    return total + sum(token_bytes for length in lengths for place in range(length) if length - place <= window)


run_of = inputs_for(step_read_bytes)
_PAIR = [[[0, 1], [1, 2]], [[3, 4], [3, 4]]]
MIXTRAL_EXPERT = 2 * 3 * 4096 * 14336
OWN = run_of([[[0, 1], [1, 5], [2, 5], [0, 7]]] * 32, [2048] * 4, MIXTRAL_EXPERT, 2_949_128_192, 131_072, 32_768)


def taught() -> str:
    four = step_read_bytes(**OWN)
    one = step_read_bytes(**{**OWN, "chosen": [[[0, 1]]] * 32, "lengths": [2048]})
    return (
        f"Four requests that choose five different experts in each layer read {four / 1e9:.0f} GB, where one request "
        f"reads {one / 1e9:.0f} GB: {four / one:.1f} times as much for four tokens."
    )


EXERCISE = Exercise(
    step_read_bytes,
    number=2,
    level="medium",
    asked="the bytes that a step reads for the routers' choices",
    expected=ticked_off,
    examples=[
        run_of([[[0, 1], [1, 2]]], [3, 9], 100, 50, 1, 4),
        run_of([[[0]]], [1], 7, 0, 3, 1),
        run_of(_PAIR, [5, 2], 10, 3, 2, 9),
        run_of(_PAIR, [6, 6], 10, 3, 2, 4),
        OWN,
    ],
    inputs=lambda st: {
        "chosen": st.lists(
            st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=2, unique=True), min_size=3, max_size=3),
            min_size=1,
            max_size=3,
        ),
        "lengths": st.lists(st.integers(1, 12), min_size=3, max_size=3),
        "expert_bytes": st.integers(1, 50),
        "rest_bytes": st.integers(0, 50),
        "token_bytes": st.integers(1, 5),
        "window": st.integers(1, 12),
    },
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "reads_an_expert_for_each_request",
            "You read an expert again for each request that chose it. Its weights are read once for all of them.",
            {"{expert for request in layer for expert in request}": "[one for request in layer for one in request]"},
        ),
        Mistake(
            "forgets_that_layers_have_their_own",
            "You counted an expert's number once for all layers. Every layer has experts of its own.",
            {
                "    for layer in chosen:\n": "    for layer in [[request for one in chosen for request in one]]:\n",
            },
        ),
        Mistake(
            "reads_the_whole_context",
            "You read the whole cache of each request. A layer sees the window alone.",
            {"min(length, window)": "length"},
        ),
        Mistake(
            "reads_a_window_of_a_short_request",
            "You read a whole window of a request that is shorter than that.",
            {"min(length, window)": "window"},
        ),
        Mistake(
            "reads_one_token_more",
            "You read one token more of a request that is shorter than the window. Its length has the newest already.",
            {"min(length, window)": "min(length + 1, window)"},
        ),
        Mistake(
            "leaves_out_the_rest",
            "You left out the weights that every token uses: attention, the router, the head.",
            {"read = rest_bytes": "read = 0"},
        ),
        Mistake(
            "leaves_out_the_caches",
            "You left out the caches. Each request reads its own.",
            {"min(length, window) * token_bytes": "0 * token_bytes"},
        ),
        Mistake(
            "reads_the_rest_in_every_layer",
            "You took rest_bytes in every layer. It's of all layers together.",
            {"len(touched) * expert_bytes": "len(touched) * expert_bytes + (layer is not chosen[0]) * rest_bytes"},
        ),
    ],
)
