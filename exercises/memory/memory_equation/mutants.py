"""Typical wrong answers to chapter 21's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

from collections.abc import Iterable

from exercises.grading import mutant
from exercises.memory.memory_equation import solution

Peak = tuple[int, list[str]]


def _prefixes(events: Iterable[tuple[str, int]]) -> list[dict[str, int]]:
    """Return what is held after each event, and before the first."""
    held: dict[str, int] = {}
    states: list[dict[str, int]] = [{}]
    for name, change in events:
        if change > 0:
            held[name] = change
        else:
            del held[name]
        states.append(dict(held))
    return states


def _total(held: dict[str, int]) -> int:
    return sum(held.values())


@mutant("peak_and_live", says="The peak is reached more than once; asked is who is held the first time.")
def takes_the_last_time(events: Iterable[tuple[str, int]]) -> Peak:
    states = _prefixes(events)
    worst = max(reversed(states), key=_total)
    return _total(worst), list(worst)


@mutant("peak_and_live", says="This is what is held in the end; the peak is somewhere on the way.")
def looks_at_the_end(events: Iterable[tuple[str, int]]) -> Peak:
    last = _prefixes(events)[-1]
    return _total(last), list(last)


@mutant("peak_and_live", says="These names are held in the end, not at the peak: note them when the peak is reached.")
def names_the_end(events: Iterable[tuple[str, int]]) -> Peak:
    states = _prefixes(events)
    return max(map(_total, states)), list(states[-1])


@mutant("peak_and_live", says="This adds up all allocations; what was freed before is not held any more.")
def never_frees(events: Iterable[tuple[str, int]]) -> Peak:
    made = [(name, change) for name, change in events if change > 0]
    return sum(change for _, change in made), [name for name, _ in made]


@mutant("peak_and_live", says="The names are asked for in the order of allocation, not of size.")
def sorts_by_size(events: Iterable[tuple[str, int]]) -> Peak:
    worst = max(_prefixes(events), key=_total)
    return _total(worst), sorted(worst, key=lambda name: -worst[name])


@mutant(
    "peak_and_live", says="A name that is used again stands where it was allocated last, not where it came up first."
)
def keeps_the_first_place(events: Iterable[tuple[str, int]]) -> Peak:
    first: list[str] = []
    for name, _ in events:
        first += [name] * (name not in first)
    worst = max(_prefixes(events), key=_total)
    return _total(worst), sorted(worst, key=first.index)


@mutant("peak_and_live", says="This is the largest tensor alone; at the peak others are held beside it.")
def takes_the_largest_tensor(events: Iterable[tuple[str, int]]) -> Peak:
    name, size = max(events, key=lambda event: event[1], default=("", 0))
    return size, [name] * bool(name)


@mutant("peak_and_live", says="This is right for one input only: no events.")
def holds_nothing(events: Iterable[tuple[str, int]]) -> Peak:
    return 0, []


@mutant("llama_layer_bytes", says="These are values; one of 16 bits has 2 bytes, the log-sum-exp 4.")
def counts_values(*, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (6 * hidden + 2 * shared + 4 * width + heads)


@mutant("llama_layer_bytes", says="Keys and values have fewer heads than queries: they are not as wide as the stream.")
def widens_keys_and_values(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    return solution.llama_layer_bytes(
        sequence=sequence, micro_batch=micro_batch, hidden=hidden, heads=heads, key_value_heads=heads, width=width
    )


@mutant("llama_layer_bytes", says="Keys or values are missing: both are kept.")
def forgets_the_values(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 2 * shared + 8 * width + 4 * heads)


@mutant("llama_layer_bytes", says="Flash attention keeps a log-sum-exp for each token and head, in float32.")
def forgets_the_log_sum_exp(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width)


@mutant("llama_layer_bytes", says="The log-sum-exp has 4 bytes: it is the one that stays in float32.")
def halves_the_log_sum_exp(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 2 * heads)


@mutant("llama_layer_bytes", says="Flash attention stores no matrix of scores; it recomputes them.")
def stores_the_scores(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 4 * shared + 8 * width + 2 * heads * sequence)


@mutant("llama_layer_bytes", says="A norm's input is kept too, beside the input of the block behind it.")
def forgets_the_norms(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (8 * hidden + 4 * shared + 8 * width + 4 * heads)


@mutant(
    "llama_layer_bytes",
    says="Four tensors have the inner width: the outputs of W₁ and W₂, the silu's output, and the product.",
)
def forgets_the_product(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    shared = hidden // heads * key_value_heads
    return sequence * micro_batch * (12 * hidden + 4 * shared + 6 * width + 4 * heads)


@mutant("llama_layer_bytes", says="This is right for one input only: every size is 1.")
def knows_the_smallest_layer(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    return 28


@mutant("largest_micro_batch", says="This rounds up: the last sequence does not fit any more.")
def rounds_up(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return -(-max(0, memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes))


@mutant("largest_micro_batch", says="The state is there whatever the micro-batch: take it off the memory first.")
def forgets_the_state(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return memory_bytes // (layers * layer_bytes + other_bytes)


@mutant("largest_micro_batch", says="A sequence costs layer_bytes in every layer, not once.")
def counts_one_layer(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return max(0, memory_bytes - state_bytes) // (layer_bytes + other_bytes)


@mutant("largest_micro_batch", says="other_bytes are needed once for a sequence, not in every layer.")
def repeats_the_rest(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return max(0, memory_bytes - state_bytes) // (layers * (layer_bytes + other_bytes))


@mutant("largest_micro_batch", says="Every sequence needs other_bytes, not only the first.")
def pays_the_rest_once(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return max(0, memory_bytes - state_bytes - other_bytes) // (layers * layer_bytes)


@mutant("largest_micro_batch", says="Where the state does not fit, the result is 0, no negative number.")
def goes_below_zero(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return (memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes)


@mutant("largest_micro_batch", says="A peak that fills the memory exactly fits.")
def leaves_a_byte(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return max(0, memory_bytes - state_bytes - 1) // (layers * layer_bytes + other_bytes)


@mutant("largest_micro_batch", says="This is right for one input only, in which exactly one sequence fits.")
def fits_one(*, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> int:
    return 1
