# Wrong: begins at Little's number, though the deadline leaves time to wait.
# Known mistake: Little's number is for a GPU that never waits. This deadline leaves it time to wait, so that fewer workers may do: begin at 1.
import math


def end_s(times, step_s, w, f, first=None):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else (made[0] if first is None else first))
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(max(1, math.ceil(sum(batches_s) / len(batches_s) / step_s - 1e-9)), slots + 1):
        f = slots // w
        if end_s(batches_s, step_s, w, f) <= deadline_s:
            return w, f
    return slots, 1
