# %% tokens_a_second
# Right: by the tokens that a GPU sees in a second.
def counted_gflop(tflops, devices, step_s, sequences, sequence):
    seen = sequences * sequence / step_s / devices
    return tflops / seen * 1e3


# %% whole_numbers
# Wrong: rounds to whole GFLOPs.
def counted_gflop(tflops, devices, step_s, sequences, sequence):
    return round(1000 * tflops * devices * step_s / (sequences * sequence))


# %% sequences_dealt
# Wrong: deals whole sequences to GPUs and forgets those that are left over.
def counted_gflop(tflops, devices, step_s, sequences, sequence):
    own = max(1, sequences // devices) * sequence
    return 1000 * tflops * step_s / own


# %% binary_thousand
# Wrong: takes 1,024 GFLOPs for a TFLOP.
def counted_gflop(tflops, devices, step_s, sequences, sequence):
    return 1024 * tflops * devices * step_s / (sequences * sequence)
