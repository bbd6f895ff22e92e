# Wrong: full recomputation repeats the head's forward pass too.
# Known mistake: Full recomputation repeats the layers' forward pass, and not the head's.
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
    scores, head = 4 * sequence**2 * hidden, 2 * sequence * hidden * vocabulary
    layer = 24 * sequence * hidden**2 + scores
    forward = layers * layer + head
    again = {"none": 0, "selective": layers * scores, "full": forward}
    found = []
    for made, more in again.items():
        for size in range(1, sequences + 1):
            if sequences % size == 0:
                sizes = gpt_step_sizes(**shape, micro_batch=size, recomputation=made)
                if step_peak_bytes(sizes, keep_gradients=size < sequences) <= memory_bytes:
                    overhead = sequences // size * overhead_flops
                    found.append((overhead + sequences * (3 * forward + more), made, size))
    return min(found, key=lambda one: one[0])[1:] if found else None
