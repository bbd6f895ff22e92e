# %% a_list
# Right: a list instead of a tuple.
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
    return list(min(fitting, key=flops)) if fitting else None

# %% another_route
# Right: takes the minimum over all designs.
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
    return min(fitting, key=flops, default=None)

# %% at_most_sixteen
# Wrong: no micro-batch above 16.
# Message: which fits and takes
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
    scores, head = 4 * sequence**2 * hidden, 2 * sequence * hidden * vocabulary
    layer = 24 * sequence * hidden**2 + scores
    forward = layers * layer + head
    again = {"none": 0, "selective": layers * scores, "full": layers * layer}
    found = []
    for made, more in again.items():
        for size in range(1, min(sequences, 16) + 1):
            if sequences % size == 0:
                sizes = gpt_step_sizes(**shape, micro_batch=size, recomputation=made)
                if step_peak_bytes(sizes, keep_gradients=size < sequences) <= memory_bytes:
                    overhead = sequences // size * overhead_flops
                    found.append((overhead + sequences * (3 * forward + more), made, size))
    return min(found)[1:] if found else None

# %% every_tensor_by_hand
# Right: adds up the bytes itself.
def peak_bytes(l, h, a, words, s, b, made, several):
    layer, outside = 12 * h * h + 13 * h, words * h + 2 * h
    values, scores, logits = s * b * h, 5 * a * s * s * b, 4 * s * b * words
    whole = 34 * values + scores
    kept = {"none": whole, "selective": 34 * values, "full": 2 * values}[made]
    work = whole - kept + max(8 * values, 2 * scores // 5)

    def held(layers_done):
        gradients = 2 * (outside + (l if several else layers_done) * layer)
        return 14 * (l * layer + outside) + gradients + values + 2 * values

    return max(
        held(0) + l * kept + 4 * values + 2 * logits,
        held(1) + l * kept + work,
        held(l) + kept + work,
    )


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    shape = (layers, hidden, heads, vocabulary, sequence)
    core = 4 * sequence**2 * hidden
    again = {"none": 0, "selective": layers * core, "full": layers * (24 * sequence * hidden**2 + core)}
    fitting = [
        (sequences // b * overhead_flops + sequences * again[made], made, b)
        for made in again
        for b in range(1, sequences + 1)
        if sequences % b == 0 and peak_bytes(*shape, b, made, b < sequences) <= memory_bytes
    ]
    return min(fitting)[1:] if fitting else None

# %% other_way_round
# Right: tries full recomputation first and the largest micro-batch first; ties end elsewhere.
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

    sizes = [size for size in range(1, sequences + 1) if sequences % size == 0][::-1] + [size for size in () if size]
    fitting = list(filter(fits, product(("full", "selective", "none"), sizes)))
    return min(fitting, key=flops, default=None)

# %% repeats_the_head
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

# %% repeats_the_head_twice
# Wrong: full recomputation repeats the head's forward pass twice.
# Message: which fits and takes
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
    scores, head = 4 * sequence**2 * hidden, 2 * sequence * hidden * vocabulary
    layer = 24 * sequence * hidden**2 + scores
    forward = layers * layer + head
    again = {"none": 0, "selective": layers * scores, "full": forward + head}
    found = []
    for made, more in again.items():
        for size in range(1, sequences + 1):
            if sequences % size == 0:
                sizes = gpt_step_sizes(**shape, micro_batch=size, recomputation=made)
                if step_peak_bytes(sizes, keep_gradients=size < sequences) <= memory_bytes:
                    overhead = sequences // size * overhead_flops
                    found.append((overhead + sequences * (3 * forward + more), made, size))
    return min(found)[1:] if found else None

# %% with_what_is_given
# Right: with the two functions that are given.
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes


def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
    scores, head = 4 * sequence**2 * hidden, 2 * sequence * hidden * vocabulary
    layer = 24 * sequence * hidden**2 + scores
    forward = layers * layer + head
    again = {"none": 0, "selective": layers * scores, "full": layers * layer}
    found = []
    for made, more in again.items():
        for size in range(1, sequences + 1):
            if sequences % size == 0:
                sizes = gpt_step_sizes(**shape, micro_batch=size, recomputation=made)
                if step_peak_bytes(sizes, keep_gradients=size < sequences) <= memory_bytes:
                    overhead = sequences // size * overhead_flops
                    found.append((overhead + sequences * (3 * forward + more), made, size))
    return min(found)[1:] if found else None
