# Wrong: the mask is taken to save half of attention's products.
# Known mistake: By the convention of exercise 3 the mask saves nothing: attention's whole n × n products count.

def choose_model(*, days, flops_per_s, memory_bytes, bytes_per_parameter, tokens, sequence):
    best = (0, 1, 128)
    for L in range(1, 65):
        for d in range(128, 4097, 128):
            size = 12 * L * d * d + 13 * L * d + (50257 + sequence + 2) * d
            cost = 72 * L * d * d + 6 * L * d * sequence + 6 * 50257 * d
            in_time = cost * tokens <= days * 86400 * flops_per_s
            if 32 * L <= d <= 128 * L and in_time and size * bytes_per_parameter <= memory_bytes:
                best = max(best, (size, L, d))
    return best[1:]
