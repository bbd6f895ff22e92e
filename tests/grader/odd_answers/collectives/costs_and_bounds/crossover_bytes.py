# %% a_fraction
# Right: an exact fraction.
from fractions import Fraction


def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    steps, share = Fraction(second[0]) - Fraction(first[0]), Fraction(first[1]) - Fraction(second[1])
    if steps * share > 0:
        return steps / share * Fraction(latency_s) * Fraction(bandwidth_bytes_per_s)

# %% not_a_number_for_none
# Wrong: None is asked where the lines do not meet.
# Message: nan
def crossover_bytes(first, second, *, latency_s, bandwidth_bytes_per_s):
    (s, b), (t, c) = first, second
    return (t - s) / (b - c) * latency_s * bandwidth_bytes_per_s if (t - s) * (b - c) > 0 else float("nan")
