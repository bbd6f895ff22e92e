# Wrong: the range ends before 4096.
# Message: at least 98% of 13,098,364,928 (L = 64, d = 4096)

def choose_model(*, days, flops_per_s, memory_bytes, bytes_per_parameter, tokens, sequence):
    best = (0, 1, 128)
    for L in range(1, 65):
        for d in range(128, 4096, 128):
            size = 12 * L * d * d + 13 * L * d + (50257 + sequence + 2) * d
            cost = 72 * L * d * d + 12 * L * d * sequence + 6 * 50257 * d
            in_time = cost * tokens <= days * 86400 * flops_per_s
            if 32 * L <= d <= 128 * L and in_time and size * bytes_per_parameter <= memory_bytes:
                best = max(best, (size, L, d))
    return best[1:]
