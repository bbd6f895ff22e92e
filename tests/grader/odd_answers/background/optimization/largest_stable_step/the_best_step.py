# Wrong: the best step size, of the best momentum.
# Known mistake: This is the step size of the best pair of step size and momentum; asked is the largest that converges at the momentum that is given.
def largest_stable_step(hessian, *, momentum):
    (a, b), (_, d) = hessian
    lam = (a + d) / 2 + (((a - d) / 2) ** 2 + b * b) ** 0.5
    return 4 / (lam**0.5 + (a + d - lam) ** 0.5) ** 2
