# Wrong: the window's end, with μ for √μ.
# Known mistake: The window's end has √μ, not μ. And it is where the roots stop being a complex pair; descent converges beyond it, until a root is −1.
def largest_stable_step(hessian, *, momentum):
    (a, b), (_, d) = hessian
    lam = (a + d) / 2 + (((a - d) / 2) ** 2 + b * b) ** 0.5
    return (1 + momentum) ** 2 / lam
