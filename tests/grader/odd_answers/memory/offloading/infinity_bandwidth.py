# %% by_seconds
# Right: the seconds that are left for moving, and what moves in them.
def infinity_bandwidth(state, efficiency, sequence, batch, hidden, flops_per_s):
    layer, tokens = 12 * hidden**2, sequence * batch
    computing = 8 * layer * tokens / flops_per_s
    moving = computing * (1 / efficiency - 1)
    size = {"weights": 8 * layer, "optimizer": 32 * layer, "checkpoints": 4 * tokens * hidden}[state]
    return size / moving
