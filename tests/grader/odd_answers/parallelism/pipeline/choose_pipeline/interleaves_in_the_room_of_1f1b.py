# Wrong: interleaving holds what 1F1B does.
# Known mistake: Interleaving warms up for longer: with two chunks the first device holds up to 3p − 1 of them, more than the p micro-batches of 1F1B.
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    p, f, b, w = stages, forward_ms, input_gradient_ms, weight_gradient_ms
    for m in range(p, sequences + 1, p):
        if sequences % m:
            continue
        size = sequences // m
        unsplit, cut, split = (count * launch_ms + size * (f + b + w) for count in (2, 4, 3))
        bubble = launch_ms + size * (f + b - w)
        costs = {  # twice the time, and twice what is held
            "gpipe": (2 * (m + p - 1) * unsplit, 2 * sequences),
            "1f1b": (2 * (m + p - 1) * unsplit, 2 * p * size),
            "interleaved": ((2 * m + p - 1) * cut, 2 * p * size),
            "zb_h1": (2 * m * split + 2 * (p - 1) * bubble, 2 * p * size),
        }
        for name, (time, held) in costs.items():
            if time <= 2 * limit_ms and held <= 2 * room:
                return name, m
    return None
