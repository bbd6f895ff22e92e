# %% high_numbers_go_up
# Right: up where the random number is in the last part, instead of the first.
def stochastic_rounding(*, value, grid, drawn):
    low = max(point for point in grid if point <= value)
    high = min(point for point in grid if point >= value)
    if low == high:
        return [value for _ in drawn]
    return [low if number < (high - value) / (high - low) else high for number in drawn]


# %% threshold_between_neighbours
# Right: the random number as a place between the neighbours.
def stochastic_rounding(*, value, grid, drawn):
    low = max(point for point in grid if point <= value)
    high = min(point for point in grid if point >= value)
    return [high if low + number * (high - low) < value else low for number in drawn]


# %% a_tuple
# Right: a tuple is a sequence too.
def stochastic_rounding(*, value, grid, drawn):
    low = max(point for point in grid if point <= value)
    high = min(point for point in grid if point >= value)
    return tuple(high if low + number * (high - low) < value else low for number in drawn)


# %% the_right_number_of_each
# Wrong: the counts are right, but by place in the list, not by the random number.
def stochastic_rounding(*, value, grid, drawn):
    low = max(point for point in grid if point <= value)
    high = min(point for point in grid if point >= value)
    if low == high:
        return [value] * len(drawn)
    ups = round((value - low) / (high - low) * len(drawn))
    return [high] * ups + [low] * (len(drawn) - ups)


# %% the_ends_of_the_grid
# Wrong: unbiased, but between the ends of the grid instead of the neighbours.
# Message: no neighbour
def stochastic_rounding(*, value, grid, drawn):
    share = (value - grid[0]) / (grid[-1] - grid[0])
    return [grid[-1] if number < share else grid[0] for number in drawn]


# %% does_not_round
# Wrong: the number itself has the right mean, but is not of the grid.
# Message: no neighbour
def stochastic_rounding(*, value, grid, drawn):
    return [value for _ in drawn]


# %% own_random_numbers
# Wrong: draws for itself.
def stochastic_rounding(*, value, grid, drawn):
    import random

    low = max(point for point in grid if point <= value)
    high = min(point for point in grid if point >= value)
    if low == high:
        return [value] * len(drawn)
    return [high if random.random() < (value - low) / (high - low) else low for _ in drawn]


# %% by_rank
# Wrong: the smallest of the draws go up, so that a result depends on the others.
def stochastic_rounding(*, value, grid, drawn):
    low = max(point for point in grid if point <= value)
    high = min(point for point in grid if point >= value)
    if low == high:
        return [value for _ in drawn]
    ups = round((value - low) / (high - low) * len(drawn))
    last = sorted(drawn)[ups - 1] if ups else -1
    return [high if number <= last else low for number in drawn]
