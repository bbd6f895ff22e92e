# %% a_list
# Right: a list, found by bisection of the layers for each width.

def choose_model(*, days, flops_per_s, memory_bytes, bytes_per_parameter, tokens, sequence):
    def size(L, d):
        return 12 * L * d * d + 13 * L * d + (50257 + sequence + 2) * d

    def fits(L, d):
        cost = 72 * L * d * d + 12 * L * d * sequence + 6 * 50257 * d
        return cost * tokens <= days * 86400 * flops_per_s and size(L, d) * bytes_per_parameter <= memory_bytes

    best = [1, 128]
    for d in range(128, 4097, 128):
        low, high = -(-d // 128), min(64, d // 32)
        if not fits(low, d):
            continue
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(middle, d) else (low, middle - 1)
        if size(low, d) > size(*best):
            best = [low, d]
    return best
