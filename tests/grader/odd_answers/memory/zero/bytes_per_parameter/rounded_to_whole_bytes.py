# Wrong: rounded up.
def bytes_per_parameter(*, weight_bits, gradient_bits, average_bits, master, stage, ranks):
    kinds = {1: 2 * average_bits + 32 * master, 2: gradient_bits, 3: weight_bits}
    return sum(-(-bits // (8 * (ranks if stage >= first else 1))) for first, bits in kinds.items())
