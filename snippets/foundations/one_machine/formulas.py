"""Formulas: what attention adds to a layer's operations, and how many devices hold the state of training."""

from __future__ import annotations

from snippets.domain import positive_integer
from snippets.recipes import Recipe, model_state_bytes


def attention_flops_share(*, sequence: int, hidden: int) -> float:
    """Return the share of attention's own products in the operations of a GPT layer.

    Formula: $\\frac{s}{6 h + s}$
    Symbols: s = sequence; h = hidden
    Chapter: 1

    Args:
        sequence: tokens of one sequence.
        hidden: width of the residual stream; all heads together are as wide, the inner width is 4 times it.

    Returns:
        A share: 4bs²h of 24bsh² + 4bs²h, the same forward and backward.

    Source: Narayanan et al. 2021, appendix, divided.
    Convention: no causal mask.
    Leaves out: everything but matrix products; grouped queries and gates.

    Example:
        >>> attention_flops_share(sequence=4096, hidden=4096)
        0.14285714285714285
    """
    s, h = positive_integer("sequence", sequence), positive_integer("hidden", hidden)
    return s / (6 * h + s)


def least_devices_for_state(
    parameters: int | float, *, memory_bytes: int | float, recipe: Recipe | str = "mixed-adam"
) -> int:
    """Return how many devices together have room for the state of training, if each holds an equal part.

    Formula: $\\left\\lceil \\frac{w_\\text{state} N}{M} \\right\\rceil$
    Symbols: N = parameters; M = memory_bytes; w_state = bytes a parameter of the recipe
    Chapter: 1

    Args:
        parameters: of the model, all of them; ``7e9`` is taken for 7,000,000,000.
        memory_bytes: of one device.
        recipe: a name in ``RECIPES``, or a recipe of your own.

    Returns:
        Devices, at least 1.

    Source: division, rounded up.
    Convention: GB are 10⁹ bytes.
    Leaves out: activations, temporary buffers, parts that cannot be divided evenly: a bound from below.

    Example:
        >>> least_devices_for_state(175e9, memory_bytes=80e9)
        35
    """
    state = model_state_bytes(positive_integer("parameters", parameters), recipe=recipe).total
    return -(-state // positive_integer("memory_bytes", memory_bytes))
