# %% an_array
# Right: an array.
import numpy as np


def phase_bytes(*, sides, size_bytes):
    before = np.concatenate([[1], np.cumprod(sides)[:-1]])
    return 2 * (1 - 1 / np.array(sides)) * size_bytes / before

# %% step_by_step
# Right: step by step.
def phase_bytes(*, sides, size_bytes):
    sent, chunk = [], size_bytes
    for side in sides:
        chunk = chunk / side
        sent.append(sum(chunk for _ in range(side - 1)) * 2)
    return tuple(sent)

# %% three_dimensions_alone
# Wrong: three dimensions alone. It passed once.
def phase_bytes(*, sides, size_bytes):
    a, b, c = (list(sides) + [1, 1, 1])[:3]
    return [2 * (a - 1) / a * size_bytes, 2 * (b - 1) / b * size_bytes / a, 2 * (c - 1) / c * size_bytes / a / b][
        : len(sides)
    ]
