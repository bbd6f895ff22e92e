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
