# %% walk
# Right: one SM more at a time, as long as it helps.
def fastest_split_sms(compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms):
    from fractions import Fraction

    def end(g):
        rate = min(g * sm_mb_per_ms, link_mb_per_ms)
        return max(Fraction(compute_ms * sms, sms - g), Fraction(exchange_mb, rate))

    g = 1
    while g + 1 < sms and end(g + 1) < end(g):
        g += 1
    return g


# %% first_that_hides
# Wrong: the fewest SMs with which all of the exchange hides.
def fastest_split_sms(compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms):
    for g in range(1, sms):
        rate = min(g * sm_mb_per_ms, link_mb_per_ms)
        if exchange_mb * (sms - g) <= compute_ms * sms * rate:
            return g
    return sms - 1


# %% all_but_one_never
# Wrong: leaves the matmuls at least two SMs.
def fastest_split_sms(compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms):
    def end(g):
        rate = min(g * sm_mb_per_ms, link_mb_per_ms)
        return max(compute_ms * sms * rate, exchange_mb * (sms - g)) / (rate * (sms - g))

    return min(range(1, max(2, sms - 1)), key=end)


# %% never_overfills
# Wrong: never takes the SM that would fill the link only in part.
def fastest_split_sms(compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms):
    from fractions import Fraction

    def end(g):
        rate = min(g * sm_mb_per_ms, link_mb_per_ms)
        return max(Fraction(compute_ms * sms, sms - g), Fraction(exchange_mb, rate))

    full = max(1, min(sms - 1, link_mb_per_ms // sm_mb_per_ms))
    return min(range(1, full + 1), key=end)


# %% tenths_of_a_millisecond
# Wrong: takes ends for equal that differ by less than a tenth of a millisecond.
def fastest_split_sms(compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms):
    def end(g):
        rate = min(g * sm_mb_per_ms, link_mb_per_ms)
        return round(max(compute_ms * sms / (sms - g), exchange_mb / rate), 1)

    return min(range(1, sms), key=end)
