# Wrong: 27 bytes in place of 28.
from snippets.memory.offloading.timeline import offloaded_step

def choose_offload(*, layers, layer_parameters, tokens, activation_bytes, memory_bytes, flops_per_s, link_bytes_per_s, host_bytes_per_s):
    U = layer_parameters
    N = layers
    found = []
    for opt, par, act in [(0,0,0),(0,0,1),(1,0,0),(1,0,1),(1,1,0),(1,1,1)]:
        w = 2 * U * (2 if par else N)
        g = U * (4 if opt else 14 * N)
        k = activation_bytes * (2 if act else N)
        held = w + g + k
        f = 2 * U * tokens / flops_per_s
        b = 4 * U * tokens / flops_per_s
        way = 2 * U / link_bytes_per_s
        upd = 27 * U / host_bytes_per_s
        mv = activation_bytes / link_bytes_per_s
        s = dict(layers=N, forward_s=f, backward_s=b)
        if opt:
            s["gradients_s"] = way
            s["update_s"] = upd
            s["new_weights_s"] = way
        if par:
            s["weights_s"] = way
            s.pop("new_weights_s", None)
        if act:
            s["activations_s"] = mv
        end = offloaded_step(**s).end_s
        names = [n for n, on in (("optimizer", opt), ("weights", par), ("activations", act)) if on]
        if held <= memory_bytes:
            found.append((end, len(names), names))
    return min(found)[2] if found else None
