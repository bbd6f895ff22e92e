# Wrong: a number of steps that is not whole.
# Message: where batch and steps have to be whole numbers
import numpy as np


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    lam, x, var = (np.asarray(v, float)[:, None] for v in (curvatures, start, noise_variances))
    eta = np.geomspace(1e-4, 0.99999, 3000)[None, :] * 2 / lam.max()
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        kept = (1 - eta * lam) ** (2 * steps)
        value = (lam / 2 * (kept * x**2 + (1 - kept) * eta * var / (batch * lam * (2 - eta * lam)))).sum(0)
        i = int(value.argmin())
        if value[i] <= target * (1 - 1e-9):
            return (
                float(eta[0, i]),
                batch,
                steps + 0.25 if (steps + 0.25) * batch <= most_examples and steps + 0.25 <= most_steps else steps,
            )
    raise ValueError("no design")
