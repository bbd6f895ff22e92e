# %% a_fraction
# Right: exact fractions.
from fractions import Fraction


def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    seconds = Fraction(6) * Fraction(parameters) * 10**6 / Fraction(peak_flops_per_s) / Fraction(mfu)
    return seconds / 3600 * Fraction(usd_per_hour)
