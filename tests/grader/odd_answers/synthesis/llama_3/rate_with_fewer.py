# %% by_slots
# Right: a stage works in v·m of v·m + p − 1 slots.
def rate_with_fewer(*, rate, stages, chunks, micro_batches, other):
    def busy(m):
        return chunks * m / (chunks * m + stages - 1)

    return rate * busy(other) / busy(micro_batches)


# %% whole_numbers
# Wrong: rounds to whole TFLOP/s, as the paper prints them.
def rate_with_fewer(*, rate, stages, chunks, micro_batches, other):
    known = 1 + (stages - 1) / (chunks * micro_batches)
    return float(round(rate * known / (1 + (stages - 1) / (chunks * other))))


# %% subtracts_shares
# Wrong: takes the difference of both bubbles off the rate.
def rate_with_fewer(*, rate, stages, chunks, micro_batches, other):
    return rate * (1 + (stages - 1) / (chunks * micro_batches) - (stages - 1) / (chunks * other))
