# Wrong: rounded to three decimals.
import numpy as np


def largest_stable_step(hessian, *, momentum):
    return round(float(2 * (1 + momentum) / np.linalg.eigvalsh(hessian)[-1]), 3)
