# %% a_list_of_two
# Right: a list of the peak and a tuple of names.
def peak_and_live(events):
    held, worst = {}, {}
    for name, change in events:
        if change < 0:
            del held[name]
        else:
            held[name] = change
        if sum(held.values()) > sum(worst.values()):
            worst = dict(held)
    return [sum(worst.values()), tuple(worst)]

# %% an_array_of_names
# Right: NumPy's number and NumPy's texts.
import numpy as np


def peak_and_live(events):
    totals = np.cumsum([0] + [change for _, change in events])
    names = []
    for name, change in events[: totals.argmax()]:
        names = [*names, name] if change > 0 else [other for other in names if other != name]
    return totals.max(), np.array(names)

# %% reads_the_events_twice
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
