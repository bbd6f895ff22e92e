# Right: NumPy's number and NumPy's texts.
import numpy as np


def peak_and_live(events):
    totals = np.cumsum([0] + [change for _, change in events])
    names = []
    for name, change in events[: totals.argmax()]:
        names = [*names, name] if change > 0 else [other for other in names if other != name]
    return totals.max(), np.array(names)
