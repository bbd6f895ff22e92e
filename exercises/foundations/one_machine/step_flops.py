"""Exercise: the FLOPs of one training step of a GPT, attention's own matmuls and the head among them."""

from __future__ import annotations

from collections.abc import Iterator

from grader.exercise import Exercise, Inputs, Mistake
from snippets.models import gpt_parameter_count


def step_flops(
    *,
    layers: int,
    hidden: int,
    vocabulary: int,
    batch: int,
    sequence: int,
) -> int:
    """Return the FLOPs of one training step, forward and backward.

    Only matmuls count, and a multiplication with its addition counts as two.
    Every position attends to every other: the mask saves nothing. The look-up
    of a token's row costs nothing; the head is a matmul.

    Args:
        layers: L, GPT layers with an inner width of 4h.
        hidden: h, also the width of all heads together.
        vocabulary: V, columns of the head.
        batch: b, sequences.
        sequence: s, tokens of each.

    Returns:
        FLOP.

    >>> step_flops(layers=1, hidden=2, vocabulary=3, batch=1, sequence=2)
    744
    """
    tokens = batch * sequence
    layer = 24 * tokens * hidden**2 + 4 * tokens * sequence * hidden
    head = 2 * tokens * hidden * vocabulary
    return 3 * (layers * layer + head)


def forward_products(
    layers: int, hidden: int, vocabulary: int, batch: int, sequence: int
) -> Iterator[tuple[int, int, int, int]]:
    """Every matrix product of a forward pass: how often, and m, k and n. One head is as wide as any number of them."""
    rows = batch * sequence
    for _ in range(layers):
        yield 3, rows, hidden, hidden  # query, key, value
        yield batch, sequence, hidden, sequence  # the scores
        yield batch, sequence, sequence, hidden  # the values, mixed
        yield 1, rows, hidden, hidden  # the output
        yield 1, rows, hidden, 4 * hidden
        yield 1, rows, 4 * hidden, hidden
    yield 1, rows, hidden, vocabulary


def counted(*, layers: int, hidden: int, vocabulary: int, batch: int, sequence: int) -> int:
    """Go through all products; for each m × k times k × n, the backward pass has m × n × k and k × m × n."""
    total = 0
    for times, m, k, n in forward_products(layers, hidden, vocabulary, batch, sequence):
        total += times * (2 * m * k * n + 2 * m * n * k + 2 * k * m * n)
    return total


def exact_parameters(layers: int, hidden: int, vocabulary: int, sequence: int) -> int:
    """Every parameter of exercise 2; the paper's form leaves out the last norm."""
    closed = gpt_parameter_count(layers=layers, hidden=hidden, vocabulary=vocabulary, positions=sequence)
    return closed + 2 * hidden


def step(layers: int, hidden: int, vocabulary: int, batch: int, sequence: int) -> Inputs:
    return {"layers": layers, "hidden": hidden, "vocabulary": vocabulary, "batch": batch, "sequence": sequence}


def taught() -> str:
    flops = step_flops(layers=12, hidden=768, vocabulary=50257, batch=1, sequence=1024)
    estimate = 6 * gpt_parameter_count(layers=12, hidden=768, vocabulary=50257, positions=1024) * 1024
    return (
        f"For the smallest GPT-2 and 1,024 tokens it is {flops:,}. 6ND gives {1 - estimate / flops:.0%} less: it "
        "counts positions and biases, which are in no matmul, and leaves attention's own matmuls out."
    )


EXERCISE = Exercise(
    step_flops,
    number=3,
    level="medium",
    asked="the FLOPs of one training step of a GPT",
    expected=counted,
    examples=[
        step(1, 2, 3, 1, 2),
        step(2, 2, 3, 1, 2),
        step(1, 2, 3, 2, 3),
        step(96, 12288, 50257, 1, 2048),
        step(12, 768, 50257, 1, 1024),
        step(6, 768, 50257, 2, 512),
        step(40, 5120, 128256, 1, 8192),
    ],
    inputs=lambda st: {
        "layers": st.integers(1, 20),
        "hidden": st.integers(1, 2000),
        "vocabulary": st.integers(1, 200_000),
        "batch": st.integers(1, 20),
        "sequence": st.integers(1, 5000),
    },
    units={"result": "FLOP"},
    taught=taught,
    mistakes=[
        Mistake(
            "counts_the_forward_pass",
            "This is the forward pass alone; the backward pass has two matmuls for each of its matmuls.",
            {"3 * (layers": "(layers"},
        ),
        Mistake(
            "makes_backward_equal_forward",
            "The backward pass has two matmuls for each matmul of the forward pass, not one.",
            {"3 * (layers": "2 * (layers"},
        ),
        Mistake(
            "forgets_attentions_products",
            "The matmuls of queries with keys and of shares with values are missing: 4bs²h a layer, forward.",
            {" + 4 * tokens * sequence * hidden": ""},
        ),
        Mistake(
            "forgets_the_head",
            "The head is a matmul too: it turns h numbers of each token into V scores.",
            {"(layers * layer + head)": "(layers * layer)"},
        ),
        Mistake(
            "counts_a_multiply_add_as_one",
            "A multiplication with its addition counts as two.",
            {"return 3 * (layers * layer + head)": "return 3 * (layers * layer + head) // 2"},
        ),
        Mistake(
            "halves_attention_for_the_mask",
            "This counts half of attention. If for the mask: by the convention asked for, it saves nothing. Otherwise "
            "one of its two matmuls is missing, or in both a multiplication with its addition counts as one.",
            {"4 * tokens * sequence": "2 * tokens * sequence"},
        ),
        Mistake(
            "lets_a_token_attend_to_those_before_it",
            "By the convention asked for, the mask saves nothing: s × s scores count, not only the s(s + 1)/2 kept.",
            {"4 * tokens * sequence": "2 * tokens * (sequence + 1)"},
        ),
        Mistake(
            "multiplies_biases_and_norms",
            "This is six for every parameter; biases and norms are parameters, but they are in no matmul.",
            {"head = 2 * tokens * hidden * vocabulary": "head = 2 * tokens * hidden * (vocabulary + 13 * layers + 2)"},
        ),
        Mistake(
            "multiplies_the_look_up",
            "The look-up of a token's row is no matmul: of the two uses of the table, only the head is one.",
            lambda *, layers, hidden, vocabulary, batch, sequence: (
                3 * layers * (24 * batch * sequence * hidden**2 + 4 * batch * sequence**2 * hidden)
                + 8 * batch * sequence * hidden * vocabulary
            ),
        ),
        Mistake(
            "multiplies_the_look_up_three_times",
            "The look-up of a token's row is no matmul, forward or backward: of the two uses of the table, only the "
            "head is one.",
            {"head = 2 *": "head = 4 *"},
        ),
        Mistake(
            "counts_six_for_each_parameter",
            "This is 6ND. It counts the table of positions, biases and norms, which are in no matmul, and leaves out "
            "attention's own matmuls.",
            lambda *, layers, hidden, vocabulary, batch, sequence: (
                6 * batch * sequence * exact_parameters(layers, hidden, vocabulary, sequence)
            ),
        ),
        Mistake(
            "adds_attention_to_six_for_each_parameter",
            "This is 6ND with attention's own matmuls. N has the table of positions, biases and norms in it, which "
            "are in no matmul.",
            lambda *, layers, hidden, vocabulary, batch, sequence: (
                6 * batch * sequence * exact_parameters(layers, hidden, vocabulary, sequence)
                + 12 * layers * batch * sequence**2 * hidden
            ),
        ),
        Mistake(
            "counts_the_layers_weights_alone",
            "This is six for each weight of the layers. Attention's own matmuls and the head are missing.",
            {
                " + 4 * tokens * sequence * hidden": "",
                "(layers * layer + head)": "(layers * layer)",
            },
        ),
    ],
)
