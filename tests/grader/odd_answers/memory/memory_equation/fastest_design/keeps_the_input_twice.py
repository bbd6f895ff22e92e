# Wrong: makes a layer's input again beside the one that is kept.
# Message: one that fits and takes
def peak_bytes(l, h, a, words, s, b, made, several):
    layer, outside = 12 * h * h + 13 * h, words * h + 2 * h
    values, scores, logits = s * b * h, 5 * a * s * s * b, 4 * s * b * words
    whole = 34 * values + scores
    kept = {"none": whole, "selective": 34 * values, "full": 2 * values}[made]
    work = whole - kept * (made != "full") + max(8 * values, 2 * scores // 5)

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
