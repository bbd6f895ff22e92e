"""Exercise: which tensors of a layer to drop, so that a step fits for the fewest FLOPs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.memory.memory_equation.step_peak import StepSizes, gpt_step_sizes, step_peak_bytes
from snippets.memory.memory_equation.step_timeline import Moment, step_timeline
from snippets.memory.recomputation.selective import TensorPrice, remade_flops, sizes_without, tensor_prices


def tensors_to_drop(
    *,
    sizes: StepSizes,
    prices: Sequence[TensorPrice],
    memory_bytes: int,
) -> list[str] | None:
    """Choose which tensors each layer drops, for the fewest FLOPs.

    What a layer drops it makes again for its own backward pass, where it is
    then held as if it had been kept. All layers drop the same. The step fits if
    step_peak_bytes of its sizes is no more than the memory.
    sizes_without(sizes, dropped=names) returns the sizes of the step whose
    layers drop these tensors.

    Args:
        sizes: of the step if everything is kept.
        prices: of the tensors that may be dropped: each has a ``name``, its
            ``bytes`` in one layer, and the ``flops`` that make it again. The
            flops of several add up. There are 11 to 14, some of 0 flops; the
            24 steps on which you are judged have 10 seconds together.
        memory_bytes: memory of the device; all of it may be used.

    Returns:
        A list of names, in any order; None where the step does not fit even if
        all are dropped. Of choices that cost the same, any.

    >>> shape = {"sequence": 8, "micro_batch": 1, "hidden": 4, "heads": 2}
    >>> tensors_to_drop(
    ...     sizes=gpt_step_sizes(layers=2, vocabulary=10, **shape),
    ...     prices=tensor_prices(**shape), memory_bytes=11920,
    ... )
    []
    """
    free = [tensor.name for tensor in prices if tensor.flops == 0]
    paid = [tensor for tensor in prices if tensor.flops > 0]
    if step_peak_bytes(sizes) <= memory_bytes:
        return []
    best = None
    for count in range(len(paid) + 1):
        for some in combinations(paid, count):
            names = free + [tensor.name for tensor in some]
            flops = sum(tensor.flops for tensor in some)
            peak = step_peak_bytes(sizes_without(sizes, dropped=names))
            if peak <= memory_bytes and (best is None or flops < best[0]):
                best = flops, names
    return None if best is None else best[1]


@cache
def held(sizes: StepSizes, dropped: frozenset[str]) -> int:
    """Run the step on the simulator, and return the most that it holds."""
    return step_timeline(sizes_without(sizes, dropped=dropped)).peak_bytes


@cache
def fewest(sizes: StepSizes, prices: tuple[TensorPrice, ...], memory_bytes: int) -> int | None:
    """Return the fewest FLOPs of a choice that fits. Fewer bytes never hurt, so all free tensors may go."""
    free = frozenset(price.name for price in prices if not price.flops)
    paid = [price for price in prices if price.flops]
    found = [
        sum(price.flops for price in some)
        for count in range(len(paid) + 1)
        for some in combinations(paid, count)
        if held(sizes, free | {price.name for price in some}) <= memory_bytes
    ]
    return min(found, default=None)


def the_best(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> str | None:
    least = fewest(sizes, tuple(prices), memory_bytes)
    return None if least is None else "one that fits and takes the fewest FLOPs"


def named(moment: Moment) -> str:
    """Say when a moment is, with layers counted from 1 as in the chapter.

    >>> named(Moment("layer 1", "backward", {}))
    'in the backward pass of layer 2'
    """
    if moment.task.startswith("layer "):
        return f"in the {moment.phase} pass of layer {int(moment.task.split()[1]) + 1}"
    return f"at the {moment.task}"


def fault(names: Sequence[str], *, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> str:
    """Say whether the choice fits on the simulator, and how many FLOPs it takes more than the best."""
    unknown = sorted(set(names) - {price.name for price in prices})
    if unknown:
        return f"drops {unknown[0]!r}, which is none of the tensors that may be dropped"
    peak = held(sizes, frozenset(names))
    if peak > memory_bytes:
        moment = step_timeline(sizes_without(sizes, dropped=names)).peak
        return f"does not fit: {named(moment)} the step holds {peak:,} bytes, and the device has {memory_bytes:,}"
    least = fewest(sizes, tuple(prices), memory_bytes)
    more = remade_flops(prices, dropped=set(names)) - (least or 0)
    return f"fits and takes {more:,} FLOPs a layer more than the best" if more else ""


def step_of(
    memory_bytes: int | None = None, *, less: int = 0, layers: int = 2, attention: str = "standard", **own: int
) -> Inputs:
    shape: dict[str, Any] = {"sequence": 8, "micro_batch": 1, "hidden": 4, "heads": 2, "attention": attention} | own
    words = shape.pop("vocabulary", 10)
    sizes = gpt_step_sizes(layers=layers, vocabulary=words, **shape)
    return {
        "sizes": sizes,
        "prices": tensor_prices(**shape),
        "memory_bytes": step_peak_bytes(sizes) - less if memory_bytes is None else memory_bytes,
    }


def some_step(seed: int) -> Inputs:
    """Draw a small step, and a device that holds it if some of its tensors are dropped, or a little less."""
    chance = Random(seed)
    heads = chance.choice([1, 2, 4])
    run = step_of(
        0,
        layers=chance.randint(1, 6),
        attention=chance.choice(["standard", "flash"]),
        sequence=chance.randint(4, 40),
        hidden=heads * chance.choice([2, 4, 8]),
        heads=heads,
        micro_batch=chance.randint(1, 3),
        vocabulary=chance.randint(3, 40),
    )
    names = [price.name for price in run["prices"]]
    some = frozenset(chance.sample(names, chance.randint(0, len(names))))
    return {**run, "memory_bytes": held(run["sizes"], some) - chance.choice([0, 0, 1])}


def largest_first(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    return in_order(sizes, sorted(prices, key=lambda price: -price.bytes), memory_bytes)


def cheapest_byte_first(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    return in_order(sizes, sorted(prices, key=lambda price: price.flops / price.bytes), memory_bytes)


def free_then_largest(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    return in_order(sizes, sorted(prices, key=lambda price: (price.flops > 0, -price.bytes)), memory_bytes)


def free_then_cheapest(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    return in_order(sizes, sorted(prices, key=lambda price: price.flops), memory_bytes)


def first_that_fits(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    free = [price.name for price in prices if not price.flops]
    paid = [price.name for price in prices if price.flops]
    for count in range(len(paid) + 1):
        for some in combinations(paid, count):
            if step_peak_bytes(sizes_without(sizes, dropped=[*free, *some])) <= memory_bytes:
                return [*free, *some]
    return None


def in_order(sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    names: list[str] = []
    for price in [None, *prices]:
        names += [price.name] if price else []
        if step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes:
            return names
    return None


def everything(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    names = [price.name for price in prices]
    return names if step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes else None


def scores_alone(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    names = [price.name for price in prices if "softmax" in price.name or "score" in price.name]
    return names if step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes else None


def subtracts(*, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int) -> list[str] | None:
    over = step_peak_bytes(sizes) - memory_bytes
    if over <= 0:
        return []
    free = [price for price in prices if not price.flops]
    paid = [price for price in prices if price.flops]
    enough = [
        some
        for count in range(len(paid) + 1)
        for some in combinations(paid, count)
        if sizes.layers * sum(price.bytes for price in (*free, *some)) >= over
    ]
    if not enough:
        return None
    return [price.name for price in (*free, *min(enough, key=lambda some: sum(price.flops for price in some)))]


def all_paid_ones(names: Sequence[str] | None, *, sizes: StepSizes, prices: Sequence[TensorPrice], **run: int) -> bool:
    """Say whether all is dropped that costs FLOPs, or nothing chosen where that is not enough."""
    if names is None:
        return everything(sizes=sizes, prices=prices, **run) is None
    return {price.name for price in prices if price.flops} <= set(names)


def by_rule(
    *,
    spare: int = 0,
    with_free: bool = True,
    subtracting: bool = False,
    nothing_is_empty: bool = False,
) -> Callable[..., bool]:
    """Return what judges a choice with a slip: bytes left free, free tensors kept, or bytes that are subtracted."""

    def accepts(
        names: Sequence[str] | None, *, sizes: StepSizes, prices: Sequence[TensorPrice], memory_bytes: int
    ) -> bool:
        free = frozenset(price.name for price in prices if not price.flops)
        paid = [price for price in prices if price.flops]

        def fits(dropped: frozenset[str]) -> bool:
            bytes_dropped = sizes.layers * sum(price.bytes for price in prices if price.name in dropped)
            peak = held(sizes, frozenset()) - bytes_dropped if subtracting else held(sizes, dropped)
            return peak + spare <= memory_bytes

        sets = (frozenset(price.name for price in some) for n in range(len(paid) + 1) for some in combinations(paid, n))
        costs = [remade_flops(prices, dropped=some) for some in sets if fits(some | free if with_free else some)]
        if not costs or names is None:
            return not costs and (names is None or (nothing_is_empty and not names))
        dropped = frozenset(names)
        return (
            fits(dropped) and (with_free or not dropped & free) and remade_flops(prices, dropped=dropped) == min(costs)
        )

    return accepts


# Steps with flash attention, because their 11 tensors leave time to try all subsets; one with 14. Among them are steps
# that need every tensor with a price, and steps on which dropping greedily goes wrong.
SEEDS = (5, 7, 10, 11, 12, 16, 17, 18, 21, 29, 38, 39, 86, 142, 155, 362, 51)

CHOICE = Choice("the choice", the_best, fault, none="None: nothing is enough")


def drawn(chance: Random) -> list[Inputs]:
    """Return as many small steps: four of the book's, which know every mistake, and others."""
    seeds = [5, 17, 155, 51, *(chance.randrange(10**9) for _ in SEEDS[4:])]
    return [*map(some_step, seeds)]


def taught() -> str:
    own = EXERCISE.examples[-1]
    prices, dropped = own["prices"], set(tensors_to_drop(**own) or ())
    paid = [price.name for price in prices if price.name in dropped and price.flops]
    share = remade_flops(prices, dropped=dropped) / remade_flops(prices, dropped={price.name for price in prices})
    return (
        f"For the question's step all that is free goes, and {len(paid)} that cost FLOPs: {', '.join(paid)}. That "
        f"is {share:.0%} of the FLOPs that making everything again would cost: a little recomputation, of the "
        "right tensors, is enough."
    )


EXERCISE = Exercise(
    tensors_to_drop,
    number=4,
    level="hard",
    asked="which tensors each layer drops, so that the step fits and takes the fewest FLOPs",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    any_order=True,
    examples=[
        step_of(11920),
        step_of(less=1),
        step_of(less=300, attention="flash"),
        step_of(less=700, layers=3, attention="flash"),
        step_of(100, attention="flash"),
        step_of(less=900, layers=4, attention="flash"),
        step_of(
            80 * 10**9,
            layers=30,
            attention="flash",
            sequence=16384,
            hidden=3072,
            heads=32,
            vocabulary=51200,
        ),
    ],
    inputs=[*map(some_step, SEEDS)],
    drawn=drawn,
    given=("gpt_step_sizes", "step_peak_bytes", "sizes_without", "tensor_prices"),
    taught=taught,
    mistakes=[
        Mistake(
            "drops_everything",
            "This drops all that may be dropped; some tensors cost FLOPs that the step need not pay.",
            everything,
            accepts=all_paid_ones,
        ),
        Mistake(
            "drops_the_largest_first",
            "The largest tensors need not be the cheapest: look at the FLOPs that each of them costs.",
            largest_first,
        ),
        Mistake(
            "drops_the_scores_alone",
            "Without the scores alone the step need not fit, and other tensors cost no FLOPs at all.",
            scores_alone,
        ),
        Mistake(
            "takes_the_cheapest_byte_until_it_fits",
            "Taking the cheapest byte first can take more than is needed: a larger tensor may do alone, or two small "
            "ones instead.",
            cheapest_byte_first,
        ),
        Mistake(
            "takes_the_largest_until_it_fits",
            "What is free goes first, and that is right. But of the others the largest need not be the cheapest.",
            free_then_largest,
        ),
        Mistake(
            "takes_the_cheapest_until_it_fits",
            "Taking the cheapest tensor first can take more than is needed: one larger tensor may do alone.",
            free_then_cheapest,
        ),
        Mistake(
            "takes_the_first_set_that_fits",
            "This takes the first set that fits, of the fewest tensors; a set of more may take fewer FLOPs.",
            first_that_fits,
        ),
        Mistake(
            "tries_six_tensors_at_most",
            "The chapter's step has six tensors with a price, and this loop ends with six. Here there may be more.",
            {"range(len(paid) + 1)": "range(7)"},
        ),
        Mistake(
            "keeps_what_is_free",
            "Tensors that cost no FLOPs may go as well: here only those that cost some are dropped.",
            {"names = free + [": "names = ["},
            accepts=by_rule(with_free=False),
        ),
        Mistake(
            "forgets_what_comes_back",
            "What a layer drops is there again in its own backward pass: ask step_peak_bytes, do not subtract.",
            subtracts,
            accepts=by_rule(subtracting=True),
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be used: a step that needs just as much fits.",
            {
                "peak <= memory_bytes and": "peak < memory_bytes and",
                "step_peak_bytes(sizes) <= ": "step_peak_bytes(sizes) < ",
            },
            accepts=by_rule(spare=1),
        ),
        Mistake(
            "gives_an_empty_list",
            "Where nothing is enough, return None, not an empty list.",
            {"None if best is None else best[1]": "[] if best is None else best[1]"},
            accepts=by_rule(nothing_is_empty=True),
        ),
        Mistake("drops_nothing", "This is right for one input only.", lambda **_: []),
    ],
)
