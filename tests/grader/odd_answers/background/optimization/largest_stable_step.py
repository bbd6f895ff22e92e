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

# %% the_best_step
# Wrong: the best step size, of the best momentum.
# Known mistake: This is the step size of the best pair of step size and momentum; asked is the largest that converges at the momentum that is given.
def largest_stable_step(hessian, *, momentum):
    (a, b), (_, d) = hessian
    lam = (a + d) / 2 + (((a - d) / 2) ** 2 + b * b) ** 0.5
    return 4 / (lam**0.5 + (a + d - lam) ** 0.5) ** 2

# %% the_end_of_the_window
# Wrong: where the roots stop being a complex pair.
# Known mistake: This is the end of the window in which the roots are a complex pair. Beyond it they are real, and both still inside the unit disc, until one is −1.
def largest_stable_step(hessian, *, momentum):
    (a, b), (_, d) = hessian
    lam = (a + d) / 2 + (((a - d) / 2) ** 2 + b * b) ** 0.5
    return (1 + momentum**0.5) ** 2 / lam

# %% the_end_of_the_window_without_the_root
# Wrong: the window's end, with μ for √μ.
# Known mistake: The window's end has √μ, not μ. And it is where the roots stop being a complex pair; descent converges beyond it, until a root is −1.
def largest_stable_step(hessian, *, momentum):
    (a, b), (_, d) = hessian
    lam = (a + d) / 2 + (((a - d) / 2) ** 2 + b * b) ** 0.5
    return (1 + momentum) ** 2 / lam
