"""The coder: what goes in comes out, its length meets the bound, Huffman is optimal; and bits of a real gradient."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.information import entropy_coder
from snippets.background.information.entropy_coder import (
    compress,
    decode,
    decompress,
    encode,
    huffman_lengths,
    information_bits,
    overhead_bits,
    prefix_words,
    quantise,
)
from snippets.background.information.formulas import (
    cross_entropy,
    entropy,
    quantised_gaussian_bits,
    source_coding_bounds,
)
from snippets.background.probability.simulators import batch_gradients, draw_batches, draw_regression

FREQUENCIES = st.lists(st.integers(0, 10**6) | st.sampled_from([0, 1, 2**40, 2**90]), min_size=1, max_size=12).filter(
    any
)


@given(FREQUENCIES, st.data())
def test_any_message_under_any_table_comes_back_within_the_bound(frequencies: list[int], data: st.DataObject) -> None:
    allowed = [symbol for symbol, frequency in enumerate(frequencies) if frequency]
    symbols = data.draw(st.lists(st.sampled_from(allowed), max_size=60))
    code = encode(symbols, frequencies)
    assert decode(code, frequencies, length=len(symbols)) == symbols
    ideal = information_bits(symbols, frequencies)
    assert 8 * len(code) <= ideal + overhead_bits(len(symbols), total=sum(frequencies)) + 1e-9
    assert 8 * len(code) >= ideal


@given(st.binary(max_size=300))
def test_any_bytes_come_back(message: bytes) -> None:
    code = encode(list(message), [1] * 256)
    assert bytes(decode(code, [1] * 256, length=len(message))) == message
    assert bytes(decompress(compress(list(message)).data)) == message


@given(st.lists(st.integers(-5, 5) | st.integers(), max_size=50))
def test_any_integers_come_back_from_a_message_of_its_own(values: list[int]) -> None:
    message = compress(values)
    assert decompress(message.data) == values
    assert message.length == len(values)
    counts = Counter(values)
    if values:
        assert message.entropy_bits == pytest.approx(entropy([count / len(values) for count in counts.values()]))
        bound = len(values) * message.entropy_bits + overhead_bits(len(values), total=len(values))
        assert 8 * (len(message.data) - message.header_bytes) <= bound + 1e-9
        assert message.bits_per_number == 8 * len(message.data) / len(values)
        assert message.code_bits_per_number == 8 * (len(message.data) - message.header_bytes) / len(values)


def test_arrays_are_read_row_by_row() -> None:
    assert decompress(compress(np.array([[1, -2], [3, -2]], dtype=np.int8)).data) == [1, -2, 3, -2]
    assert compress([]).bits_per_number == compress([]).code_bits_per_number == 0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_information_of_a_message_is_its_cross_entropy(symbols: list[int], frequencies: list[int]) -> None:
    p = [symbols.count(symbol) / len(symbols) for symbol in range(6)]
    q = [frequency / sum(frequencies) for frequency in frequencies]
    assert information_bits(symbols, frequencies) == pytest.approx(len(symbols) * cross_entropy(p, q), abs=1e-9)
    own = information_bits(symbols, [symbols.count(symbol) for symbol in range(6)])
    assert own == pytest.approx(len(symbols) * entropy(p), abs=1e-9)
    assert own <= information_bits(symbols, frequencies) + 1e-9


def test_no_code_for_all_messages_beats_the_bound() -> None:
    """Codes of the 3⁵ messages with 2 bits of entropy a symbol on average: their mean length is at least n·H."""
    frequencies, n = [5, 2, 1], 5
    chance = [Fraction(frequency, 8) for frequency in frequencies]
    mean = Fraction(0)
    for symbols in product(range(3), repeat=n):
        mean += math.prod(chance[symbol] for symbol in symbols) * 8 * len(encode(symbols, frequencies))
    least = n * entropy([float(share) for share in chance])
    assert least <= float(mean) <= least + overhead_bits(n, total=8)


@pytest.mark.parametrize("skew", [0.5, 0.9, 0.999])
def test_long_messages_meet_the_source_coding_bound(skew: float) -> None:
    """A coin far from fair: below 1 bit a symbol, where a code with whole bits for each symbol cannot go."""
    n = 40_000
    symbols = (np.random.default_rng(1).random(n) >= skew).astype(int).tolist()
    frequencies = [round(skew * 1000), 1000 - round(skew * 1000)]
    code = encode(symbols, frequencies)
    assert decode(code, frequencies, length=n) == symbols
    ideal = information_bits(symbols, frequencies)
    assert ideal <= 8 * len(code) <= ideal + 45
    assert 8 * len(code) / n == pytest.approx(entropy([skew, 1 - skew]), rel=0.1)


def test_the_message_of_one_symbol_takes_no_bits() -> None:
    assert len(encode([0] * 10_000, [7])) == len(encode([], [7])) == 4
    assert decode(encode([0] * 10_000, [7]), [7], length=10_000) == [0] * 10_000


@given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.data())
def test_a_damaged_code_never_passes_for_another_message_of_its_table(symbols: list[int], data: st.DataObject) -> None:
    """The state must end where it began: too short, too long, and most flips are noticed; none hangs."""
    frequencies = [3, 2, 1]
    code = encode(symbols, frequencies)
    for damaged in (code[:-1], code + b"\0", b"\0" + code):
        try:
            other = decode(damaged, frequencies, length=len(symbols))
        except ValueError:
            continue
        assert encode(other, frequencies) == damaged or damaged.startswith(b"\0")
    place = data.draw(st.integers(0, len(code) - 1))
    flipped = bytes([*code[:place], code[place] ^ data.draw(st.integers(1, 255)), *code[place + 1 :]])
    try:
        other = decode(flipped, frequencies, length=len(symbols))
    except ValueError:
        return
    assert other != symbols


@given(st.binary(max_size=40))
def test_arbitrary_bytes_are_refused_or_read(data: bytes) -> None:
    refusal = "data must be"
    try:
        decompress(data)
    except ValueError as error:
        refusal = str(error)
    assert refusal.startswith("data must be")


def shortest_mean(frequencies: list[int]) -> Fraction:
    """The least mean length over all lengths that Kraft's inequality allows a prefix code."""
    used = [frequency for frequency in frequencies if frequency]
    if len(used) == 1:
        return Fraction(0)
    allowed = (
        sum(f * length for f, length in zip(used, lengths, strict=True))
        for lengths in product(range(1, len(used)), repeat=len(used))
        if sum(Fraction(1, 2**length) for length in lengths) <= 1
    )
    return Fraction(min(allowed, default=sum(used)), sum(used))


@settings(max_examples=examples(40))
@given(st.lists(st.integers(0, 20), min_size=1, max_size=5).filter(any))
def test_huffman_is_the_shortest_prefix_code(frequencies: list[int]) -> None:
    lengths = huffman_lengths(frequencies)
    mean = Fraction(sum(f * length for f, length in zip(frequencies, lengths, strict=True)), sum(frequencies))
    assert mean == shortest_mean(frequencies)
    low, high = source_coding_bounds([f / sum(frequencies) for f in frequencies])
    assert low - 1e-12 <= float(mean) < high


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=20))
def test_huffman_s_words_are_read_back_without_marks(frequencies: list[int]) -> None:
    lengths = huffman_lengths(frequencies)
    words = prefix_words(lengths)
    assert tuple(map(len, words)) == lengths
    assert len(set(words)) == len(words)
    assert not any(other.startswith(word) for word in words for other in words if other != word)
    assert sum(Fraction(1, 2**length) for length in lengths) == 1


@given(st.lists(st.integers(0, 6), max_size=12))
def test_words_exist_exactly_where_kraft_s_sum_allows_them(lengths: list[int]) -> None:
    if sum(Fraction(1, 2**length) for length in lengths if length) <= 1:
        assert [len(word) for word in prefix_words(lengths)] == lengths
    else:
        with pytest.raises(ValueError, match="lengths must have"):
            prefix_words(lengths)


def test_huffman_of_the_textbook() -> None:
    """Cover and Thomas 2006, example 5.6.1: mean length 2.3 bits."""
    frequencies = [25, 25, 20, 15, 15]
    lengths = huffman_lengths(frequencies)
    assert sorted(lengths) == [2, 2, 2, 3, 3]
    assert sum(f * length for f, length in zip(frequencies, lengths, strict=True)) == 230
    assert huffman_lengths([0, 3, 0]) == (0, 0, 0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.floats(1e-3, 1e3))
def test_rounding_is_to_a_nearest_multiple(values: list[float], step: float) -> None:
    multiples = quantise(np.array(values), step=step)
    assert np.abs(multiples * step - values).max() <= step * 0.5000001
    expected = [round(value / step) for value in values]  # Python rounds ties to even too
    assert multiples.tolist() == expected
    at_random = quantise(np.array(values), step=step, generator=np.random.default_rng(0))
    assert np.abs(at_random * step - values).max() < step * 1.0000001


def test_rounding_at_random_keeps_the_expectation() -> None:
    values = np.array([0.1, -0.3, 2.75, 4.0])
    many = quantise(np.tile(values, (40_000, 1)), step=1.0, generator=np.random.default_rng(2))
    assert many.mean(axis=0) == pytest.approx(values, abs=0.01)
    assert set(many[:, 3].tolist()) == {4}
    assert set(many[:, 1].tolist()) == {-1, 0}


def test_the_coder_takes_the_bits_that_the_formula_foretells() -> None:
    values = np.random.default_rng(3).standard_normal(100_000)
    for step in (4.0, 1.0, 1 / 16):
        message = compress(quantise(values, step=step))
        expected = quantised_gaussian_bits(std=1.0, step=step)
        assert message.code_bits_per_number == pytest.approx(expected, abs=0.01)
        assert decompress(message.data) == quantise(values, step=step).ravel().tolist()


def test_a_converged_gradient_compresses_well_only_if_you_stop_looking() -> None:
    """The claim of the corrections list, measured: bits of a batch gradient before and after training.

    With one step size for both, fewer bits follow from the smaller norm. With the same relative precision, which is
    what the update needs, the trained gradient takes as many bits as the untrained: noise has entropy.
    """
    generator = np.random.default_rng(11)
    problem = draw_regression(generator, examples=4000, dimension=500, noise=1.0)
    trained = problem.at(np.linalg.lstsq(problem.x, problem.y, rcond=None)[0])
    indices = draw_batches(generator, population=4000, batch_size=64, batches=40)
    before, after = (batch_gradients(p.example_gradients(), indices) for p in (problem, trained))
    size_before, size_after = (float(np.sqrt((g**2).mean())) for g in (before, after))
    assert np.linalg.norm(trained.full_gradient()) < 1e-9 * np.linalg.norm(problem.full_gradient())
    assert size_after > 0.02 * size_before  # the full gradient vanishes, the batches' gradients do not
    fixed = [bits(gradient, size_before / 64) for gradient in (before, after)]
    relative = [bits(before, size_before / 64), bits(after, size_after / 64)]
    assert fixed[0] - fixed[1] == pytest.approx(math.log2(size_before / size_after), abs=0.15)
    assert relative[1] == pytest.approx(relative[0], abs=0.1)
    assert relative[1] == pytest.approx(quantised_gaussian_bits(std=64.0, step=1.0), abs=0.1)


def bits(gradient: np.ndarray, step: float) -> float:
    """Measured bits per entry of a gradient rounded to multiples of a step."""
    return compress(quantise(gradient, step=step)).code_bits_per_number


loose: Any = entropy_coder  # the calls below break the annotations on purpose
REFUSED = [
    (lambda: loose.encode([0], [0, 1]), "symbols must have frequencies above 0, got the symbol 0"),
    (lambda: loose.encode([2], [1, 1]), "symbols must hold integers from 0 to 1, got 2"),
    (lambda: loose.encode([-1], [1, 1]), "symbols must hold integers from 0 to 1, got -1"),
    (lambda: loose.encode([0.5], [1, 1]), "symbols must be an array of integers"),
    (lambda: loose.encode("ab", [1, 1]), "symbols must have 1 dimensions"),
    (lambda: loose.encode([0], []), "frequencies must hold one above 0"),
    (lambda: loose.encode([0], [0]), "frequencies must hold one above 0"),
    (lambda: loose.encode([0], [1.5]), r"frequencies\[0\] must be an integer of at least 0"),
    (lambda: loose.encode([0], [-1, 2]), r"frequencies\[0\] must be an integer of at least 0"),
    (lambda: loose.encode([0], 3), "frequencies must be a sequence"),
    (lambda: loose.decode("abcd", [1], length=0), "code must be bytes"),
    (lambda: loose.decode(b"", [1], length=0), "code must be what encode returned for 0 symbols"),
    (lambda: loose.decode(b"\1\0\0\0", [1], length=-1), "length must be"),
    (lambda: loose.decode(b"\1\0\0\0", [1], length=10**12), "length must be at most"),
    (lambda: loose.decode(b"\1\0\0\0", [1, 1], length=1), "code must be what encode returned for 1 symbols"),
    (lambda: loose.huffman_lengths([0, 0]), "frequencies must hold one above 0"),
    (lambda: loose.overhead_bits(-1, total=1), "length must be"),
    (lambda: loose.overhead_bits(1, total=0), "total must be"),
    (lambda: loose.compress([1.5]), r"values\[0\] must be an integer"),
    (lambda: loose.compress([True]), r"values\[0\] must be an integer"),
    (lambda: loose.compress(np.array([1.5])), "values must be an array of integers"),
    (lambda: loose.compress(7), "values must be a sequence"),
    (lambda: loose.decompress("a"), "data must be bytes"),
    (lambda: loose.decompress(b""), "data must be what compress returned, got too few bytes"),
    (lambda: loose.decompress(b"\0\0"), "data must be what compress returned, got bytes after an empty message"),
    (
        lambda: loose.decompress(loose.compress([1, 2]).data + b"\0"),
        "data must be what compress returned: code must be",
    ),
    (lambda: loose.quantise([math.nan], step=1.0), "values must hold finite numbers"),
    (lambda: loose.quantise([1.0], step=0.0), "step must be"),
    (lambda: loose.quantise([1.0], step=1e-17), "step must be at least the largest of the values"),
    (lambda: loose.quantise([1e300], step=1e-300), "step must be at least the largest of the values"),
    (lambda: loose.quantise([1.0], step=1.0, generator=3), "generator must be a numpy.random.Generator"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()


def test_information_of_an_impossible_symbol_is_infinite() -> None:
    assert loose.information_bits([0, 1], [1, 0]) == math.inf
