# %% an_array
# Right: an array.
import numpy as np


def phase_bytes(*, sides, size_bytes):
    before = np.concatenate([[1], np.cumprod(sides)[:-1]])
    return 2 * (1 - 1 / np.array(sides)) * size_bytes / before

# %% one_step_too_many
# Wrong: one step too many.
# Known mistake: A rank does not send all of what it has: of the chunks along a dimension, its own stays.
def phase_bytes(*, sides, size_bytes):
    sent = []
    for side in sides:
        sent.append(2 * size_bytes)
        size_bytes = size_bytes / side
    return sent

# %% rounds_what_is_left
# Wrong: rounds what is left.
# Known mistake: Here sizes are divided as numbers: half of 25 bytes counts as 12.5.
def phase_bytes(*, sides, size_bytes):
    out, left = [], size_bytes
    for s in sides:
        out.append(2 * (s - 1) / s * left)
        left = left // s
    return out

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
