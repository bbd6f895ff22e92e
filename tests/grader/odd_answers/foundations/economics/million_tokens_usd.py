# %% a_fraction
# Right: exact fractions.
from fractions import Fraction


def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    seconds = Fraction(6) * Fraction(parameters) * 10**6 / Fraction(peak_flops_per_s) / Fraction(mfu)
    return seconds / 3600 * Fraction(usd_per_hour)

# %% a_decimal
# Right: a decimal.
from decimal import Decimal


def million_tokens_usd(*, parameters, peak_flops_per_s, mfu, usd_per_hour):
    flops = 6 * Decimal(parameters) * 10**6
    seconds = flops / (Decimal(peak_flops_per_s) * Decimal(mfu))
    return seconds / 3600 * Decimal(usd_per_hour)
