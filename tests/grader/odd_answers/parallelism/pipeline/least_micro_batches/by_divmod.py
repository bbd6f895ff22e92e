# Right: a whole number without a fraction.
def least_micro_batches(stages, bubble, chunks=1):
    share, whole = bubble.numerator, bubble.denominator
    above = (stages - 1) * (whole - share) // (share * chunks) + 1
    return above if chunks == 1 else max(above, stages)
