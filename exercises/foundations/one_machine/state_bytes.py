"""Exercise: the bytes that training keeps for a model's parameters, gradients among them."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for
from snippets.recipes import Recipe, model_state_bytes


def state_bytes(
    parameters: int,
    *,
    weight_bytes: int,
    gradient_bytes: int,
    master_bytes: int,
    moment_bytes: int,
) -> int:
    """Return the bytes of the state of training with Adam.

    Args:
        parameters: of the model.
        weight_bytes: of a weight as the forward and backward pass read it.
        gradient_bytes: of a gradient.
        master_bytes: of the second, wider copy of a weight that the
            optimizer updates; 0 where there is none.
        moment_bytes: of one of the two averages (moments) that Adam keeps
            for each parameter.

    Returns:
        Bytes, before any activation.

    >>> state_bytes(
    ...     10, weight_bytes=2, gradient_bytes=2, master_bytes=0,
    ...     moment_bytes=4
    ... )
    120
    """
    each = weight_bytes + gradient_bytes + master_bytes + 2 * moment_bytes
    return parameters * each


def by_recipe(parameters: int, weight_bytes: int, gradient_bytes: int, master_bytes: int, moment_bytes: int) -> int:
    """The same from the book's recipes, which name each copy."""
    recipe = Recipe(
        "asked",
        parameters=weight_bytes,
        gradients=gradient_bytes,
        master=master_bytes,
        first_moment=moment_bytes,
        second_moment=moment_bytes,
    )
    return model_state_bytes(parameters, recipe=recipe).total


kept = inputs_for(state_bytes)


def taught() -> str:
    own = {"weight_bytes": 2, "gradient_bytes": 2, "moment_bytes": 4}
    without, with_one = (state_bytes(7 * 10**9, master_bytes=master, **own) / 1e9 for master in (0, 4))
    return (
        f"The table has to say {without:.0f} GB without a master copy and {with_one:.0f} GB with one: it forgot the "
        "gradients, which are as large as the weights, and did not say whether there is a master copy."
    )


EXERCISE = Exercise(
    state_bytes,
    number=1,
    level="easy",
    asked="the bytes that training with Adam keeps for a model, before any activation",
    expected=by_recipe,
    examples=[
        kept(10, 2, 2, 0, 4),
        kept(10, 2, 2, 4, 4),
        kept(1000, 4, 4, 0, 4),
        kept(7_000_000_000, 2, 2, 0, 4),
        kept(7_000_000_000, 2, 2, 4, 4),
    ],
    inputs=lambda st: {
        "parameters": st.integers(1, 10**12),
        "weight_bytes": st.sampled_from([1, 2, 4]),
        "gradient_bytes": st.sampled_from([1, 2, 4, 6]),
        "master_bytes": st.sampled_from([0, 2, 4]),
        "moment_bytes": st.sampled_from([1, 2, 4]),
    },
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_gradients",
            "The gradients are missing: the backward pass writes one number for each parameter, and the optimizer "
            "reads it.",
            {"weight_bytes + gradient_bytes + master": "weight_bytes + master"},
        ),
        Mistake(
            "forgets_the_master_copy",
            "The master copy is missing: where there is one, the optimizer keeps it besides the working weights.",
            {" + master_bytes": ""},
        ),
        Mistake(
            "keeps_one_average",
            "Adam keeps two averages for each parameter, of the gradient and of its square; this counts one.",
            {"2 * moment_bytes": "moment_bytes"},
        ),
        Mistake(
            "forgets_the_weights",
            "This is what the optimizer and the gradients take; the weights that the passes read are missing.",
            {"weight_bytes + gradient": "gradient"},
        ),
        Mistake(
            "replaces_the_weights_by_the_master",
            "The master copy does not replace the working weights: both are in memory.",
            {"weight_bytes + gradient_bytes + master_bytes": "gradient_bytes + (master_bytes or weight_bytes)"},
        ),
        Mistake(
            "doubles_the_master",
            "Two averages are kept, but one master copy.",
            {"master_bytes + 2 * moment_bytes": "2 * (master_bytes + moment_bytes)"},
        ),
        Mistake(
            "always_sixteen",
            "16 bytes a parameter are one recipe; here the widths are given.",
            lambda parameters, **_: 16 * parameters,
        ),
    ],
)
