# Wrong: what frees most need not be fastest.
from itertools import product

from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(layers, layer_parameters, tokens, activation_bytes, memory_bytes, flops_per_s, link_bytes_per_s, host_bytes_per_s):
    best = None
    run = 2 * layer_parameters * tokens / flops_per_s
    way = 2 * layer_parameters / link_bytes_per_s
    for optimizer, parameters, activations in product([False, True], repeat=3):
        if parameters and not optimizer:
            continue
        held = 2 * layer_parameters * (2 if parameters else layers) + activation_bytes * (2 if activations else layers)
        held += 4 * layer_parameters if optimizer else 14 * layer_parameters * layers
        if held > memory_bytes:
            continue
        end = offloaded_step(
            layers=layers,
            forward_s=run,
            backward_s=2 * run,
            gradients_s=way * optimizer,
            new_weights_s=way * (optimizer and not parameters),
            update_s=28 * layer_parameters / host_bytes_per_s * optimizer,
            weights_s=way * parameters,
            activations_s=activation_bytes / link_bytes_per_s * activations,
        ).end_s
        names = [("activations", activations), ("weights", parameters), ("optimizer", optimizer)]
        best = end, [name for name, away in names if away]
    return best and best[1]
