# %% first_gradients_are_fresh
# Wrong: a worker's first gradient is taken for fresh.
# Known mistake: All workers read at the start, so a worker's first gradient is as old as all updates before it.
def stalenesses(*, arrivals):
    last = {}
    out = []
    for i, w in enumerate(arrivals):
        out.append(i - last[w] - 1 if w in last else 0)
        last[w] = i
    return out

# %% looks_back
# Right: looks back for the worker's last gradient.
def stalenesses(*, arrivals):
    out = []
    for i, w in enumerate(arrivals):
        j = i - 1
        while j >= 0 and arrivals[j] != w:
            j -= 1
        out.append(i - j - 1)
    return out

# %% looks_back_fifty
# Wrong: looks no further back than fifty updates. It passed once.
def stalenesses(*, arrivals):
    found = []
    for made, worker in enumerate(arrivals):
        before = [at for at in range(max(0, made - 50), made) if arrivals[at] == worker]
        found.append(made - before[-1] - 1 if before else made)
    return found

# %% numpy_in_a_tuple
# Right: NumPy's integers in a tuple.
import numpy as np


def stalenesses(*, arrivals):
    last = {}
    out = []
    for i, w in enumerate(arrivals):
        out.append(np.int64(i - last.get(w, -1) - 1))
        last[w] = i
    return tuple(out)
