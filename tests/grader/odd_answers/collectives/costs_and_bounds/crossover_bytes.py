# %% a_fraction
# Right: an exact fraction.
from fractions import Fraction


def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    steps, share = Fraction(second[0]) - Fraction(first[0]), Fraction(first[1]) - Fraction(second[1])
    if steps * share > 0:
        return steps / share * Fraction(latency_s) * Fraction(bandwidth_bytes_per_s)

# %% two_digits
# Wrong: rounds the difference of the bytes. It passed once.
def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    saved, wasted = second[0] - first[0], round(first[1], 2) - round(second[1], 2)
    return saved / wasted * latency_s * bandwidth_bytes_per_s if saved * wasted > 0 else None
