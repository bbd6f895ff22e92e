# Right: doubles and halves.
def largest_micro_batch(*sizes, **named):
    memory, state, layers, each, rest = (
        named[name] for name in ("memory_bytes", "state_bytes", "layers", "layer_bytes", "other_bytes")
    )

    def fits(sequences):
        return state + sequences * (layers * each + rest) <= memory

    low, high = 0, 1
    while fits(high):
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
