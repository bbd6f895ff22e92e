# Wrong: a factor of 16 at most.
# Message: 1 too many
def end_s(times, step_s, w, f, first=None):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else (made[0] if first is None else first))
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        f = min(16, slots // w)
        if end_s(batches_s, step_s, w, f) <= deadline_s:
            return w, f
    return slots, 1
