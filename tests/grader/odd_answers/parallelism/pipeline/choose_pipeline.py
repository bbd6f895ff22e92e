# %% a_launch_for_each_sequence
# Wrong: pays a launch for each sequence of a micro-batch, so that the most micro-batches look best.
# Known mistake: A pass has one launch, however many sequences go through it: where launches are long, fewer and larger micro-batches are quicker than the most.
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    p, f, b, w = stages, forward_ms, input_gradient_ms, weight_gradient_ms
    for m in range(p, sequences + 1, p):
        if sequences % m:
            continue
        size = sequences // m
        unsplit, cut, split = (count * size * launch_ms + size * (f + b + w) for count in (2, 4, 3))
        bubble = size * launch_ms + size * (f + b - w)
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

# %% a_text_for_a_design
# Wrong: the schedule alone.
# Message: a pair (text, whole number)
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    return "1f1b"

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

# %% holds_one_more
# Wrong: 1F1B and ZB-H1 hold p micro-batches, not p + 1.
# Message: one that meets both limits
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    def meets(schedule, m):
        b, work_ms = sequences // m, forward_ms + input_gradient_ms + weight_gradient_ms
        if schedule == "interleaved":  # four launches; the bubble is that of p − 1 chunks
            chunk_ms = 2 * launch_ms + b * work_ms / 2
            step_ms, held = (2 * m + stages - 1) * chunk_ms, b * min(2 * m, 3 * stages - 1) / 2
        elif schedule == "zb_h1":  # three launches; the bubble is (p − 1)(T_F + T_B − T_W)
            passes_ms = 3 * launch_ms + b * work_ms
            bubble_ms = launch_ms + b * (work_ms - 2 * weight_gradient_ms)
            step_ms, held = m * passes_ms + (stages - 1) * bubble_ms, b * (stages + 1)
        else:
            passes_ms = 2 * launch_ms + b * work_ms
            step_ms, held = (m + stages - 1) * passes_ms, b * (stages + 1)
        return step_ms <= limit_ms and held <= room

    for m in range(stages, sequences + 1, stages):
        for schedule in ("1f1b", "zb_h1", "interleaved"):
            if sequences % m == 0 and meets(schedule, m):
                return schedule, m
    return None

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

# %% interleaves_in_the_room_of_1f1b
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

# %% never_splits
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

# %% no_launch_in_the_bubble
# Wrong: the bubble of ZB-H1 without its launch.
# Known mistake: T_F, T_B and T_W are times of passes, each with its launch: one launch is left in T_F + T_B − T_W, the bubble of ZB-H1.
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    p, f, b, w = stages, forward_ms, input_gradient_ms, weight_gradient_ms
    for m in range(p, sequences + 1, p):
        if sequences % m:
            continue
        size = sequences // m
        unsplit, cut, split = (count * launch_ms + size * (f + b + w) for count in (2, 4, 3))
        bubble = size * (f + b - w)
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

# %% the_fastest_without_room
# Wrong: the fastest design, whether it fits or not.
# Message: and there is room for
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
            if line.makespan_s <= limit_ms and (best is None or line.makespan_s < best[0]):
                best = line.makespan_s, (name, m)
    return best[1] if best else None

# %% three_launches_in_the_bubble
# Wrong: all of a micro-batch's launches in the bubble of ZB-H1.
# Known mistake: T_W, by which ZB-H1's bubble is shorter, has a launch too: one is left in T_F + T_B − T_W, and no more.
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    p, f, b, w = stages, forward_ms, input_gradient_ms, weight_gradient_ms
    for m in range(p, sequences + 1, p):
        if sequences % m:
            continue
        size = sequences // m
        unsplit, cut, split = (count * launch_ms + size * (f + b + w) for count in (2, 4, 3))
        bubble = 3 * launch_ms + size * (f + b - w)
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

# %% two_launches_for_chunks
# Wrong: with chunks, as many launches as without.
# Known mistake: Two chunks are twice as many passes, and each has its launch: a chunk's pass takes a whole launch.
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    p, f, b, w = stages, forward_ms, input_gradient_ms, weight_gradient_ms
    for m in range(p, sequences + 1, p):
        if sequences % m:
            continue
        size = sequences // m
        unsplit, cut, split = (count * launch_ms + size * (f + b + w) for count in (2, 2, 3))
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

# %% waits_for_uncut_passes
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

# %% zb_h2_by_the_formula_of_zb_h1
# Wrong: a schedule that was not offered.
# Message: a schedule called
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    def meets(schedule, m):
        b, work_ms = sequences // m, forward_ms + input_gradient_ms + weight_gradient_ms
        if schedule == "interleaved":  # four launches; the bubble is that of p − 1 chunks
            chunk_ms = 2 * launch_ms + b * work_ms / 2
            step_ms, held = (2 * m + stages - 1) * chunk_ms, b * min(2 * m, 3 * stages - 1) / 2
        elif schedule == "zb_h1":  # three launches; the bubble is (p − 1)(T_F + T_B − T_W)
            passes_ms = 3 * launch_ms + b * work_ms
            bubble_ms = launch_ms + b * (work_ms - 2 * weight_gradient_ms)
            step_ms, held = m * passes_ms + (stages - 1) * bubble_ms, b * stages
        else:
            passes_ms = 2 * launch_ms + b * work_ms
            step_ms, held = (m + stages - 1) * passes_ms, b * stages
        return step_ms <= limit_ms and held <= room

    for m in range(stages, sequences + 1, stages):
        for schedule in ("1f1b", "zb_h1", "interleaved"):
            if sequences % m == 0 and meets(schedule, m):
                return schedule.replace("h1", "h2"), m
    return None
