# Wrong: optimizer state moves four times as much, so it needs more bandwidth.
def infinity_bandwidth(state, efficiency, sequence, batch, hidden, flops_per_s):
    tokens = sequence * batch
    intensity = {"weights": tokens / 4, "optimizer": tokens, "checkpoints": 24 * hidden}[state]
    return efficiency / (1 - efficiency) * flops_per_s / intensity
