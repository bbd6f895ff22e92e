# Wrong: the length, not its square; not a number where the estimate is negative.
import numpy as np


def noise_from_workers(gradients, *, batch_size):
    g = np.array(gradients)
    noise = batch_size * np.var(g, axis=0, ddof=1).sum()
    return noise, float(np.sqrt((g.mean(axis=0) ** 2).sum() - noise / (len(g) * batch_size)))
