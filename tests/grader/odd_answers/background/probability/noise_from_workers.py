# %% numpy
# Right: NumPy's floats in an array.
import numpy as np


def noise_from_workers(gradients, *, batch_size):
    g = np.array(gradients)
    noise = batch_size * np.var(g, axis=0, ddof=1).sum()
    return np.array([noise, (g.mean(axis=0) ** 2).sum() - noise / (len(g) * batch_size)])
