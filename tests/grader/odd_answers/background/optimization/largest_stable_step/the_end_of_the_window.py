# Wrong: where the roots stop being a complex pair.
# Known mistake: This is the end of the window in which the roots are a complex pair. Beyond it they are real, and both still inside the unit disc, until one is −1.
def largest_stable_step(hessian, *, momentum):
    (a, b), (_, d) = hessian
    lam = (a + d) / 2 + (((a - d) / 2) ** 2 + b * b) ** 0.5
    return (1 + momentum**0.5) ** 2 / lam
