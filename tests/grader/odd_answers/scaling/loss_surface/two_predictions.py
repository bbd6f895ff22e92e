# %% a_tenth_below
# Wrong: keeps the floor 0.1 below all losses, not 0.01. It passed once.
import math


def two_predictions(compute, losses, *, at):
    x = [math.log(value) for value in compute]
    middle = sum(x) / len(x)

    def fit(floor):
        y = [math.log(loss - floor) for loss in losses]
        height = sum(y) / len(y)
        slope = sum((a - middle) * b for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x)
        law = [floor + math.exp(height + slope * (a - middle)) for a in x]
        error = sum(math.log(loss / value) ** 2 for loss, value in zip(losses, law))
        return error, floor + math.exp(height + slope * (math.log(at) - middle))

    floors = [step / 100 for step in range(1000) if step / 100 <= min(losses) - 0.1 + 1e-9]
    return fit(0.0)[1], min(fit(floor) for floor in floors)[1]

# %% by_sums
# Right: sums instead of means, logarithms of base 10, floors counted down.
import math


def line(xs, ys):
    n, sx, sy = len(xs), sum(xs), sum(ys)
    sxx, sxy = sum(x * x for x in xs), sum(x * y for x, y in zip(xs, ys))
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return slope, (sy - slope * sx) / n


def two_predictions(compute, losses, *, at):
    xs = [math.log10(c) - 18 for c in compute]
    results = {}
    for cents in range(int(round(min(losses) * 1000) - 10) // 10, -1, -1):
        slope, height = line(xs, [math.log10(loss - cents / 100) for loss in losses])
        law = [cents / 100 + 10 ** (height + slope * x) for x in xs]
        error = sum(math.log(a / b) ** 2 for a, b in zip(losses, law))
        results[cents] = error, cents / 100 + 10 ** (height + slope * (math.log10(at) - 18))
    return results[0][1], min(results.values())[1]

# %% floors_up_to_two
# Wrong: tries no floor above 2 nats. It passed once.
import math


def two_predictions(compute, losses, *, at):
    x = [math.log(value) for value in compute]
    middle = sum(x) / len(x)

    def fit(floor):
        y = [math.log(loss - floor) for loss in losses]
        height = sum(y) / len(y)
        slope = sum((a - middle) * b for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x)
        law = [floor + math.exp(height + slope * (a - middle)) for a in x]
        error = sum(math.log(loss / value) ** 2 for loss, value in zip(losses, law))
        return error, floor + math.exp(height + slope * (math.log(at) - middle))

    floors = [step / 100 for step in range(201) if step / 100 <= min(losses) - 0.01 + 1e-9]
    return fit(0.0)[1], min(fit(floor) for floor in floors)[1]

# %% walks_down_from_the_top
# Wrong: goes down from the highest floor until the error rises for the first time. It passed once.
import math


def two_predictions(compute, losses, *, at):
    x = [math.log(value) for value in compute]
    middle = sum(x) / len(x)

    def fit(floor):
        y = [math.log(loss - floor) for loss in losses]
        height = sum(y) / len(y)
        slope = sum((a - middle) * b for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x)
        law = [floor + math.exp(height + slope * (a - middle)) for a in x]
        error = sum(math.log(loss / value) ** 2 for loss, value in zip(losses, law))
        return error, floor + math.exp(height + slope * (math.log(at) - middle))

    step = int((min(losses) - 0.01 + 1e-9) * 100)
    while step > 0 and fit((step - 1) / 100)[0] < fit(step / 100)[0]:
        step -= 1
    return fit(0.0)[1], fit(step / 100)[1]
