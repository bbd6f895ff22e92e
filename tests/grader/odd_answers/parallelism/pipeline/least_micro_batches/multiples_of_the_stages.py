# Wrong: Megatron's interleaved schedule asks for a multiple of the stages; the exercise does not.
# Known mistake: Interleaving needs at least as many micro-batches as stages here; that they are a multiple is Megatron's rule.
def least_micro_batches(stages, bubble, chunks=1):
    least = int((stages - 1) * (1 - bubble) / (bubble * chunks)) + 1
    return least if chunks == 1 else -(-least // stages) * stages
