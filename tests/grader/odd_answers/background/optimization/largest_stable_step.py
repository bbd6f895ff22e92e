# %% numpy
# Right: eigenvalues by NumPy.
import numpy as np


def largest_stable_step(hessian, *, momentum):
    return 2 * (1 + momentum) / np.linalg.eigvalsh(hessian)[-1]

# %% ten_power_iterations
# Wrong: ten power iterations, too few where the curvatures are close. It passed once.
def largest_stable_step(hessian, *, momentum):
    (a, b), (c, d) = hessian
    v = (0.6, 0.8)
    for _ in range(10):
        u = (a * v[0] + b * v[1], c * v[0] + d * v[1])
        n = (u[0] ** 2 + u[1] ** 2) ** 0.5
        v = (u[0] / n, u[1] / n)
    return 2 * (1 + momentum) / n
