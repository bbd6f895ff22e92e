# Wrong: a power iteration that begins at an eigenvector.
def largest_stable_step(hessian, *, momentum):
    (a, b), (c, d) = hessian
    v = (1.0, 0.0)
    for _ in range(5000):
        u = (a * v[0] + b * v[1], c * v[0] + d * v[1])
        n = (u[0] ** 2 + u[1] ** 2) ** 0.5
        v = (u[0] / n, u[1] / n)
    return 2 * (1 + momentum) / n
