# Wrong: the optimizer need not go, nor be enough.
def choose_offload(layers, layer_parameters, tokens, activation_bytes, memory_bytes, flops_per_s, link_bytes_per_s, host_bytes_per_s):
    held = 2 * layers * layer_parameters + layers * activation_bytes + 4 * layer_parameters
    return ["optimizer"] if held <= memory_bytes else None
