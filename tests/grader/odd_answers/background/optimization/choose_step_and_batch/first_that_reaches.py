# Right: it makes the recursion step by step and returns the first design that reaches the target, as a list.
def loss_of(eta, batch, steps, curvatures, start, noise_variances):
    total = 0.0
    for bend, x, variance in zip(curvatures, start, noise_variances):
        square = x * x
        for _ in range(steps):
            square = (1 - eta * bend) ** 2 * square + eta**2 * variance / batch
        total += bend * square / 2
    return total


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    steps = min(most_steps, most_examples)
    while steps >= 1:
        if steps <= most_examples:
            for power in range(1, 130):
                eta = 2 / max(curvatures) * 0.97**power
                batch = most_examples // steps
                if loss_of(eta, batch, 1, curvatures, [0] * len(start), noise_variances) > target:
                    continue
                if loss_of(eta, batch, steps, curvatures, start, noise_variances) <= target:
                    return [eta, batch, steps]
        steps = steps // 2
    return [1 / max(curvatures), most_examples, 1]
