# Wrong: the batch is rounded to the nearest number.
# Known mistake: To the nearest whole number is up as often as down, and then the examples do not last: round down.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * var / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    border = 2 / max(curvatures)
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = round(most_examples / steps)
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]
