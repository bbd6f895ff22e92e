# Wrong: it raises where nothing fits.
# Message: MemoryError: nothing fits (line

# what a reader can write with the page and the site's Reference (page alone has no import of gpt_step_sizes, nor its arguments)
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes

def fastest_design(*, layers, hidden, heads, vocabulary, sequence, sequences, memory_bytes, overhead_flops):
    s, h, V = sequence, hidden, vocabulary
    forward = layers * (24 * s * h**2 + 4 * s**2 * h) + 2 * s * h * V
    again = {"none": 0, "selective": layers * 4 * s**2 * h, "full": layers * (24 * s * h**2 + 4 * s**2 * h)}
    best = None
    for name, more in again.items():
        for b in range(1, sequences + 1):
            if sequences % b:
                continue
            sizes = gpt_step_sizes(layers=layers, hidden=h, heads=heads, vocabulary=V, sequence=s, micro_batch=b, recomputation=name)
            if step_peak_bytes(sizes, keep_gradients=b < sequences) > memory_bytes:
                continue
            cost = sequences // b * overhead_flops + sequences * (3 * forward + more)
            if best is None or cost < best[0]:
                best = cost, (name, b)
    if best is None: raise MemoryError('nothing fits')
    return best[1]
