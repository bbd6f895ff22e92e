# %% by_rounding
# Right: adds in fractions and rounds with Python's own rule for ties.
from fractions import Fraction
import math


def stuck_weights(*, weights, updates):
    stuck = 0
    for weight, update in zip(weights, updates):
        total = Fraction(weight) + Fraction(update)
        exponent = math.frexp(float(abs(total)))[1]
        if abs(total) >= Fraction(2) ** exponent:
            exponent += 1
        if abs(total) < Fraction(2) ** (exponent - 1):
            exponent -= 1
        unit = Fraction(2) ** (exponent - 8)
        stuck += round(total / unit) * unit == Fraction(weight)
    return stuck


# %% through_float32
# Wrong: float32 rounds the sum first, and then what lies just above a tie is taken for one.
import struct


def stuck_weights(*, weights, updates):
    def bf16(value):
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        bits += 0x7FFF + ((bits >> 16) & 1)
        return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]

    return sum(bf16(w + u) == w for w, u in zip(weights, updates))


# %% truncated
# Wrong: cut off instead of rounded.
import math


def stuck_weights(*, weights, updates):
    stuck = 0
    for weight, update in zip(weights, updates):
        total = weight + update
        unit = 2.0 ** (math.frexp(total)[1] - 8)
        stuck += math.trunc(total / unit) * unit == weight
    return stuck


# %% relative
# Wrong: one relative size for all weights of a power of two.
def stuck_weights(*, weights, updates):
    return sum(abs(u) <= abs(w) * 2.0**-8 for w, u in zip(weights, updates))


# %% ties_as_python_compares
# Wrong: a tie never moves a weight.
# Known mistake: You held every weight whose sum lies in the middle. If its last bit is 1, its neighbour is the even one.
import math


def stuck_weights(*, weights, updates):
    count = 0
    for w, u in zip(weights, updates):
        m, e = math.frexp(abs(w))
        gap = 2.0 ** (e - 9) if m == 0.5 and w * u < 0 else 2.0 ** (e - 8)
        count += abs(u) * 2 <= gap
    return count


# %% half_the_gap_below_one_alone
# Wrong: knows the narrower gap below 1 and below no other power of two.
def stuck_weights(*, weights, updates):
    import math

    count = 0
    for w, u in zip(weights, updates):
        gap = 2.0 ** (math.frexp(abs(w))[1] - 8)
        even = abs(w) / gap % 2 == 0
        if abs(w) == 1 and w * u < 0:
            gap /= 2
        count += abs(u) < gap / 2 or (abs(u) == gap / 2 and even)
    return count
