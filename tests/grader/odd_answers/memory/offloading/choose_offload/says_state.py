# Wrong: a name that there is not.
# Message: each must be one of optimizer, weights, activations
def choose_offload(layers, layer_parameters, tokens, activation_bytes, memory_bytes, flops_per_s, link_bytes_per_s, host_bytes_per_s):
    return ["optimizer state"]
