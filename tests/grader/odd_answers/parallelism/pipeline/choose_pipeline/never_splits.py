# Wrong: does not look at ZB-H1.
# Known mistake: Where 1F1B is too slow and there is no room for interleaving, a split backward may be quick enough: ZB-H1 holds what 1F1B's first stage does.
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    p, f, b, w = stages, forward_ms, input_gradient_ms, weight_gradient_ms
    for m in range(p, sequences + 1, p):
        if sequences % m:
            continue
        size = sequences // m
        unsplit, cut = (count * launch_ms + size * (f + b + w) for count in (2, 4))
        costs = {  # twice the time, and twice what is held
            "gpipe": (2 * (m + p - 1) * unsplit, 2 * sequences),
            "1f1b": (2 * (m + p - 1) * unsplit, 2 * p * size),
            "interleaved": ((2 * m + p - 1) * cut, size * min(2 * m, 3 * p - 1)),
        }
        for name, (time, held) in costs.items():
            if time <= 2 * limit_ms and held <= 2 * room:
                return name, m
    return None
