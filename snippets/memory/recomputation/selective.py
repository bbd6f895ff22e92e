"""Formulas: what each tensor that a GPT layer keeps would cost to make again, and which of them to drop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from snippets.domain import each, nonnegative_integer, text
from snippets.flops import attention_forward_flops
from snippets.memory.memory_equation.activations import stored_tensors
from snippets.memory.memory_equation.step_peak import StepSizes, check_sizes

LAYER_INPUT = "first norm's input"

# matrix products that make a tensor from those before it: bsh² of them, and halves of attention's 4bs²h
_PRODUCTS = {
    "query": (2, 0),
    "key": (2, 0),
    "value": (2, 0),
    "softmax's output": (0, 1),
    "output projection's input": (0, 1),
    "second norm's input": (2, 0),
    "activation function's input": (8, 0),
}


@dataclass(frozen=True)
class TensorPrice:
    """A tensor that a layer keeps, and what it costs to make it again.

    Attributes:
        name: of the tensor.
        bytes: that it takes.
        flops: of the matrix products that make it from the tensors kept before it.

    >>> TensorPrice("query", 4, 12).flops_per_byte
    3.0
    """

    name: str
    bytes: int
    flops: int

    @property
    def flops_per_byte(self) -> float:
        """Operations for each byte that is freed.

        >>> TensorPrice("mask", 2, 0).flops_per_byte
        0.0
        """
        return self.flops / self.bytes


def tensor_prices(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, attention: str = "standard"
) -> tuple[TensorPrice, ...]:
    """Return the tensors that a layer keeps, each with what it costs to make it again.

    Formula: $\\frac{2 s b\\, h_\\text{in} h_\\text{out}}{2 s b\\, h_\\text{out}} = h_\\text{in}$
    Symbols: operations a byte of a product's result; s = sequence; b = micro_batch; h_\\text{in} = values that each
        result sums over; h_\\text{out} = values of the result for each token
    Chapter: 23

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        heads: attention heads.
        attention: ``"standard"`` keeps the scores; ``"flash"`` keeps their log-sum-exp, which comes with the heads'
            output.

    Returns:
        The tensors in the order of the forward pass, without the layer's input, from which all of them can be made.

    Source: the tensors and their bytes are Korthikanti et al. 2022's, from ``stored_tensors``; operations are derived.
    Convention: matrix products alone, no causal mask: norms, GeLU, softmax, dropout and sums count 0. Where a
        parent is dropped too it is made once, so prices add up. Masks come again from the kept state of the random
        generator.
    Leaves out: the second feed-forward matrix, whose result no tensor of the layer needs; time that bytes take.

    Example:
        >>> [round(t.flops_per_byte) for t in tensor_prices(sequence=2048, micro_batch=1, hidden=3072, heads=32)]
        [0, 3072, 3072, 3072, 96, 0, 0, 2048, 0, 3072, 0, 3072, 0, 0]
    """
    kept = stored_tensors(sequence=sequence, micro_batch=micro_batch, hidden=hidden, heads=heads, attention=attention)
    core = attention_forward_flops(batch=micro_batch, sequence=sequence, hidden=hidden)
    square = int(sequence) * int(micro_batch) * int(hidden) ** 2
    names = {tensor.name for tensor in kept}
    prices = []
    for tensor in kept:
        products, halves = _PRODUCTS.get(tensor.name, (0, 0))
        size = tensor.bytes
        if "log-sum-exp" in names:
            if tensor.name == "log-sum-exp":
                continue
            if tensor.name == "output projection's input":
                size, halves = size + next(t.bytes for t in kept if t.name == "log-sum-exp"), 2
        if tensor.name != LAYER_INPUT:
            prices.append(TensorPrice(tensor.name, size, products * square + halves * core // 2))
    return tuple(prices)


def remade_flops(prices: Sequence[TensorPrice], *, dropped: Collection[str]) -> int:
    """Return the operations that make the dropped tensors of one layer again.

    Formula: $F = \\sum_{i \\in Z} F_i$
    Symbols: F = the result; Z = the dropped tensors; F_i = operations that make tensor i from those before it
    Chapter: 23

    Args:
        prices: of the layer's tensors.
        dropped: names of those that are not kept.

    Returns:
        FLOP, exact.

    Raises:
        ValueError: if a name is not among the tensors.

    Source: derived.
    Convention: as ``tensor_prices``.
    Leaves out: as there.

    Example:
        >>> prices = tensor_prices(sequence=8, micro_batch=1, hidden=4, heads=2)
        >>> remade_flops(prices, dropped={"query", "softmax's output"}) == 2 * 8 * 16 + 2 * 64 * 4
        True
    """
    listed = {price.name: price for price in each("prices", prices, _price)}
    gone = _names(dropped)
    unknown = sorted(gone - listed.keys())
    if unknown:
        raise ValueError(f"dropped must be names of tensors among prices ({', '.join(listed)}), got {unknown[0]!r}")
    return sum(price.flops for name, price in listed.items() if name in gone)


def cheapest_drop(prices: Sequence[TensorPrice], *, free_bytes: int) -> tuple[str, ...] | None:
    """Return which tensors of a layer to drop so that enough bytes are freed for the fewest operations.

    Formula: $\\min_Z \\sum_{i \\in Z} F_i \\quad \\text{with} \\quad \\sum_{i \\in Z} A_i \\ge A_\\text{free}$
    Symbols: Z = the dropped tensors; F_i, A_i = operations and bytes of tensor i; A_\\text{free} = free_bytes
    Chapter: 23

    Args:
        prices: of the layer's tensors, at most 20.
        free_bytes: that have to go, at least 0.

    Returns:
        Names, in the layer's order, the fewest of them among the cheapest; ``None`` where all tensors are not enough.

    Source: derived; every subset is tried.
    Convention: as ``tensor_prices``.
    Leaves out: that layers may drop different tensors.

    Example:
        >>> prices = tensor_prices(sequence=2048, micro_batch=1, hidden=3072, heads=32)
        >>> cheapest_drop(prices, free_bytes=6 * 2048 * 3072)
        ("score dropout's mask",)
    """
    listed = each("prices", prices, _price)
    if len(listed) > 20:
        raise ValueError(f"prices must hold at most 20 tensors, got {len(listed)}")
    wanted = nonnegative_integer("free_bytes", free_bytes)
    best: tuple[int, tuple[str, ...]] | None = None
    for count in range(len(listed) + 1):
        for subset in combinations(listed, count):
            if sum(price.bytes for price in subset) >= wanted:
                flops = sum(price.flops for price in subset)
                if best is None or flops < best[0]:
                    best = flops, tuple(price.name for price in subset)
    return None if best is None else best[1]


def sizes_without(sizes: StepSizes, *, dropped: Collection[str]) -> StepSizes:
    """Return the sizes of a step whose layers drop some tensors and make them again for their backward pass.

    Formula: $A' = A - \\sum_{i \\in Z} A_i$
    Symbols: A, A' = what a layer keeps before and after; Z = the dropped tensors; A_i = bytes of tensor i
    Chapter: 23

    Args:
        sizes: of a step.
        dropped: names of tensors that its layers keep; with the output projection's input goes the log-sum-exp.

    Returns:
        The sizes; what is dropped is there again during the layer's own backward pass.

    Raises:
        ValueError: if a layer keeps no tensor of a name, or its input is to be dropped.

    Source: derived.
    Convention: as ``StepSizes``: all layers are alike.
    Leaves out: as ``StepSizes``.

    Example:
        >>> from snippets.memory.memory_equation.step_peak import gpt_step_sizes
        >>> whole = gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1)
        >>> less = sizes_without(whole, dropped={"query"})
        >>> whole.layer_bytes - less.layer_bytes, less.rebuilt_bytes
        (64, 64)
    """
    check_sizes(sizes)
    gone = _names(dropped)
    allowed = {name for name, _ in sizes.kept} - {LAYER_INPUT, "layer's input"}
    if not gone <= allowed:
        raise ValueError(f"dropped must be among {', '.join(sorted(allowed))}, got {', '.join(sorted(gone - allowed))}")
    if "output projection's input" in gone:
        gone.add("log-sum-exp")
    kept = tuple((name, size) for name, size in sizes.kept if name not in gone)
    rebuilt = sizes.layer_bytes - sum(size for _, size in kept)
    return replace(sizes, kept=kept, rebuilt_bytes=sizes.rebuilt_bytes + rebuilt)


def _names(dropped: Collection[str]) -> set[str]:
    if not isinstance(dropped, Iterable) or isinstance(dropped, str | bytes):
        raise ValueError(f"dropped must be a collection of names, got {dropped!r}")
    return {text("dropped", name) for name in dropped}


def _price(name: str, value: TensorPrice) -> TensorPrice:
    if not isinstance(value, TensorPrice):
        raise TypeError(f"{name} must hold TensorPrices, got {value!r}")
    return value
