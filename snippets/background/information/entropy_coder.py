"""Simulators: a real entropy coder, Huffman's code, and the quantiser that makes integers of a gradient.

The coder is an asymmetric numeral system in its range variant, rANS (a range coder is another thing: it narrows an
interval). Its state is one integer z. Coding a symbol of
frequency f out of a total of Z takes z to about z·Z/f, so that log₂ z grows by log₂(Z/f): the symbol's information.
Bytes leave at the lower end of z when it would grow too large. Decoding undoes the steps in the opposite order.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import Array, affordable, finite_array, index_array, random_generator
from snippets.background.information.formulas import entropy
from snippets.domain import at_most, each, nonnegative_integer, nonnegative_number, positive_integer, positive_number

STATE_BITS = 24  # the state stays at or above Z·2²⁴: a step then wastes at most 2⁻²⁴ of a nat

_LONGEST = 4096  # bits of a word; a longer one is a slip
_EXACT = 2**53  # up to here float64 holds every integer


def information_bits(symbols: Sequence[int], frequencies: Sequence[int]) -> float:
    """The information of a message under a table of frequencies, ``Σ log₂(Z/f)``: what an ideal coder would take.

    Where the table holds the message's own counts, this is its length times its entropy, the source-coding bound.

    Args:
        symbols: integers from 0 to the number of frequencies − 1.
        frequencies: f of each symbol, integers of at least 0; Z is their sum.

    Returns:
        Bits; infinite where the message holds a symbol of frequency 0.

    Raises:
        ValueError: an argument holds something else.

    Example:
        >>> information_bits([0, 1, 0, 2], [2, 1, 1])
        6.0
    """
    table = _Table(frequencies)
    counts = Counter(table.places(symbols))
    shares = ((count, table.frequencies[place]) for place, count in counts.items())
    return math.fsum(count * (math.log2(table.total) - math.log2(f)) if f else math.inf for count, f in shares)


def overhead_bits(length: int, *, total: int) -> float:
    """What ``encode`` takes at most beyond ``information_bits``: ``log₂ Z + STATE_BITS + 8 + J·2^(−STATE_BITS)/ln 2``.

    The state starts at Z·2²⁴ and is written out whole, in bytes. Rounding z/f down makes a step longer than
    log₂(Z/f) by at most ``log₂(1 + f/z)``, and z is at least 2²⁴·f.

    Args:
        length: J, symbols in the message, at least 0.
        total: Z, the sum of the frequencies, at least 1.

    Returns:
        Bits.

    Leaves out: the table, which the decoder must have; see ``compress``.

    Example:
        >>> round(overhead_bits(1_000_000, total=4096), 2)
        44.09
    """
    symbols = nonnegative_number("length", nonnegative_integer("length", length))
    return math.log2(positive_integer("total", total)) + STATE_BITS + 8 + symbols * 2.0**-STATE_BITS / math.log(2)


def encode(symbols: Sequence[int], frequencies: Sequence[int]) -> bytes:
    """Code a message in about as many bits as it has information under a table of frequencies.

    Args:
        symbols: J integers from 0 to the number of frequencies − 1, none with frequency 0.
        frequencies: f of each symbol, integers of at least 0 and not all 0, of any size.

    Returns:
        The code, ``information_bits + overhead_bits`` bits long at most. It tells neither J nor the table.

    Raises:
        ValueError: an argument holds something else.

    Source: Duda 2013 for asymmetric numeral systems.

    Example:
        >>> decode(encode([2, 0, 1, 1], [1, 2, 1]), [1, 2, 1], length=4)
        [2, 0, 1, 1]
    """
    table = _Table(frequencies)
    places = table.places(symbols)
    missing = next((place for place in places if not table.frequencies[place]), None)
    if missing is not None:
        raise ValueError(f"symbols must have frequencies above 0, got the symbol {missing}, whose frequency is 0")
    total, state, out = table.total, table.total << STATE_BITS, bytearray()
    slots = [(f, f << (STATE_BITS + 8), start) for f, start in zip(table.frequencies, table.starts, strict=True)]
    for place in reversed(places):  # the decoder meets the last coded first
        frequency, limit, start = slots[place]
        while state >= limit:
            out.append(state & 255)
            state >>= 8
        state = state // frequency * total + start + state % frequency
    return state.to_bytes((state.bit_length() + 7) // 8, "big") + bytes(reversed(out))


def decode(code: bytes, frequencies: Sequence[int], *, length: int) -> list[int]:
    """Read a message back from its code.

    Args:
        code: what ``encode`` returned.
        frequencies: the table that it was coded with.
        length: J, symbols in the message, at least 0.

    Returns:
        The J symbols.

    Raises:
        ValueError: an argument is out of its range, or the code is not that of a message of this length and table.

    Example:
        >>> decode(encode([], [1]), [1], length=0)
        []
    """
    table, count = _Table(frequencies), nonnegative_integer("length", length)
    affordable("length", count)
    stream = _bytes("code", code)
    low = table.total << STATE_BITS
    state = 0
    for byte in stream:
        state = state << 8 | byte
        if state >= low:
            break
    symbols = []
    for _ in range(count):
        if not low <= state < low << 8:
            break
        slot = state % table.total
        place = bisect_right(table.starts, slot) - 1
        state = state // table.total * table.frequencies[place] + slot - table.starts[place]
        symbols.append(place)
        while state < low and (more := next(stream, None)) is not None:
            state = state << 8 | more
    if len(symbols) < count or state != low or next(stream, None) is not None:
        size = len(code)
        raise ValueError(
            f"code must be what encode returned for {count} symbols with these frequencies, got {size} other bytes"
        )
    return symbols


def huffman_lengths(frequencies: Sequence[int]) -> tuple[int, ...]:
    """The code length in bits that Huffman's algorithm gives each symbol: no prefix code has a shorter mean.

    Args:
        frequencies: f of each symbol, integers of at least 0 and not all 0.

    Returns:
        One length per symbol; 0 for a symbol of frequency 0, which gets no code, and for one that is alone.

    Raises:
        ValueError: ``frequencies`` holds something else.

    Source: Huffman 1952.

    Example:
        >>> huffman_lengths([4, 2, 1, 1])
        (1, 2, 3, 3)
    """
    table = _Table(frequencies).frequencies
    lengths = [0] * len(table)
    trees = [(weight, place, [place]) for place, weight in enumerate(table) if weight]
    heapq.heapify(trees)
    while len(trees) > 1:
        (light, first, members), (heavy, _, others) = heapq.heappop(trees), heapq.heappop(trees)
        for place in members + others:
            lengths[place] += 1
        heapq.heappush(trees, (light + heavy, first, members + others))
    return tuple(lengths)


def prefix_words(lengths: Sequence[int]) -> tuple[str, ...]:
    """Words of given lengths, none the beginning of another: the leaves of a binary tree, handed out from the left.

    The shortest words come first, and equal lengths in their order. So the lengths alone tell a decoder the words.

    Args:
        lengths: of the words, in bits, each at least 0; one of 0 belongs to a symbol without a word.

    Returns:
        One word of 0s and 1s per length.

    Raises:
        ValueError: the lengths break Kraft's inequality, ``Σ 2^(−length) ≤ 1`` over the words; they are no integers.

    Source: Cover and Thomas 2006, theorem 5.2.1, for the construction.

    Example:
        >>> prefix_words([1, 2, 3, 3])
        ('0', '10', '110', '111')
    """
    bits = each("lengths", lengths, lambda name, length: at_most(name, length, _LONGEST))
    words, value, before = [""] * len(bits), 0, 0
    for place in sorted((place for place, length in enumerate(bits) if length), key=bits.__getitem__):
        value <<= bits[place] - before
        before = bits[place]
        if value >> before:
            raise ValueError(f"lengths must have 2^(−length) that sum to at most 1, got {list(bits)}")
        words[place] = f"{value:0{before}b}"
        value += 1
    return tuple(words)


@dataclass(frozen=True)
class Compressed:
    """A message of integers with all that is needed to read it back, and the account of its bytes.

    Attributes:
        data: header and code.
        header_bytes: bytes of the header: the different values, and how often each occurs.
        length: J, numbers in the message.
        entropy_bits: entropy of the values, in bits per number.

    Example:
        >>> message = compress([5] * 900 + [6] * 100)
        >>> message.header_bytes, len(message.data), round(message.entropy_bits * 1000 / 8, 1)
        (6, 69, 58.6)
    """

    data: bytes
    header_bytes: int
    length: int
    entropy_bits: float

    @property
    def code_bits_per_number(self) -> float:
        """Bits per number of the code alone; 0 for an empty message."""
        return 8 * (len(self.data) - self.header_bytes) / self.length if self.length else 0.0

    @property
    def bits_per_number(self) -> float:
        """Bits per number with the header; 0 for an empty message."""
        return 8 * len(self.data) / self.length if self.length else 0.0


def compress(values: Sequence[int] | Array) -> Compressed:
    """Code integers with a table of their own counts, which goes ahead of the code.

    Args:
        values: integers of any sign and size, a sequence or an array; an array is read row by row.

    Returns:
        The code with its header and account.

    Raises:
        ValueError: ``values`` holds something else.

    Convention: the header has the number of different values, then for each, in rising order, its distance from the one
    before and its count. These are in groups of 7 bits; the eighth says that more follow.

    Example:
        >>> message = compress([0, 0, 0, -1, 0, 2, 0, 0])
        >>> decompress(message.data), message.length, round(message.entropy_bits, 3)
        ([0, 0, 0, -1, 0, 2, 0, 0], 8, 1.061)
    """
    numbers = _integers("values", values)
    counts = Counter(numbers)
    alphabet = sorted(counts)
    header = bytearray(_varint(len(alphabet)))
    for before, value in zip([None, *alphabet], alphabet, strict=False):
        distance = 2 * abs(value) - (value < 0) if before is None else value - before
        header += _varint(distance) + _varint(counts[value])
    place = {value: index for index, value in enumerate(alphabet)}
    frequencies = [counts[value] for value in alphabet]
    code = encode([place[value] for value in numbers], frequencies) if numbers else b""
    mean = entropy([count / len(numbers) for count in frequencies]) if numbers else 0.0
    return Compressed(bytes(header) + code, len(header), len(numbers), mean)


def decompress(data: bytes) -> list[int]:
    """Read integers back from what ``compress`` made of them.

    Args:
        data: header and code.

    Returns:
        The integers, in one list.

    Raises:
        ValueError: ``data`` is not what ``compress`` returns.

    Example:
        >>> decompress(compress([]).data)
        []
    """
    stream = _bytes("data", data)
    alphabet: list[int] = []
    frequencies: list[int] = []
    for _ in range(_read_varint(stream)):
        distance, count = _read_varint(stream), _read_varint(stream)
        first = -(distance + 1) // 2 if distance % 2 else distance // 2
        alphabet.append(alphabet[-1] + distance if alphabet else first)
        frequencies.append(count)
    code = bytes(stream)
    if not alphabet:
        if code:
            raise ValueError("data must be what compress returned, got bytes after an empty message")
        return []
    try:
        return [alphabet[place] for place in decode(code, frequencies, length=sum(frequencies))]
    except ValueError as error:
        raise ValueError(f"data must be what compress returned: {error}") from None


def quantise(values: ArrayLike, *, step: float, generator: np.random.Generator | None = None) -> NDArray[np.int64]:
    """Round numbers to multiples of a step, and return the multiples.

    Args:
        values: numbers, an array of any shape.
        step: Δ, above 0.
        generator: where given, a number between two multiples goes to either at random, so that its expectation is
            kept; where left out, to the nearest, and a tie to the even one.

    Returns:
        Integers q of the same shape; Δ·q is the rounded number.

    Raises:
        ValueError: an argument is out of its range, or a multiple is beyond 2⁵³, where floats skip integers.

    Source: Alistarh et al. 2017, section 3, for rounding at random.

    Example:
        >>> quantise(np.array([-1.2, 0.3, 0.76]), step=0.5).tolist()
        [-2, 1, 2]
    """
    numbers, width = finite_array("values", values), positive_number("step", step)
    with np.errstate(over="ignore"):
        ratios = numbers / width
    if (np.abs(ratios) > _EXACT).any():
        raise ValueError(f"step must be at least the largest of the values / 2⁵³, got {step!r}")
    if generator is None:
        return np.rint(ratios).astype(np.int64)
    lower = np.floor(ratios)
    upwards = random_generator("generator", generator).random(ratios.shape) < ratios - lower
    return (lower + upwards).astype(np.int64)


class _Table:
    """Frequencies, checked, with their sum and where each symbol's slots start."""

    def __init__(self, frequencies: Sequence[int]) -> None:
        self.frequencies = each("frequencies", frequencies, nonnegative_integer)
        self.starts = [0, *accumulate(self.frequencies)]
        self.total = self.starts.pop()
        if not self.total:
            raise ValueError(f"frequencies must hold one above 0, got {frequencies!r}")

    def places(self, symbols: Sequence[int]) -> list[int]:
        """The symbols as a list, or ``ValueError`` where one has no place in the table."""
        places: list[int] = index_array("symbols", symbols, population=len(self.frequencies), dimensions=1).tolist()
        return places


def _integers(name: str, values: Any) -> list[int]:
    """Return integers as a list, or raise ``ValueError``."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "iu":
            raise ValueError(f"{name} must be an array of integers, got one of {values.dtype}")
        numbers: list[int] = values.ravel().tolist()
        return numbers
    return list(each(name, values, _integer))


def _integer(name: str, value: Any) -> int:
    """Return ``value`` as an ``int``, or raise ``ValueError``."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name} must be an integer, got {value!r}")
    return number


def _bytes(name: str, value: Any) -> Iterator[int]:
    """Return an iterator over bytes, or raise ``ValueError``."""
    if not isinstance(value, bytes | bytearray):
        raise ValueError(f"{name} must be bytes, got {value!r}")
    return iter(value)


def _varint(number: int) -> bytes:
    """An integer of at least 0 in groups of 7 bits, lowest first; the eighth bit says that more follow."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(stream: Iterator[int]) -> int:
    """Read what ``_varint`` wrote, or raise ``ValueError``."""
    number, shift = 0, 0
    for byte in stream:
        number |= (byte & 127) << shift
        if byte < 128:
            return number
        shift += 7
    raise ValueError("data must be what compress returned, got too few bytes")
