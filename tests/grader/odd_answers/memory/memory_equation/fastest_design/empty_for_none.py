# Wrong: an empty tuple where nothing fits.
from itertools import product

from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_candidates


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    def flops(design):
        made, size = design
        forward = layers * (24 * sequence * hidden**2 + 4 * sequence**2 * hidden) + 2 * sequence * hidden * vocabulary
        again = {
            "none": 0,
            "selective": 4 * sequence**2 * hidden,
            "full": 24 * sequence * hidden**2 + 4 * sequence**2 * hidden,
        }
        return (sequences // size) * overhead_flops + sequences * (3 * forward + layers * again[made])

    def fits(design):
        made, size = design
        shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
        sizes = gpt_step_sizes(**shape, micro_batch=size, recomputation=made)
        return max(step_peak_candidates(sizes, keep_gradients=size != sequences).values()) <= memory_bytes

    sizes = [size for size in range(1, sequences + 1) if sequences % size == 0]
    fitting = list(filter(fits, product(("none", "selective", "full"), sizes)))
    return min(fitting, key=flops, default=())
