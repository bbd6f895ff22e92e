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

# %% another_design
# Right: the smallest model that is large enough, not the largest.
def choose_model(*, days, flops_per_s, memory_bytes, bytes_per_parameter, tokens, sequence):
    found = []
    for layers in range(64, 0, -1):
        for hidden in range(4096, 0, -128):
            if layers * 32 <= hidden <= layers * 128:
                parameters = 12 * layers * hidden**2 + 13 * layers * hidden + 2 * hidden
                parameters += (50257 + sequence) * hidden
                each = 24 * layers * hidden**2 + 4 * layers * hidden * sequence + 2 * hidden * 50257
                seconds = 3 * each * tokens / flops_per_s
                if parameters * bytes_per_parameter <= memory_bytes and seconds <= days * 86400 * (1 + 1e-9):
                    found.append((parameters, layers, hidden))
    most = max(found)[0]
    _, layers, hidden = min(model for model in found if model[0] >= 0.9801 * most)
    return layers, hidden
