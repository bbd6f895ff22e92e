# Wrong: in interleaving's bubble a chunk's passes have half a launch each.
# Message: ms are allowed
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
            "interleaved": (2 * m * cut + (p - 1) * unsplit, size * min(2 * m, 3 * p - 1)),
            "zb_h1": (2 * m * split + 2 * (p - 1) * bubble, 2 * p * size),
        }
        for name, (time, held) in costs.items():
            if time <= 2 * limit_ms and held <= 2 * room:
                return name, m
    return None
