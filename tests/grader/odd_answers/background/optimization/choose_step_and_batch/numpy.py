# Right: NumPy's numbers, and only as large a batch as the target needs.
import numpy as np


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    bends, places, noise = (np.array(given, dtype=float) for given in (curvatures, start, noise_variances))
    sizes = 2 / bends.max() * np.geomspace(0.999, 0.001, 700)[:, None]
    for steps in np.unique(np.geomspace(1, min(most_steps, most_examples), 60).astype(int))[::-1]:
        kept = (1 - sizes * bends) ** (2 * steps)
        for batch in sorted({1, most_examples // steps}):
            settled = sizes * noise / batch / (bends * (2 - sizes * bends))
            losses = (bends / 2 * (kept * places**2 + (1 - kept) * settled)).sum(axis=1)
            if losses.min() <= target:
                return sizes[losses.argmin(), 0], np.int64(batch), steps
