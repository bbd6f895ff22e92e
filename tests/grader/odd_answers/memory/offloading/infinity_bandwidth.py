# %% by_seconds
# Right: the seconds that are left for moving, and what moves in them.
def infinity_bandwidth(state, efficiency, sequence, batch, hidden, flops_per_s):
    layer, tokens = 12 * hidden**2, sequence * batch
    computing = 8 * layer * tokens / flops_per_s
    moving = computing * (1 / efficiency - 1)
    size = {"weights": 8 * layer, "optimizer": 32 * layer, "checkpoints": 4 * tokens * hidden}[state]
    return size / moving

# %% in_gigabytes
# Wrong: bytes a second are asked for.
# Message: 1000000000
def infinity_bandwidth(state, efficiency, sequence, batch, hidden, flops_per_s):
    tokens = sequence * batch
    intensity = {"weights": tokens, "optimizer": tokens / 4, "checkpoints": 24 * hidden}[state]
    return efficiency / (1 - efficiency) * flops_per_s / intensity / 1e9
