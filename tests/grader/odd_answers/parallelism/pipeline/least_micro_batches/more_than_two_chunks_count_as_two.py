# Wrong: right wherever there are one or two chunks.
# Message: chunks = 3
def least_micro_batches(stages, bubble, chunks=1):
    least = int((stages - 1) * (1 - bubble) / (bubble * min(chunks, 2))) + 1
    return least if chunks == 1 else max(least, stages)
