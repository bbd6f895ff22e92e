# Right: a float without a fraction.
from math import floor


def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    return float(max(0, floor((memory_bytes - state_bytes) / (layers * layer_bytes + other_bytes))))
