# Right: one lane after the other, each with all its ends.
def offloaded_step_time(forward_s, backward_s, gradients_s, update_s, new_weights_s):
    now = sum(forward_s)
    there = []
    for seconds in reversed(backward_s):
        now += seconds
        there.append(now)
    for lane in (gradients_s, update_s, new_weights_s):
        free = 0
        for place, seconds in enumerate(reversed(lane)):
            free = max(free, there[place]) + seconds
            there[place] = free
    return float(there[-1])
