# %% divmod
# Right: the floor and what it cuts off in one call.
def fair_integers(values, *, step, draws):
    lines = []
    for value, draw in zip(values, draws):
        below, rest = divmod(value / step, 1)
        lines.append(int(below) + int(rest > draw))
    return lines


# %% ceiling
# Right: the ceiling of the place less the draw.
import math


def fair_integers(values, *, step, draws):
    return [math.ceil(value / step - draw) for value, draw in zip(values, draws)]


# %% floor_of_place_and_draw
# Wrong: the draw is added, so that a number goes up if its draw is above one minus its share.
import math


def fair_integers(values, *, step, draws):
    return [math.floor(value / step + draw) for value, draw in zip(values, draws)]


# %% mirrored
# Wrong: magnitudes are rounded and signs put back, so negative numbers go down where they should go up.
import math


def fair_integers(values, *, step, draws):
    lines = []
    for value, draw in zip(values, draws):
        place = abs(value) / step
        line = math.floor(place) + (draw < place % 1)
        lines.append(line if value >= 0 else -line)
    return lines


# %% bytes
# Wrong: integers are cut to a byte, which the exercise doesn't ask for.
import math


def fair_integers(values, *, step, draws):
    return [max(-127, min(127, math.ceil(value / step - draw))) for value, draw in zip(values, draws)]


# %% whole_steps
# Wrong: a step above 1 is cut to a whole number.
import math


def fair_integers(values, *, step, draws):
    step = step if step < 1 else int(step)
    return [math.ceil(value / step - draw) for value, draw in zip(values, draws)]


# %% coarse_shares
# Wrong: the share is rounded to hundredths before it's compared with the draw.
import math


def fair_integers(values, *, step, draws):
    lines = []
    for value, draw in zip(values, draws):
        below = math.floor(value / step)
        lines.append(below + (draw < round(value / step - below, 2)))
    return lines


# %% nearest
# Wrong: Python's rounding, whatever the draw.
# Known mistake: You rounded to the nearest line, whatever the draw. Small numbers are then zero in every step.
def fair_integers(values, *, step, draws):
    return [round(value / step) for value in values]
