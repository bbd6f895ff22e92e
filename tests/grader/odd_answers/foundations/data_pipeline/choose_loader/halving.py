# Wrong: halves an interval of workers, though the end does not fall with them.
# Known mistake: In the same memory more workers may end later, because f = slots // w is smaller. So halving an interval can miss the fewest: try 1, 2, 3 and so on.
def end_s(times, step_s, w, f, first=None):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else (made[0] if first is None else first))
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    low, high = 1, slots
    while low < high:
        middle = (low + high) // 2
        if end_s(batches_s, step_s, middle, slots // middle) <= deadline_s:
            high = middle
        else:
            low = middle + 1
    return low, slots // low
