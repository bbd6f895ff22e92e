"""Exercise: the exact number of parameters of a GPT-2, from four numbers of its configuration."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake
from snippets.models import gpt_like, parameter_count


def gpt_parameters(
    *,
    layers: int,
    hidden: int,
    vocabulary: int,
    positions: int,
) -> int:
    """Return how many parameters a GPT-2 with these sizes has.

    Every projection has a bias, the inner width is 4 times hidden, a norm has
    a scale and a shift, and the output head is the token table.

    Args:
        layers: L, each with two norms; one more norm follows the last layer.
        hidden: h, the width: numbers that describe a token.
        vocabulary: V, rows of the token table.
        positions: rows of the position table.

    Returns:
        The exact count.

    >>> gpt_parameters(layers=1, hidden=2, vocabulary=3, positions=1)
    86
    """
    h = hidden
    attention = 4 * h * h + 4 * h
    feed_forward = 8 * h * h + 5 * h
    norms = 4 * h
    tables = (vocabulary + positions) * h
    return layers * (attention + feed_forward + norms) + tables + 2 * h


def from_the_catalogue(*, layers: int, hidden: int, vocabulary: int, positions: int) -> int:
    """The sum over the parts of a configuration, whose tensors the tests compare with those of a checkpoint."""
    model = gpt_like("asked", layers=layers, hidden=hidden, heads=1, vocabulary=vocabulary, positions=positions)
    return parameter_count(model)


def gpt(layers: int, hidden: int, vocabulary: int, positions: int) -> Inputs:
    return {"layers": layers, "hidden": hidden, "vocabulary": vocabulary, "positions": positions}


def taught() -> str:
    L, h, V, positions = 12, 768, 50257, 1024
    count = gpt_parameters(layers=L, hidden=h, vocabulary=V, positions=positions)
    missing = count - 12 * L * h**2 - V * h
    return (
        f"The smallest GPT-2 has {count:,} parameters. Of the {missing:,} that 12Lh² + Vh misses, {positions * h:,} "
        f"are the table of positions; biases and norms are only the other {missing - positions * h:,}."
    )


EXERCISE = Exercise(
    gpt_parameters,
    number=2,
    level="medium",
    asked="the exact number of parameters of a GPT-2, biases, norms and tables among them",
    expected=from_the_catalogue,
    examples=[
        gpt(1, 2, 3, 1),
        gpt(2, 2, 3, 1),
        gpt(1, 3, 10, 4),
        gpt(48, 1600, 50257, 1024),
        gpt(12, 768, 50257, 1024),
        gpt(6, 768, 50257, 512),
        gpt(32, 4096, 128256, 8192),
    ],
    inputs=lambda st: {
        "layers": st.integers(1, 100),
        "hidden": st.integers(1, 5000),
        "vocabulary": st.integers(1, 10**6),
        "positions": st.integers(1, 5000),
    },
    units={"result": "parameters"},
    taught=taught,
    mistakes=[
        Mistake(
            "counts_matrices_alone",
            "These are the matrices and tables; biases and norms are missing.",
            lambda *, layers, hidden, vocabulary, positions: (
                12 * layers * hidden**2 + (vocabulary + positions) * hidden
            ),
        ),
        Mistake(
            "counts_the_head_again",
            "The head is the token table: it is one matrix, and counts once.",
            {"(vocabulary + positions) * h": "(2 * vocabulary + positions) * h"},
        ),
        Mistake(
            "forgets_the_positions",
            "GPT-2 learns its positions: their table is missing.",
            {"(vocabulary + positions) * h": "vocabulary * h"},
        ),
        Mistake(
            "forgets_the_last_norm",
            "One more norm follows the last layer: 2h parameters are missing.",
            {" + tables + 2 * h": " + tables"},
        ),
        Mistake(
            "gives_norms_no_shift",
            "A layer norm has a scale and a shift, 2h parameters; RMS norms have no shift, and these are none.",
            {"norms = 4 * h": "norms = 2 * h", "tables + 2 * h": "tables + h"},
        ),
        Mistake(
            "forgets_the_biases",
            "The biases of the projections are missing: 4h in attention, 5h in the feed-forward block.",
            {"4 * h * h + 4 * h": "4 * h * h", "8 * h * h + 5 * h": "8 * h * h"},
        ),
        Mistake(
            "has_one_norm_in_a_layer",
            "A layer has two norms, one before attention and one before the feed-forward block.",
            {"norms = 4 * h": "norms = 2 * h"},
        ),
    ],
)
