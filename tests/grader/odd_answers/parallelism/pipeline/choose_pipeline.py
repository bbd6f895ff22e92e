# %% by_running_the_fastest
# Right: runs every design, and takes the fastest of those that fit; a list, and the field's own spelling.
from snippets.parallelism.pipeline.runner import run_pipeline
from snippets.parallelism.pipeline.schedules import build_pipeline


def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    best = None
    for m in range(stages, sequences + 1, stages):
        if sequences % m:
            continue
        b = sequences // m
        for name in ("GPipe", "1F1B", "ZB-H1", "interleaved"):
            chunks = 2 if name == "interleaved" else 1
            made = build_pipeline(name, stages=stages, micro_batches=m, chunks=chunks)
            backward = input_gradient_ms + (0 if made.splits_backward else weight_gradient_ms)
            times = {"F": launch_ms + b * forward_ms / chunks, "B": launch_ms + b * backward / chunks}
            if made.splits_backward:
                times["W"] = launch_ms + b * weight_gradient_ms
            line = run_pipeline(made, times)
            held = b * max(line.peak_activations) / chunks
            if held <= room and line.makespan_s <= limit_ms and (best is None or line.makespan_s < best[0]):
                best = line.makespan_s, [name, m]
    return best and best[1]

# %% by_running_the_leanest
# Right: runs every design, and takes the one that holds least of those that are quick enough.
from snippets.parallelism.pipeline.runner import run_pipeline
from snippets.parallelism.pipeline.schedules import build_pipeline


def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    best = None
    for m in range(stages, sequences + 1, stages):
        if sequences % m:
            continue
        b = sequences // m
        for name in ("GPipe", "1F1B", "ZB-H1", "interleaved"):
            chunks = 2 if name == "interleaved" else 1
            made = build_pipeline(name, stages=stages, micro_batches=m, chunks=chunks)
            backward = input_gradient_ms + (0 if made.splits_backward else weight_gradient_ms)
            times = {"F": launch_ms + b * forward_ms / chunks, "B": launch_ms + b * backward / chunks}
            if made.splits_backward:
                times["W"] = launch_ms + b * weight_gradient_ms
            line = run_pipeline(made, times)
            held = b * max(line.peak_activations) / chunks
            if held <= room and line.makespan_s <= limit_ms and (best is None or held < best[0]):
                best = held, (name, m)
    return best[1] if best else None

# %% holds_the_whole_warm_up
# Wrong: interleaving's memory by the formula for many micro-batches, where there are as few as stages.
# Known mistake: No device holds more than the m micro-batches of the step: where m = p, interleaving holds these p, and not 3p − 1 chunks.
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
            "interleaved": ((2 * m + p - 1) * cut, size * (3 * p - 1)),
            "zb_h1": (2 * m * split + 2 * (p - 1) * bubble, 2 * p * size),
        }
        for name, (time, held) in costs.items():
            if time <= 2 * limit_ms and held <= 2 * room:
                return name, m
    return None

# %% holds_the_whole_warm_up_rounded_up
# Wrong: as many whole micro-batches as the warm-up's chunks need, and more of them than there are.
# Message: such as interleaved with
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
            "interleaved": ((2 * m + p - 1) * cut, 2 * size * (3 * p // 2)),
            "zb_h1": (2 * m * split + 2 * (p - 1) * bubble, 2 * p * size),
        }
        for name, (time, held) in costs.items():
            if time <= 2 * limit_ms and held <= 2 * room:
                return name, m
    return None

# %% in_whole_numbers
# Right: by the formulas, twice everything, so that all stays whole.
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
            "interleaved": ((2 * m + p - 1) * cut, size * min(2 * m, 3 * p - 1)),
            "zb_h1": (2 * m * split + 2 * (p - 1) * bubble, 2 * p * size),
        }
        for name, (time, held) in costs.items():
            if time <= 2 * limit_ms and held <= 2 * room:
                return name, m
    return None
