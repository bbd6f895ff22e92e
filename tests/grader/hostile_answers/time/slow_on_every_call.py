# Right, and too slow for all inputs together.
# Message: still running
import time


def largest_micro_batch(memory_bytes, state_bytes, layers, layer_bytes, other_bytes):
    time.sleep(0.2)
    return max(0, memory_bytes - state_bytes) // (layers * layer_bytes + other_bytes)
