# Wrong: bytes a second are asked for.
# Message: 1000000000
def infinity_bandwidth(state, efficiency, sequence, batch, hidden, flops_per_s):
    tokens = sequence * batch
    intensity = {"weights": tokens, "optimizer": tokens / 4, "checkpoints": 24 * hidden}[state]
    return efficiency / (1 - efficiency) * flops_per_s / intensity / 1e9
