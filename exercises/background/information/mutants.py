"""Typical wrong answers to chapter A4's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from itertools import product

from exercises.grading import mutant


def entropy_bits(weights: Sequence[float]) -> float:
    return -sum(weight * math.log2(weight) for weight in weights if weight)


def divergence_bits(p: Sequence[float], q: Sequence[float]) -> float:
    return sum(a * math.log2(a / b) if b else math.inf for a, b in zip(p, q, strict=True) if a)


@mutant("entropy_and_divergence_bits", says="These are nats: divide by ln 2, or take the logarithm to base 2.")
def takes_natural_logarithms(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    return entropy_bits(p) * math.log(2), divergence_bits(p, q) * math.log(2)


@mutant(
    "entropy_and_divergence_bits", says="The second is the cross-entropy; the divergence is what it exceeds H(p) by."
)
def returns_the_cross_entropy(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    return entropy_bits(p), entropy_bits(p) + divergence_bits(p, q)


@mutant("entropy_and_divergence_bits", says="This is D(q ‖ p): the symbols follow p, so the mean is taken with p.")
def swaps_truth_and_model(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    return entropy_bits(p), divergence_bits(q, p)


@mutant("entropy_and_divergence_bits", says="The difference of two entropies is no divergence: it can be negative.")
def subtracts_two_entropies(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    return entropy_bits(p), entropy_bits(q) - entropy_bits(p)


@mutant("entropy_and_divergence_bits", says="A symbol that q rules out and p does not makes the divergence infinite.")
def leaves_out_what_the_model_rules_out(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    return entropy_bits(p), sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a and b)


@mutant("entropy_and_divergence_bits", says="A symbol of probability 0 never comes: leave it out, since 0·log 0 is 0.")
def takes_the_logarithm_of_zero(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    bits = -sum(a * math.log2(a) for a in p)
    return bits, divergence_bits(p, q)


@mutant("entropy_and_divergence_bits", says="This is right for one input only: it does not look at p and q.")
def is_always_a_fair_coin(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    return 1.0, 0.0


def mean_nats(chances: Sequence[float]) -> float:
    return sum(-math.log(chance) if chance else math.inf for chance in chances) / len(chances)


@mutant("perplexity_of_text", says="This is the loss in nats; the perplexity undoes the logarithm, e to the loss.")
def returns_the_loss(token_probabilities: Sequence[float]) -> float:
    return mean_nats(token_probabilities)


@mutant("perplexity_of_text", says="Base and unit differ: 2 undoes bits, and a loss in nats is undone by e.")
def raises_two_to_nats(token_probabilities: Sequence[float]) -> float:
    return float(2 ** mean_nats(token_probabilities))


@mutant("perplexity_of_text", says="A perplexity is per token: take the mean of the logarithms, not their sum.")
def takes_the_sum(token_probabilities: Sequence[float]) -> float:
    return math.exp(mean_nats(token_probabilities) * len(token_probabilities))


@mutant("perplexity_of_text", says="Average the logarithms: this is the mean of 1/p, which rare tokens rule.")
def averages_the_inverses(token_probabilities: Sequence[float]) -> float:
    chances = token_probabilities
    return sum(1 / chance if chance else math.inf for chance in chances) / len(chances)


@mutant("perplexity_of_text", says="Average the logarithms: this is one over the mean probability.")
def inverts_the_mean(token_probabilities: Sequence[float]) -> float:
    total = sum(token_probabilities)
    return len(token_probabilities) / total if total else math.inf


@mutant("perplexity_of_text", says="The sign of the loss is lost: a perplexity is at least 1.")
def forgets_the_minus(token_probabilities: Sequence[float]) -> float:
    return math.exp(-mean_nats(token_probabilities))


@mutant("perplexity_of_text", says="The probabilities are of tokens that came: each counts once, not p times.")
def weights_by_probability(token_probabilities: Sequence[float]) -> float:
    return float(2 ** entropy_bits(token_probabilities))


@mutant("perplexity_of_text", says="This is right for one input only: it does not look at the probabilities.")
def is_always_four(token_probabilities: Sequence[float]) -> float:
    return 4.0


def merged_bits(weights: list[float]) -> float:
    heapq.heapify(weights)
    bits = 0.0
    while len(weights) > 1:
        merged = heapq.heappop(weights) + heapq.heappop(weights)
        bits += merged
        heapq.heappush(weights, merged)
    return bits


def words_of(probabilities: Sequence[float], block: int) -> list[float]:
    return [math.prod(word) for word in product(probabilities, repeat=block)]


@mutant("huffman_bits_per_symbol", says="These are bits per block: divide by the number of symbols in one.")
def counts_per_block(probabilities: Sequence[float], *, block: int) -> float:
    return merged_bits(words_of(probabilities, block))


@mutant("huffman_bits_per_symbol", says="This codes each symbol by itself; a block shares one word.")
def ignores_the_block(probabilities: Sequence[float], *, block: int) -> float:
    return merged_bits(list(probabilities))


@mutant("huffman_bits_per_symbol", says="This is the entropy, which a code with whole words seldom meets.")
def returns_the_entropy(probabilities: Sequence[float], *, block: int) -> float:
    return entropy_bits(probabilities)


@mutant("huffman_bits_per_symbol", says="Words of ⌈−log₂ p⌉ bits are a prefix code, but not the shortest.")
def rounds_each_word_up(probabilities: Sequence[float], *, block: int) -> float:
    return sum(word * math.ceil(-math.log2(word)) for word in words_of(probabilities, block)) / block


@mutant("huffman_bits_per_symbol", says="A merged tree competes with the others by its weight: put it back in order.")
def merges_in_a_chain(probabilities: Sequence[float], *, block: int) -> float:
    words = sorted(words_of(probabilities, block))
    bits, merged = 0.0, words[0]
    for word in words[1:]:
        merged += word
        bits += merged
    return bits / block


@mutant("huffman_bits_per_symbol", says="Rare blocks have long words: weight the lengths by the probabilities.")
def gives_all_words_one_length(probabilities: Sequence[float], *, block: int) -> float:
    return math.ceil(math.log2(len(probabilities) ** block)) / block


@mutant("huffman_bits_per_symbol", says="This is right for one input only: it does not look at the probabilities.")
def is_always_one_bit(probabilities: Sequence[float], *, block: int) -> float:
    return 1.0


def floor_sum(text: Sequence[int], context: int) -> float:
    places = range(context, len(text))
    pairs = Counter((tuple(text[place - context : place]), text[place]) for place in places)
    before = Counter(tuple(text[place - context : place]) for place in places)
    return sum(count * math.log(before[seen] / count) for (seen, _), count in pairs.items())


@mutant("loss_floor_nats", says="These are bits; nats take the natural logarithm.")
def floor_in_bits(text: Sequence[int], *, context: int) -> float:
    return floor_sum(text, context) / (len(text) - context) / math.log(2)


@mutant("loss_floor_nats", says="The first symbols are not predicted: divide by those that are.")
def divides_by_the_whole_text(text: Sequence[int], *, context: int) -> float:
    return floor_sum(text, context) / len(text)


@mutant("loss_floor_nats", says="This is the loss of the whole text; divide by the number of symbols predicted.")
def adds_the_losses(text: Sequence[int], *, context: int) -> float:
    return floor_sum(text, context)


@mutant("loss_floor_nats", says="The model sees the context: this is the loss of one that sees nothing.")
def sees_no_context(text: Sequence[int], *, context: int) -> float:
    return floor_sum(text[context:], 0) / (len(text) - context)


@mutant("loss_floor_nats", says="This also pays for the context, which the model is given.")
def pays_for_the_context(text: Sequence[int], *, context: int) -> float:
    stretches = [tuple(text[at : at + context + 1]) for at in range(len(text) - context)]
    counts = Counter(stretches).values()
    return sum(count * math.log(len(stretches) / count) for count in counts) / len(stretches)


@mutant("loss_floor_nats", says="The context at the end has no symbol after it: do not count it.")
def counts_the_last_context(text: Sequence[int], *, context: int) -> float:
    places = range(context, len(text))
    pairs = Counter((tuple(text[place - context : place]), text[place]) for place in places)
    before = Counter(tuple(text[place - context : place]) for place in range(context, len(text) + 1))
    return sum(count * math.log(before[seen] / count) for (seen, _), count in pairs.items()) / len(places)


@mutant("loss_floor_nats", says="A context counts as often as it comes: do not take a plain mean over contexts.")
def averages_over_contexts(text: Sequence[int], *, context: int) -> float:
    followers: dict[tuple[int, ...], Counter[int]] = {}
    for place in range(context, len(text)):
        followers.setdefault(tuple(text[place - context : place]), Counter())[text[place]] += 1
    losses = [
        sum(n * math.log(after.total() / n) for n in after.values()) / after.total() for after in followers.values()
    ]
    return sum(losses) / len(losses)


@mutant("loss_floor_nats", says="This is right for one input only: it does not look at the text.")
def is_always_one_fair_choice(text: Sequence[int], *, context: int) -> float:
    return math.log(2)


def sums_of(probabilities: Sequence[float], ranks: int) -> list[list[float]]:
    """The distributions of the sums of 0, 1, …, ``ranks`` integers."""
    totals = [[1.0]]
    for _ in range(ranks):
        longer = [0.0] * (len(totals[-1]) + len(probabilities) - 1)
        for value, share in enumerate(totals[-1]):
            for more, chance in enumerate(probabilities):
                longer[value + more] += share * chance
        totals.append(longer)
    return totals


@mutant("partial_sum_bits", says="A sum tells less than the list of its terms: entropies of terms do not add up here.")
def adds_entropies(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [count * entropy_bits(probabilities) for count in range(1, ranks + 1)]


@mutant("partial_sum_bits", says="The ranks draw independently: the sum of k is not k times one of them.")
def multiplies_one_integer(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [entropy_bits(probabilities)] * ranks


@mutant("partial_sum_bits", says="The first entry is the sum of one integer, not of none.")
def starts_with_nothing(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [entropy_bits(total) for total in sums_of(probabilities, ranks)[:-1]]


@mutant("partial_sum_bits", says="These are nats: divide by ln 2, or take the logarithm to base 2.")
def sums_in_nats(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [entropy_bits(total) * math.log(2) for total in sums_of(probabilities, ranks)[1:]]


@mutant("partial_sum_bits", says="Each hop adds one rank's integer; this doubles the number of ranks.")
def doubles_the_ranks(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    totals = sums_of(probabilities, 2 ** (ranks - 1))
    return [entropy_bits(totals[2**hop]) for hop in range(ranks)]


@mutant("partial_sum_bits", says="Half a bit per doubling is the rule for many ranks, not what these sums have.")
def uses_the_rule_for_many(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [entropy_bits(probabilities) + math.log2(count) / 2 for count in range(1, ranks + 1)]


@mutant(
    "partial_sum_bits",
    says="This is the last sum alone; the entropies of all partial sums are asked, the first included.",
)
def keeps_only_the_last(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [entropy_bits(sums_of(probabilities, ranks)[-1])]


@mutant("partial_sum_bits", says="This is right for one input only: it does not look at the probabilities.")
def is_always_one_coin(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    return [1.0]
