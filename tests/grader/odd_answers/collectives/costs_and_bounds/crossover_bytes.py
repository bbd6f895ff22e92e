# %% a_fraction
# Right: an exact fraction.
from fractions import Fraction


def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    steps, share = Fraction(second[0]) - Fraction(first[0]), Fraction(first[1]) - Fraction(second[1])
    if steps * share > 0:
        return steps / share * Fraction(latency_s) * Fraction(bandwidth_bytes_per_s)
