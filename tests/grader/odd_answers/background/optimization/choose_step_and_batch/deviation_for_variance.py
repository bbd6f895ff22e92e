# Wrong: the root of the variance is taken for the variance.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    best = None
    steps = min(most_steps, most_examples)
    while steps:
        for power in range(1, 300):
            eta, batch = 2 / max(curvatures) * 0.98**power, most_examples // steps
            loss = 0.0
            for bend, x, variance in zip(curvatures, start, noise_variances):
                kept = (1 - eta * bend) ** (2 * steps)
                loss += bend / 2 * (kept * x * x + (1 - kept) * eta * variance**0.5 / batch / (bend * (2 - eta * bend)))
            if best is None or loss < best[0]:
                best = loss, eta, batch, steps
        steps = steps * 3 // 4
    return best[1:]
