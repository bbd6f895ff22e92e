"""Exercise: what a model with windows in most layers keeps of a sequence."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def cached_bytes(
    *,
    layers: int,
    key_value_heads: int,
    head_size: int,
    tokens: int,
    window: int,
    full_every: int,
) -> int:
    """Return the bytes of keys and values that are kept of a sequence.

    Layers are counted from 1. Each whose number is a multiple of full_every
    sees the whole sequence. All others see a window, and keep the last window
    of tokens. Each number takes 2 bytes.

    Args:
        layers: layers of the model.
        key_value_heads: heads of keys, and as many of values, in a layer.
        head_size: width of a head.
        tokens: tokens of the sequence so far.
        window: tokens that one sees in the other layers, itself included.
        full_every: one layer of so many sees everything.

    Returns:
        Bytes of one sequence, on all GPUs together.

    >>> cached_bytes(layers=2, key_value_heads=1, head_size=1, tokens=5,
    ...              window=3, full_every=2)
    32
    """
    full = layers // full_every
    kept = full * tokens + (layers - full) * min(window, tokens)
    return 4 * key_value_heads * head_size * kept  # a key and a value of 2 bytes each


def layer_by_layer(
    *, layers: int, key_value_heads: int, head_size: int, tokens: int, window: int, full_every: int
) -> int:
    """Keep the last places of the window, layer by layer, and count their numbers."""
    total = 0
    for layer in range(1, layers + 1):
        first = 0 if layer % full_every == 0 else max(0, tokens - window)
        keys = len(range(first, tokens)) * key_value_heads * head_size
        total += 2 * (keys + keys)
    return total


run_of = inputs_for(cached_bytes)
GEMMA_LIKE = run_of(80, 8, 128, 2**20, 1024, 6)


def taught() -> str:
    all_full = cached_bytes(**{**GEMMA_LIKE, "full_every": 1})
    own = cached_bytes(**GEMMA_LIKE)
    return (
        f"Llama 3 70B keeps {all_full / 1e9:.0f} GB of a million tokens, and {own / 1e9:.0f} GB with windows of "
        f"1,024 in all but 13 of 80 layers. The windows themselves are {67 * 4096 * 1024 / own:.1%} of that."
    )


EXERCISE = Exercise(
    cached_bytes,
    number=1,
    level="easy",
    asked="the bytes that a model with windows in most layers keeps of a sequence",
    expected=layer_by_layer,
    examples=[
        run_of(2, 1, 1, 5, 3, 2),
        run_of(1, 1, 1, 4, 2, 2),
        run_of(7, 2, 3, 4, 9, 3),
        run_of(6, 1, 2, 3, 3, 1),
        GEMMA_LIKE,
    ],
    inputs=lambda st: {
        "layers": st.integers(1, 30),
        "key_value_heads": st.sampled_from([1, 2, 4, 8]),
        "head_size": st.sampled_from([1, 2, 64, 128]),
        "tokens": st.integers(1, 40),
        "window": st.integers(1, 40),
        "full_every": st.integers(1, 9),
    },
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "keeps_keys_alone",
            "You counted keys or values, or numbers of one byte. Both are kept, with 2 bytes a number.",
            {"4 * key_value_heads": "2 * key_value_heads"},
        ),
        Mistake(
            "takes_four_bytes",
            "You took 4 bytes for a number. These have 2.",
            {"4 * key_value_heads": "8 * key_value_heads"},
        ),
        Mistake(
            "keeps_all_in_every_layer",
            "You kept the whole sequence in every layer. A layer with a window keeps the last of them alone.",
            {"min(window, tokens)": "tokens"},
        ),
        Mistake(
            "keeps_a_window_of_a_short_sequence",
            "You kept a whole window of a sequence that is shorter than that.",
            {"min(window, tokens)": "window"},
        ),
        Mistake(
            "swaps_the_layers",
            "You gave the windows to the few layers. One in full_every sees everything, the others have windows.",
            {
                "full * tokens + (layers - full)": "(layers - full) * tokens + full",
            },
        ),
        Mistake(
            "rounds_up",
            "You rounded the full layers up, or counted layers from 0. The pattern ends each group with its full "
            "layer, so a rest has none.",
            {"layers // full_every": "-(-layers // full_every)"},
        ),
        Mistake(
            "forgets_the_token_itself",
            "You left the token itself out of its window. A window of 3 is the token and the two before it.",
            {"min(window, tokens)": "min(window - 1, tokens)"},
        ),
        Mistake(
            "keeps_full_layers_alone",
            "You left out the layers with windows. They keep little, but not nothing.",
            {"full * tokens + (layers - full) * min(window, tokens)": "full * tokens"},
        ),
    ],
)
