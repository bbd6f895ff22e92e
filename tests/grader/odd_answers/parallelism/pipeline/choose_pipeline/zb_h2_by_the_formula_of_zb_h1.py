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
