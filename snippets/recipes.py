"""Formulas: bytes that training keeps for every parameter, by named recipe.

A recipe is data: how many bytes of each kind one parameter needs. "Mixed-precision Adam" alone names four of them
(12, 16, 18 and 20 bytes), so each has a name that says which copies it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Answers, Catalogue, integer_fields, nonnegative_integer, positive_integer, text_fields


@dataclass(frozen=True)
class Recipe(Answers):
    """Bytes of model state for one parameter, by kind.

    Attributes:
        name: how the book calls it.
        parameters: the working copy that the forward and backward pass read, at least 0.
        gradients: the gradient as the backward pass writes it and as ranks exchange it, at least 0.
        main_gradients: a second, wider buffer in which gradients are accumulated; 0 without one.
        master: a wider copy of the parameters that the optimizer updates; 0 without one.
        first_moment: Adam's m, or the momentum of SGD.
        second_moment: Adam's v.
        source: who uses or names it.

    >>> RECIPES["mixed-adam"].bytes_per_parameter
    16
    >>> Recipe("mine", parameters=2, gradients=2, master=4, first_moment=1, second_moment=1).bytes_per_parameter
    10
    """

    name: str
    parameters: int
    gradients: int
    main_gradients: int = 0
    master: int = 0
    first_moment: int = 0
    second_moment: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        text_fields(self, "name", "source")
        kinds = ("parameters", "gradients", "main_gradients", "master", "first_moment", "second_moment")
        integer_fields(self, *kinds, minimum=0)

    @property
    def gradient_bytes(self) -> int:
        """Bytes of all gradient buffers.

        >>> RECIPES["mixed-adam-both-gradients"].gradient_bytes
        6
        """
        return self.gradients + self.main_gradients

    @property
    def optimizer_bytes(self) -> int:
        """Bytes of optimizer state, the master copy included: ZeRO's K.

        >>> RECIPES["mixed-adam"].optimizer_bytes
        12
        """
        return self.master + self.first_moment + self.second_moment

    @property
    def bytes_per_parameter(self) -> int:
        """Bytes of all kinds.

        >>> RECIPES["mixed-adam-fp32-gradients"].bytes_per_parameter
        18
        """
        return self.parameters + self.gradient_bytes + self.optimizer_bytes


@dataclass(frozen=True)
class StateBytes(Answers):
    """Bytes of model state that one device holds, by kind.

    >>> StateBytes(parameters=2, gradients=2, optimizer=12).total
    16
    """

    parameters: int
    gradients: int
    optimizer: int

    @property
    def total(self) -> int:
        """The sum of the three kinds.

        >>> StateBytes(1, 2, 3).total
        6
        """
        return self.parameters + self.gradients + self.optimizer


_PLAYBOOK = "The Ultra-Scale Playbook 2025, table of FP8 recipes"

RECIPES = Catalogue(
    "recipe",
    Recipe,
    (
        Recipe("fp32-sgd", 4, 4, source="plain SGD in fp32"),
        Recipe("fp32-sgd-momentum", 4, 4, first_moment=4, source="SGD with momentum in fp32"),
        Recipe("fp32-adam", 4, 4, first_moment=4, second_moment=4, source="Kingma and Ba 2015, all in fp32"),
        Recipe("fp32-adam-8bit", 4, 4, first_moment=1, second_moment=1, source="Dettmers et al. 2022"),
        Recipe("16-bit-adam", 2, 2, first_moment=2, second_moment=2, source="all in bf16, no master copy"),
        Recipe("16-bit-adam-fp32-moments", 2, 2, first_moment=4, second_moment=4, source="moments in fp32, no master"),
        Recipe("mixed-sgd-momentum", 2, 2, master=4, first_moment=4, source="Micikevicius et al. 2018 with SGD"),
        Recipe(
            "mixed-adam",
            2,
            2,
            master=4,
            first_moment=4,
            second_moment=4,
            source="Rajbhandari et al. 2020 (ZeRO), section 3.1: 2 + 2 + K with K = 12",
        ),
        Recipe(
            "mixed-adam-fp32-gradients",
            2,
            4,
            master=4,
            first_moment=4,
            second_moment=4,
            source="Megatron-LM, theoretical_memory_usage.py: gradients are kept in fp32 alone",
        ),
        Recipe(
            "mixed-adam-both-gradients",
            2,
            2,
            main_gradients=4,
            master=4,
            first_moment=4,
            second_moment=4,
            source=_PLAYBOOK + ": bf16 gradients and an fp32 buffer to accumulate them",
        ),
        Recipe(
            "mixed-adam-8bit",
            2,
            2,
            master=4,
            first_moment=1,
            second_moment=1,
            source="Dettmers et al. 2022 with an fp32 master copy",
        ),
        Recipe("fp8-transformer-engine", 4, 4, first_moment=4, second_moment=4, source=_PLAYBOOK),
        Recipe("fp8-lm-o3", 1, 1, main_gradients=2, master=2, first_moment=1, second_moment=2, source=_PLAYBOOK),
        Recipe("fp8-deepseek-v3", 1, 2, main_gradients=4, master=4, first_moment=2, second_moment=2, source=_PLAYBOOK),
        Recipe("fp8-nanotron", 1, 1, main_gradients=4, master=2, first_moment=1, second_moment=1, source=_PLAYBOOK),
    ),
)


def model_state_bytes(parameters: int | float, *, recipe: Recipe | str = "mixed-adam") -> StateBytes:
    """Return the bytes of a whole model's state on one device that shares nothing.

    Also: model states, training memory
    Formula: $M = (w_\\text{p} + w_\\text{g} + w_\\text{o})\\, N$
    Symbols: M = total of the result in bytes; N = parameters; w_p, w_g, w_o = bytes per parameter of the recipe's
        working copy, gradients and optimizer state
    Chapter: 1

    Args:
        parameters: how many, at least 0; ``7e9`` is taken for 7,000,000,000.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.

    Returns:
        Bytes of parameters, gradients and optimizer state, exact.

    Raises:
        ValueError: if ``parameters`` is no whole number of at least 0, or there is no such recipe.

    Source: Rajbhandari et al. 2020, section 3.1.
    Convention: bytes; divide by 10⁹ for GB, by 2³⁰ for GiB. The master copy counts as optimizer state.
    Leaves out: activations, buffers, fragmentation; what an optimizer keeps for a block or a layer.

    Example:
        >>> [model_state_bytes(7e9, recipe=name).total // 10**9 for name in ("16-bit-adam-fp32-moments", "mixed-adam")]
        [84, 112]
    """
    count, kept = nonnegative_integer("parameters", parameters), RECIPES.find(recipe)
    return StateBytes(count * kept.parameters, count * kept.gradient_bytes, count * kept.optimizer_bytes)


def quantization_constant_bytes(
    parameters: int | float, *, block: int = 2048, states: int = 2, constant_bytes: int = 4
) -> int:
    """Return the bytes of the constants by which blockwise 8-bit states are scaled.

    Formula: $M = z\\, w\\, \\lceil N / q \\rceil$
    Symbols: M = the result in bytes; N = parameters; q = block; z = states; w = constant_bytes
    Chapter: 21

    Args:
        parameters: how many, at least 0; an exponent is taken as in ``model_state_bytes``.
        block: parameters that share a constant.
        states: quantised states of one parameter (Adam has 2).
        constant_bytes: 4 in fp32.

    Returns:
        Bytes, exact. The 8-bit recipes leave them out: at a block of 2,048 they are 1/256 byte a parameter.

    Source: Dettmers et al. 2022 (8-bit Optimizers via Block-wise Quantization), section 2.1.
    Convention: one tensor; each tensor rounds its number of blocks up on its own.
    Leaves out: small tensors and embeddings, which implementations leave in 32 bits.

    Example:
        >>> quantization_constant_bytes(7e9)
        27343752
    """
    count, block = nonnegative_integer("parameters", parameters), positive_integer("block", block)
    each = positive_integer("states", states) * positive_integer("constant_bytes", constant_bytes)
    return each * -(-count // block)
