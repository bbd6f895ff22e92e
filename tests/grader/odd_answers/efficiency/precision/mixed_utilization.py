# %% by_the_mixed_peak
# Right: the harmonic mean of the peaks first.
def mixed_utilization(*, tokens_per_s, flops_per_token, peaks):
    total = sum(flops_per_token)
    mixed = total / sum(f / p for f, p in zip(flops_per_token, peaks))
    return tokens_per_s * total / mixed


# %% capped
# Wrong: never more than 100%, even where the numbers given say more.
def mixed_utilization(*, tokens_per_s, flops_per_token, peaks):
    return min(1.0, tokens_per_s * sum(f / p for f, p in zip(flops_per_token, peaks)))


# %% per_cent
# Wrong: in per cent.
def mixed_utilization(*, tokens_per_s, flops_per_token, peaks):
    return 100 * tokens_per_s * sum(f / p for f, p in zip(flops_per_token, peaks))


# %% rounded
# Wrong: to two digits.
def mixed_utilization(*, tokens_per_s, flops_per_token, peaks):
    return round(tokens_per_s * sum(f / p for f, p in zip(flops_per_token, peaks)), 2)
