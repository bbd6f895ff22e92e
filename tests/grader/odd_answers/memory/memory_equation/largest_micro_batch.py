# %% a_divided_float
# Right: a float without a fraction.
from math import floor


def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    return float(max(0, floor((memory_bytes - state_bytes) / (layers * layer_bytes + other_bytes))))

# %% by_trying_powers
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
