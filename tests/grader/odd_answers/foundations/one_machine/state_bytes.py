# %% in_gigabytes
# Wrong: GB.
# Message: ÷ 1000000000

def state_bytes(parameters, *, weight_bytes, gradient_bytes, master_bytes, moment_bytes):
    return parameters * (weight_bytes + gradient_bytes + master_bytes + 2 * moment_bytes) / 1e9
