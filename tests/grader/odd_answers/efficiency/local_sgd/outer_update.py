# %% with_numpy
# Right: all entries at once.
import numpy as np


def outer_update(shared, rank_weights, speed, *, outer_step, momentum):
    old = np.array(shared)
    gradient = old - np.mean(rank_weights, axis=0)
    new = momentum * np.array(speed) + gradient
    return (old - outer_step * (gradient + momentum * new)).tolist(), new.tolist()


# %% in_place
# Wrong: writes into the lists that it was given, which its caller may need as they were.
# Message: shared is changed: work on a copy
def outer_update(shared, rank_weights, speed, *, outer_step, momentum):
    for i in range(len(shared)):
        g = shared[i] - sum(w[i] for w in rank_weights) / len(rank_weights)
        speed[i] = momentum * speed[i] + g
        shared[i] -= outer_step * (g + momentum * speed[i])
    return shared, speed


# %% first_two_ranks
# Wrong: the mean of two ranks.
def outer_update(shared, rank_weights, speed, *, outer_step, momentum):
    new, out = [], []
    for i, old in enumerate(shared):
        g = old - (rank_weights[0][i] + rank_weights[-1][i]) / 2
        new.append(momentum * speed[i] + g)
        out.append(old - outer_step * (g + momentum * new[-1]))
    return out, new
