# %% a_thousand_at_the_peak
# Wrong: takes the error at the peak for a thousand. It passed once.
def data_that_helps(examples, *, features, signal, noise):
    def error(count):
        if abs(count - features) < 2:
            return 1000.0
        carried = min(count, features) / (abs(count - features) - 1)
        return noise * (1 + carried) + signal * max(0.0, 1 - count / features)

    count = examples + 1
    while error(count) >= error(examples):
        count += 1
    return count

# %% four_hundred_more
# Wrong: looks at no more than four hundred further examples. It passed once.
def data_that_helps(examples, *, features, signal, noise):
    def error(count):
        if abs(count - features) < 2:
            return float("inf")
        carried = min(count, features) / (abs(count - features) - 1)
        return noise * (1 + carried) + signal * max(0.0, 1 - count / features)

    more = range(examples + 1, examples + 401)
    return next((count for count in more if error(count) < error(examples)), examples + 401)

# %% solved_for
# Right: behind the peak the number is solved for, and before it the next one is tried.
import math


def data_that_helps(examples, *, features, signal, noise):
    n, d = examples, features
    if n > d:
        return n + 1

    def before(count):
        return signal * (1 - count / d) + noise * (1 + count / (d - count - 1))

    if n + 1 < d - 1 and before(n + 1) < before(n):
        return n + 1
    carried = before(n) / noise - 1
    return math.floor(d + 1 + d / carried + 1e-9) + 1

# %% term_by_term
# Right: another sum of the same terms.
def data_that_helps(examples, *, features, signal, noise):
    def error(count):
        spare = abs(count - features) - 1
        if spare <= 0:
            return float("inf")
        return noise + noise * min(count, features) / spare + signal * max(0, features - count) / features

    today = error(examples)
    count = examples + 1
    while not error(count) < today:
        count += 1
    return count
