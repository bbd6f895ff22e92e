"""Exercise: which attention compares least among those whose caches fit."""

from __future__ import annotations

import math

from grader.exercise import Exercise, Mistake, inputs_for


def choose_attention(
    designs: list[tuple[int, int, int, int, int, int]],
    *,
    tokens: int,
    sequences: int,
    free_bytes: int,
    ranks: int,
) -> int | None:
    """Choose the design that compares least, if its caches fit.

    A design is six numbers: the bytes that a head keeps of a token in a
    layer; its heads of keys, 1 for a latent; its layers that see everything;
    its other layers; the window of those; and the FLOPs that one layer takes
    for a pair of tokens.

    The heads are dealt among the ranks, at least one whole head to each. A
    token sees itself and what is before it, as far as a window reaches.

    Args:
        designs: those to choose from.
        tokens: tokens of a sequence.
        sequences: sequences that are served at a time.
        free_bytes: what is free on each GPU for their caches.
        ranks: GPUs that share the heads; a multiple or a divisor of each
            design's heads.

    Returns:
        The number of the design, from 0, that takes the fewest FLOPs to
        compare the tokens of a sequence, among those whose caches fit; the
        first of equal ones. None if none fits.

    >>> choose_attention([(4, 1, 2, 0, 1, 8), (8, 1, 1, 1, 2, 8)], tokens=3,
    ...                  sequences=1, free_bytes=40, ranks=1)
    1
    """
    fitting = []
    for number, design in enumerate(designs):
        size, heads, full, other, window, pair_flops = design
        reach = min(window, tokens)
        kept = full * tokens + other * reach
        held = sequences * size * max(1, heads // ranks) * kept
        pairs = full * tokens * (tokens + 1) // 2
        pairs += other * (tokens * reach - reach * (reach - 1) // 2)
        if held <= free_bytes:
            fitting.append((pair_flops * pairs, number))
    return min(fitting)[1] if fitting else None


def one_by_one(
    designs: list[tuple[int, int, int, int, int, int]],
    *,
    tokens: int,
    sequences: int,
    free_bytes: int,
    ranks: int,
) -> int | None:
    """Keep and compare layer by layer, from runs of equal length in place of single tokens."""
    fitting = []
    for number, (size, heads, full, other, window, pair_flops) in enumerate(designs):
        held = flops = 0
        for seen in [tokens] * full + [window] * other:
            held += size * -(-heads // ranks) * (tokens if tokens <= seen else seen)
            far = max(0, tokens - seen)  # the pairs of a triangle less those that are out of sight, a smaller one
            flops += pair_flops * (math.comb(tokens + 1, 2) - math.comb(far + 1, 2))
        if sequences * held <= free_bytes:
            fitting.append((flops, number))
    return min(fitting)[1] if fitting else None


run_of = inputs_for(choose_attention)
FREE = 62_361_573_376
SHARED = (512, 8, 80, 0, 1024, 32_768)
LATENTS = (1152, 1, 80, 0, 1024, 40_960)
BOTH = (1152, 1, 13, 67, 1024, 40_960)
QUARTER = (512, 8, 20, 60, 4096, 32_768)
DESIGNS = [SHARED, LATENTS, QUARTER, BOTH]
OWN = run_of(DESIGNS, 2**17, 40, FREE, 8)


def taught() -> str:
    many = {
        count: choose_attention(DESIGNS, tokens=2**17, sequences=count, free_bytes=FREE, ranks=8)
        for count in (30, 40, 50)
    }
    return (
        f"With 30 sequences of 131,072 tokens it's design {many[30]}, with 40 design {many[40]}, and with 50 "
        f"{many[50]}: none fits. The latent compares in fewer layers, but each of the eight GPUs keeps all of it."
    )


EXERCISE = Exercise(
    choose_attention,
    number=4,
    level="hard",
    asked="the design that compares least among those whose caches fit",
    expected=one_by_one,
    examples=[
        run_of([(4, 1, 2, 0, 1, 8), (8, 1, 1, 1, 2, 8)], 3, 1, 40, 1),
        run_of([(4, 1, 2, 0, 1, 8), (8, 1, 1, 1, 2, 8)], 3, 1, 39, 1),
        run_of([(4, 1, 2, 0, 1, 8)], 3, 1, 23, 1),
        run_of([(4, 1, 2, 0, 1, 8), (4, 1, 2, 0, 1, 8)], 3, 1, 24, 1),
        run_of([(4, 2, 1, 0, 1, 9), (4, 1, 1, 0, 1, 10)], 5, 1, 20, 2),
        run_of([(4, 1, 1, 0, 1, 10), (4, 2, 1, 0, 1, 9)], 5, 1, 20, 1),
        run_of([(4, 1, 1, 0, 1, 10), (1, 1, 0, 1, 4, 9)], 5, 2, 39, 4),
        run_of([(4, 1, 1, 0, 1, 8)], 5, 1, 19, 2),
        run_of([(4, 1, 1, 0, 1, 8)], 5, 1, 20, 8),
        run_of([(4, 2, 1, 0, 1, 8), (5, 1, 1, 0, 1, 9)], 5, 1, 24, 8),
        run_of([(3, 8, 2, 1, 4, 2), (3, 4, 2, 2, 4, 1)], 9, 2, 263, 4),
        run_of([(2, 1, 0, 3, 4, 5), (2, 1, 1, 0, 1, 13)], 20, 1, 40, 1),
        run_of([(2, 1, 0, 2, 4, 100), (2, 1, 1, 0, 1, 83)], 12, 1, 24, 1),
        run_of([(2, 1, 0, 1, 4, 100), (2, 1, 0, 1, 3, 140)], 4, 1, 8, 1),
        run_of([(1, 1, 0, 1, 7, 10), (1, 1, 1, 0, 1, 12)], 6, 1, 6, 1),
        run_of([(1, 1, 1, 0, 1, 10), (1, 1, 0, 1, 9, 14)], 4, 1, 100, 1),
        run_of([(1, 1, 1, 0, 1, 1), (1, 1, 0, 1, 9, 1)], 3, 1, 100, 1),
        run_of([(1, 1, 0, 1, 9, 1), (1, 1, 1, 0, 1, 1)], 3, 1, 100, 1),
        run_of([(1, 1, 2, 0, 1, 1), (1, 1, 1, 1, 4, 1)], 4, 1, 100, 1),
        run_of([(1, 1, 1, 1, 5, 1), (1, 1, 2, 0, 1, 1)], 5, 1, 100, 1),
        run_of([(4, 1, 2, 0, 1, 8), (2, 1, 2, 0, 1, 8)], 3, 1, 24, 1),
        run_of([(2, 1, 2, 0, 1, 8), (4, 1, 2, 0, 1, 8)], 3, 1, 24, 1),
        run_of([(1, 1, 1, 0, 1, 2), (1, 1, 2, 0, 1, 1)], 3, 1, 24, 1),
        run_of([(1, 1, 2, 0, 1, 1), (1, 1, 1, 0, 1, 2)], 3, 1, 24, 1),
        run_of([(1, 1, 1, 0, 1, 1), (1, 1, 0, 1, 899, 1)], 900, 1, 10**6, 1),
        run_of([(1, 1, 0, 1, 899, 1), (1, 1, 1, 0, 1, 1)], 900, 1, 10**6, 1),
        run_of([(1, 1, 0, 1, 899, 1), (1, 1, 0, 1, 898, 1)], 900, 1, 10**6, 1),
        run_of([(1, 1, 1, 0, 1, 10**17 + 1), (1, 1, 1, 0, 1, 10**17)], 3, 1, 24, 1),
        run_of([(4, 1, 0, 2, 9, 1)], 5, 1, 20, 8),
        run_of([(4, 1, 0, 2, 9, 1)], 5, 1, 40, 8),
        run_of([(1152, 1, 80, 0, 1024, 40_960)], 2**14, 64, 96_636_764_159, 8),
        run_of([(1152, 1, 80, 0, 1024, 40_960)], 2**14, 64, 96_636_764_160, 8),
        OWN,
    ],
    inputs=lambda st: {
        "designs": st.lists(
            st.tuples(
                st.integers(1, 6),
                st.sampled_from([1, 2, 4, 8]),
                st.integers(0, 4),
                st.integers(0, 4),
                st.integers(1, 12),
                st.integers(1, 5),
            ),
            min_size=1,
            max_size=5,
        ),
        "tokens": st.integers(1, 14),
        "sequences": st.integers(1, 3),
        "free_bytes": st.integers(1, 500),
        "ranks": st.sampled_from([1, 2, 4, 8]),
    },
    draws=150,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_memory",
            "You took what compares least, whether its caches fit or not.",
            {"held <= free_bytes": "held >= 0"},
        ),
        Mistake(
            "must_leave_something_free",
            "You refused a design whose caches fill the memory exactly. That fits.",
            {"held <= free_bytes": "held < free_bytes"},
        ),
        Mistake(
            "takes_the_last_of_equals",
            "Of designs that compare equally much you took a later one. The first counts.",
            {"pair_flops * pairs, number": "pair_flops * pairs, -number", "min(fitting)[1]": "-min(fitting)[1]"},
        ),
        Mistake(
            "takes_the_smallest_cache",
            "You took the smallest cache. Once it fits, the FLOPs decide.",
            {"pair_flops * pairs, number": "held, number"},
        ),
        Mistake(
            "cuts_latents",
            "You dealt a latent among the ranks. All heads need all of it, so each rank keeps a copy.",
            {"max(1, heads // ranks)": "heads / ranks"},
        ),
        Mistake(
            "deals_no_heads",
            "You kept all heads on each GPU. They are dealt among the ranks.",
            {"max(1, heads // ranks)": "heads"},
        ),
        Mistake(
            "serves_one",
            "You counted the cache of one sequence. So many are served at a time.",
            {"sequences * size": "size"},
        ),
        Mistake(
            "halves_the_window",
            "You took half a window for each token. Nearly every token of a long sequence sees all of it.",
            {"other * (tokens * reach - reach * (reach - 1) // 2)": "other * tokens * reach // 2"},
        ),
        Mistake(
            "gives_all_a_whole_window",
            "You gave the first tokens a whole window too. The first sees itself alone.",
            {"other * (tokens * reach - reach * (reach - 1) // 2)": "other * tokens * reach"},
        ),
        Mistake(
            "compares_all_in_every_layer",
            "You let the layers with windows compare everything.",
            {"reach = min(window, tokens)": "reach = tokens"},
        ),
        Mistake(
            "ignores_the_mask",
            "You let each token see those after it, in the layers that see everything.",
            {"full * tokens * (tokens + 1) // 2": "full * tokens * tokens"},
        ),
    ],
)
