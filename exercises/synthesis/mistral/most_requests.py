"""Exercise: how many requests fit beside a model's weights, with a window or without."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def most_requests(
    *,
    memory_bytes: int,
    gpus: int,
    weight_bytes: int,
    token_bytes: int,
    context: int,
    window: int,
) -> int:
    """Return how many requests a few GPUs keep beside the weights.

    All GPUs share the weights and every cache evenly, down to fractions of a
    byte. A layer with a window
    keeps the last tokens alone, in a buffer that rolls. It's as long as the
    window or, if that's less, as the context.

    Args:
        memory_bytes: of one GPU.
        gpus: that share the model.
        weight_bytes: of the whole model, all its experts included.
        token_bytes: cache of one token, of all layers.
        context: tokens of each request.
        window: tokens that every layer keeps at most.

    Returns:
        Requests; 0 if not even the weights fit.

    >>> most_requests(memory_bytes=100, gpus=2, weight_bytes=130,
    ...               token_bytes=2, context=9, window=5)
    7
    """
    free = gpus * memory_bytes - weight_bytes
    each = token_bytes * min(context, window)
    return max(0, free // each)


def one_after_the_other(
    *, memory_bytes: int, gpus: int, weight_bytes: int, token_bytes: int, context: int, window: int
) -> int:
    """Let requests in one after the other, until the next one doesn't fit."""
    places = {position % window for position in range(min(context, 2 * window))}
    held, inside = weight_bytes, 0
    while held + token_bytes * len(places) <= memory_bytes * gpus:
        held += token_bytes * len(places)
        inside += 1
    return inside


run_of = inputs_for(most_requests)
WEIGHTS, TOKEN = 14_483_464_192, 131_072
OWN = run_of(72 * 10**9, 1, WEIGHTS, TOKEN, 32_768, 4096)


def taught() -> str:
    with_window, without = most_requests(**OWN), most_requests(**{**OWN, "window": 32_768})
    return (
        f"One H100 with 72 GB for weights and caches keeps {with_window} requests of 32,768 tokens with Mistral 7B's "
        f"window, and {without} without."
    )


EXERCISE = Exercise(
    most_requests,
    number=3,
    level="easy",
    asked="how many requests fit beside the weights",
    expected=one_after_the_other,
    examples=[
        run_of(100, 2, 130, 2, 9, 5),
        run_of(10, 1, 11, 1, 3, 3),
        run_of(10, 1, 10, 1, 3, 3),
        run_of(13, 1, 10, 1, 3, 8),
        run_of(50, 1, 10, 2, 4, 9),
        run_of(50, 3, 10, 2, 40, 9),
        OWN,
    ],
    inputs=lambda st: {
        "memory_bytes": st.integers(10, 200),
        "gpus": st.integers(1, 4),
        "weight_bytes": st.integers(10, 300),
        "token_bytes": st.integers(1, 4),
        "context": st.integers(1, 20),
        "window": st.integers(1, 20),
    },
    taught=taught,
    mistakes=[
        Mistake(
            "keeps_the_whole_context",
            "You kept the whole context. A layer with a window overwrites what it no longer sees.",
            {"min(context, window)": "context"},
        ),
        Mistake(
            "keeps_a_window_of_a_short_request",
            "You kept a whole window of a request that is shorter than that.",
            {"min(context, window)": "window"},
        ),
        Mistake(
            "copies_the_weights",
            "You kept all weights on each GPU. They are divided among the GPUs.",
            {"gpus * memory_bytes - weight_bytes": "gpus * (memory_bytes - weight_bytes)"},
        ),
        Mistake(
            "counts_one_gpu",
            "You counted the memory of one GPU. All of them together keep weights and caches.",
            {"gpus * memory_bytes": "memory_bytes"},
        ),
        Mistake(
            "forgets_the_weights",
            "You gave all memory to the caches. The weights have to be there too.",
            {"gpus * memory_bytes - weight_bytes": "gpus * memory_bytes"},
        ),
        Mistake(
            "keeps_a_request_on_one_gpu",
            "You kept each request on one GPU. All GPUs share its cache, so no GPU's rest is lost.",
            {"free // each": "gpus * (free // (gpus * each))"},
        ),
        Mistake(
            "goes_below_zero",
            "You returned a number below 0 where the weights don't fit. Then no request fits.",
            {"max(0, free // each)": "free // each"},
        ),
        Mistake(
            "rounds_up",
            "You rounded up. A request that doesn't fit whole isn't served.",
            {"free // each": "-(-free // each)"},
        ),
        Mistake(
            "must_leave_something_free",
            "You left the last place empty. Requests may fill the memory exactly.",
            {"free // each": "(free - 1) // each"},
        ),
    ],
)
