# Wrong: recomputes nothing or all.
# Known mistake: Where a design does not fit with the scores stored, selective recomputation may do: it costs fewer operations than full recomputation.
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
    scores, head = 4 * sequence**2 * hidden, 2 * sequence * hidden * vocabulary
    layer = 24 * sequence * hidden**2 + scores
    forward = layers * layer + head
    again = {"none": 0, "full": layers * layer}
    found = []
    for made, more in again.items():
        for size in range(1, sequences + 1):
            if sequences % size == 0:
                sizes = gpt_step_sizes(**shape, micro_batch=size, recomputation=made)
                if step_peak_bytes(sizes, keep_gradients=size < sequences) <= memory_bytes:
                    overhead = sequences // size * overhead_flops
                    found.append((overhead + sequences * (3 * forward + more), made, size))
    return min(found)[1:] if found else None
