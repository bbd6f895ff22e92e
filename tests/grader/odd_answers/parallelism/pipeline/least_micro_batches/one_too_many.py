# Wrong: one more than needed, always.
# Message: always one too many
def least_micro_batches(stages, bubble, chunks=1):
    least = int((stages - 1) * (1 - bubble) / (bubble * chunks)) + 2
    return least if chunks == 1 else max(least, stages + 1)
