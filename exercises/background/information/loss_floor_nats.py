"""Exercise: the least loss on a text of any model that sees so many symbols before each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake
from snippets.background.information.formulas import entropy


def loss_floor_nats(text: Sequence[int], *, context: int) -> float:
    """Return the least mean loss on exactly this text that a model can have.

    It may be any model that sees a fixed number of symbols before each.

    Args:
        text: symbols, numbers from 0 to 31; longer than ``context``.
        context: symbols that the model sees, from 0 up. The first ``context``
            symbols of the text are not predicted.

    Returns:
        The mean of −ln of the probability given to a symbol, over all symbols
        that are predicted, in nats.

    >>> round(loss_floor_nats([0, 1, 0, 2, 0, 1], context=1), 4)  # 0 → 1, 2, 1
    0.3819
    """
    # The best model gives each symbol its frequency after its context.
    places = range(context, len(text))
    pairs = Counter((tuple(text[place - context : place]), text[place]) for place in places)
    before = Counter(tuple(text[place - context : place]) for place in places)
    total = sum(count * math.log(before[seen] / count) for (seen, _), count in pairs.items())
    return total / len(places)


def entropy_after_context_nats(text: Sequence[int], context: int) -> float:
    """Take the entropy of a context with the symbol after it, less that of the context."""

    def nats(things: list[Any]) -> float:
        return entropy([count / len(things) for count in Counter(things).values()], base=math.e)

    stretches = [tuple(text[at - context : at + 1]) for at in range(context, len(text))]
    return nats(stretches) - nats([stretch[:-1] for stretch in stretches])


def block_entropy_difference(text: Sequence[int], *, context: int) -> float:
    """Take the entropy of all stretches of context + 1 symbols, less that of all stretches of context symbols."""

    def nats(length: int) -> float:
        seen = Counter(tuple(text[at : at + length]) for at in range(len(text) - length + 1))
        return sum(count / seen.total() * math.log(seen.total() / count) for count in seen.values())

    return nats(context + 1) - nats(context)


def with_contexts(key: Callable[[Sequence[int]], Any]) -> Callable[..., float]:
    """Return an answer that takes contexts with one key for the same."""

    def answer(text: Sequence[int], *, context: int) -> float:
        pairs = [(key(text[place - context : place]), text[place]) for place in range(context, len(text))]
        before = Counter(seen for seen, _ in pairs)
        return sum(math.log(before[seen] / count) * count for (seen, _), count in Counter(pairs).items()) / len(pairs)

    return answer


def texts(st: Any) -> Any:
    def inputs(context: int) -> Any:
        symbols = st.integers(0, 2 if context < 2 else 1)
        text = st.lists(symbols, min_size=context + 1, max_size=14) | st.lists(symbols, min_size=12, max_size=14)
        return st.fixed_dictionaries({"text": text, "context": st.just(context)})

    return st.sampled_from([3, 2, 1, 0]).flatmap(inputs) | st.integers(2, 31).map(alike_in_base)


def alike_in_base(base: int) -> Inputs:
    """Return a text in which contexts would be one number, read as two digits of this base from either end."""
    return {"text": [base, 0, 2, 0, 1, 3, 0, base, 2, 1, 0, 3], "context": 2}


def decided_by_the_first(context: int) -> Inputs:
    """Return a text in which the first symbol of a context says what comes, and a model that sees less cannot know."""
    middle = [1, 0, 1, 1, 0, 0, 1][: context - 1]
    return {"text": [2, *middle, 2, 0, *middle, 0, 2, *middle, 2, 0, *middle, 0], "context": context}


FAR = [decided_by_the_first(context) for context in (4, 5, 6, 7, 8)]


# of the 3,000 symbols of the statement, which take NumPy to draw; a test computes them
FLOORS_NATS = (3.334, 1.594, 1.361, 0.945, 0.495, 0.195)


def taught() -> str:
    told = ", ".join(f"{nats:.3f}" for nats in FLOORS_NATS)
    return (
        f"For contexts of 0 to {len(FLOORS_NATS) - 1} symbols it is {told} nats: contexts become unique, and what is "
        "unique is certain. On fresh text these models are no better than that of one symbol, and where they gave a "
        "chance of 0 their loss is infinite. So measure on text that was not trained on."
    )


EXERCISE = Exercise(
    loss_floor_nats,
    number=3,
    asked="the least mean loss in nats that a model with this context can have on this text",
    expected=entropy_after_context_nats,
    examples=[
        {"text": [0, 1, 0, 2, 0, 1], "context": 1},
        {"text": [0, 1], "context": 0},
        {"text": [0, 1, 0, 1], "context": 1},
        {"text": [0], "context": 0},
        {"text": [0, 0, 1, 0, 0, 1, 1, 0, 2], "context": 1},
        {"text": [1, 11, 0, 11, 1, 2], "context": 2},
        *map(alike_in_base, (10, 16, 31)),
        *FAR,
        {"text": [0, 0, 1, 0, 0, 2, 1, 0, 2, 0, 0, 1], "context": 2},
    ],
    inputs=texts,
    units={"result": "nats"},
    taught=taught,
    mistakes=[
        Mistake("floor_in_bits", "These are bits; nats take the natural logarithm.", {"math.log(": "math.log2("}),
        Mistake(
            "divides_by_the_whole_text",
            "The first symbols are not predicted: divide by those that are.",
            {"/ len(places)": "/ len(text)"},
        ),
        Mistake(
            "adds_the_losses",
            "This is the loss of the whole text; divide by the number of symbols predicted.",
            {" / len(places)": ""},
        ),
        Mistake(
            "sees_no_context",
            "The model sees the context: this is the loss of one that sees nothing.",
            {"    places = ": "    text, context = text[context:], 0\n    places = "},
        ),
        Mistake(
            "pays_for_the_context",
            "This also pays for the context, which the model is given.",
            {"before[seen] / count": "len(places) / count"},
        ),
        Mistake(
            "joins_the_digits",
            "Contexts are mixed up: 1, 11 and 11, 1 are the same digits. Keep them as tuples.",
            with_contexts(lambda seen: "".join(map(str, seen))),
        ),
        Mistake(
            "reads_contexts_as_decimal_digits",
            "Contexts are mixed up: in base 10 the symbols 10, 0 make the number that 0, 1 make. Keep them as tuples.",
            with_contexts(lambda seen: sum(symbol * 10**place for place, symbol in enumerate(seen))),
        ),
        Mistake(
            "forgets_the_order_of_the_context",
            "The order counts: after 0, 1 something else may come than after 1, 0.",
            with_contexts(lambda seen: tuple(sorted(seen))),
        ),
        Mistake(
            "subtracts_entropies_of_two_texts",
            "This counts one context more than stretches with a symbol after them: the last one has none.",
            block_entropy_difference,
        ),
        Mistake(
            "averages_over_contexts",
            "A context counts as often as it comes: do not take a plain mean over contexts.",
            {"sum(count *": "sum(count / before[seen] *", "/ len(places)": "/ len(before)"},
        ),
    ],
)
