# Wrong: the approximation for small steps is used up to the border.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    best = None
    steps = min(most_steps, most_examples)
    while steps:
        for power in range(1, 300):
            eta, batch = 2 / max(curvatures) * 0.98**power, most_examples // steps
            loss = eta / 4 / batch * sum(noise_variances)
            loss += sum(b / 2 * (1 - eta * b) ** (2 * steps) * x * x for b, x in zip(curvatures, start))
            if best is None or loss < best[0]:
                best = loss, eta, batch, steps
        steps = steps * 3 // 4
    return best[1:]
