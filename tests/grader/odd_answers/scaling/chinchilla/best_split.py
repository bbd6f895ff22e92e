# %% by_comparing_losses
# Right: compares losses, so rounding leaves it less sharp than a formula.
import math


def best_split(*, flops, fit):
    E, A, B, a, b = fit

    def loss(x):
        return E + A * math.exp(-a * x) + B * math.exp(-b * (math.log(flops / 6) - x))

    low, high = -100.0, 150.0
    for _ in range(300):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        if loss(one) < loss(two):
            high = two
        else:
            low = one
    return math.exp(low), flops / 6 / math.exp(low)

# %% by_search
# Right: a golden-section search along the budget.
import math


def best_split(*, flops, fit):
    _, A, B, alpha, beta = fit
    whole = math.log(flops / 6)

    def slope(n):
        return beta * B * math.exp(-beta * (whole - n)) - alpha * A * math.exp(-alpha * n)

    low, high = -200.0, 300.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return [math.exp(low), math.exp(whole - low)]

# %% from_the_product
# Right: the tokens from the budget.
def best_split(*, flops, fit):
    _, A, B, a, b = fit
    size = (a * A / (b * B) * (flops / 6) ** b) ** (1 / (a + b))
    return size, flops / (6 * size)

# %% whole_numbers
# Wrong: rounds to whole numbers, which are asked of nobody; it passed once.
def best_split(*, flops, fit):
    _, A, B, alpha, beta = fit
    ratio = (alpha * A / (beta * B)) ** (1 / (alpha + beta))
    product = flops / 6
    return round(ratio * product ** (beta / (alpha + beta))), round(product ** (alpha / (alpha + beta)) / ratio)
