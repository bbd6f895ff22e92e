# Right: looks for the peak first, and then for who is held there.
from itertools import accumulate


def peak_and_live(events):
    peak = max(accumulate(change for _, change in events), default=0)
    held, total = {}, 0
    for name, change in events:
        if total == peak:
            break
        total += change
        if change > 0:
            held[name] = change
        else:
            del held[name]
    return peak, list(held)
