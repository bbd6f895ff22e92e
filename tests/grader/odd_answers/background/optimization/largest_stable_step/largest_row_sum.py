# Wrong: Gershgorin's bound, which is safe and too small.
def largest_stable_step(hessian, *, momentum):
    return 2 * (1 + momentum) / max(sum(abs(entry) for entry in row) for row in hessian)
