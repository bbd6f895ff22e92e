# %% a_fraction_of_an_example
# Wrong: a batch that is not whole.
# Message: where batch and steps have to be whole numbers
import numpy as np


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    lam, x, var = (np.asarray(v, float)[:, None] for v in (curvatures, start, noise_variances))
    eta = np.geomspace(1e-4, 0.99999, 3000)[None, :] * 2 / lam.max()
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples / steps * (1 - 1e-12)
        kept = (1 - eta * lam) ** (2 * steps)
        value = (lam / 2 * (kept * x**2 + (1 - kept) * eta * var / (batch * lam * (2 - eta * lam)))).sum(0)
        i = int(value.argmin())
        if value[i] <= target * (1 - 1e-9):
            return float(eta[0, i]), batch, steps
    raise ValueError("no design")

# %% a_step_more_than_examples
# Wrong: one step more than there are examples.
# Message: 1 · 25 = 25, 1 more than 24
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
    for steps in range(1, min(most_steps, most_examples + 1) + 1):
        batch = max(1, most_examples // steps)
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% all_steps_but_the_last
# Wrong: the largest number of steps is left out.
# Known mistake: range stops before its end: the largest number of steps is allowed too.
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
    for steps in range(1, min(most_steps, most_examples)):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% every_number_of_steps
# Right: as the hints say, with every number of steps.
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
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% first_that_reaches
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

# %% from_the_border_of_the_last
# Wrong: the last curvature need not be the largest. It passed once.
import numpy as np


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    lam, x, var = (np.asarray(v, float)[:, None] for v in (curvatures, start, noise_variances))
    eta = np.geomspace(1e-4, 0.99999, 3000)[None, :] * 2 / lam[-1]
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        kept = (1 - eta * lam) ** (2 * steps)
        value = (lam / 2 * (kept * x**2 + (1 - kept) * eta * var / (batch * lam * (2 - eta * lam)))).sum(0)
        i = int(value.argmin())
        if value[i] <= target * (1 - 1e-9):
            return float(eta[0, i]), batch, steps
    raise ValueError("no design")

# %% from_the_border_of_the_last_by_percents
# Wrong: the last curvature need not be the largest. It passed once.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * var / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    border = 2 / curvatures[-1]
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% half_an_example_more
# Wrong: half an example more in each batch, where there is enough.
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
            return float(eta[0, i]), batch + (0.5 if (batch + 0.5) * steps <= most_examples else 0), steps
    raise ValueError("no design")

# %% numpy
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

# %% stays_where_that_is_enough
# Right: no step, where the start were below the target, which it never is.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * var / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    if sum(l * x * x for l, x in zip(curvatures, start)) / 2 <= target:
        return 0.0, 1, 0
    border = 2 / max(curvatures)
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% the_ends_of_the_curvatures_only
# Wrong: the directions between the flattest and the steepest are left out. It passed once.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in [
            t for t in zip(curvatures, start, noise_variances) if t[0] in (min(curvatures), max(curvatures))
        ]:
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * var / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    border = 2 / max(curvatures)
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% the_loudest_noise
# Wrong: every direction gets the largest variance.
# Message: times the target
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * max(noise_variances) / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    border = 2 / max(curvatures)
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% the_mean_of_the_noise
# Wrong: every direction gets the mean variance.
# Message: times the target
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * (sum(noise_variances) / len(noise_variances)) / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    border = 2 / max(curvatures)
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% up_to_the_border_of_the_sum
# Wrong: the step size stays below 2/Σλ.
# Message: ValueError: no design
import numpy as np


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    lam, x, var = (np.asarray(v, float)[:, None] for v in (curvatures, start, noise_variances))
    eta = np.geomspace(1e-4, 0.99999, 3000)[None, :] * 2 / lam.sum()
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        kept = (1 - eta * lam) ** (2 * steps)
        value = (lam / 2 * (kept * x**2 + (1 - kept) * eta * var / (batch * lam * (2 - eta * lam)))).sum(0)
        i = int(value.argmin())
        if value[i] <= target * (1 - 1e-9):
            return float(eta[0, i]), batch, steps
    raise ValueError("no design")

# %% up_to_the_border_of_the_sum_by_percents
# Wrong: the step size stays below 2/Σλ. It passed once.
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * var / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    border = 2 / sum(curvatures)
    best = None
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for k in range(1, 300):
            eta = border * 0.98**k
            value = loss(eta, batch, steps)
            if best is None or value < best[0]:
                best = (value, eta, batch, steps)
    return best[1:]

# %% another_design
# Right: the first design that reaches the target, from the most steps on, not the lowest loss.
def end(step, batch, steps, curvatures, start, noise_variances):
    loss = 0.0
    for c, x, v in zip(curvatures, start, noise_variances):
        left = (1 - step * c) ** (2 * steps)
        loss += c / 2 * (left * x * x + (1 - left) * step * v / batch / (c * (2 - step * c)))
    return loss


def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    for steps in range(min(most_steps, most_examples), 0, -1):
        batch = most_examples // steps
        for part in range(1, 120):
            step = 2 / max(curvatures) * part / 120
            if end(step, batch, steps, curvatures, start, noise_variances) <= target:
                return step, batch, steps
    return 1.0, 1, 1

# %% too_few_step_sizes
# Wrong: it counts the noise, and its step sizes lie too far apart. It was told to count the noise once.
# Message: steps 2; with this step size no other batch and steps end lower
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    def loss(eta, batch, steps):
        total = 0.0
        for lam, x0, var in zip(curvatures, start, noise_variances):
            kept = (1 - eta * lam) ** (2 * steps)
            settled = eta * var / (batch * lam * (2 - eta * lam))
            total += lam / 2 * (kept * x0**2 + (1 - kept) * settled)
        return total

    designs = []
    for steps in range(1, min(most_steps, most_examples) + 1):
        for i in range(1, 60):
            eta = 2 / max(curvatures) * 10 ** (-i / 15)
            designs.append((loss(eta, most_examples // steps, steps), eta, most_examples // steps, steps))
    return min(designs)[1:]
