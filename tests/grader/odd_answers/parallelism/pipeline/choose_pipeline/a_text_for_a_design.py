# Wrong: the schedule alone.
# Message: a pair (text, whole number)
def choose_pipeline(
    *, stages, sequences, launch_ms, forward_ms, input_gradient_ms, weight_gradient_ms, limit_ms, room
):
    return "1f1b"
