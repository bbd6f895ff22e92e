# Right: arrays inside, one of NumPy's floats in the end.
import numpy as np


def largest_curvature(gradient, *, at, start, iterations, distance=1e-4):
    here, image = np.array(gradient(at)), np.array(start)
    for _ in range(iterations):
        direction = image / np.linalg.norm(image)
        image = (np.array(gradient((at + distance * direction).tolist())) - here) / distance
    return direction @ image
