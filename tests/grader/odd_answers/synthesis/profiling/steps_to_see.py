# %% floats
# Right: with the statistics library, and a hair below a whole number rounded to it.
def steps_to_see(times_ms, warmup, change_percent):
    from math import ceil
    from statistics import mean, variance

    counted = times_ms[warmup:]
    needed = 8 * variance(counted) / (mean(counted) * change_percent / 100) ** 2
    return max(1, ceil(needed - 1e-9))


# %% counts_up
# Right: one step more, until the change is as large as two errors.
def steps_to_see(times_ms, warmup, change_percent):
    from fractions import Fraction as F

    counted = times_ms[warmup:]
    mean = F(sum(counted), len(counted))
    variance = sum((t - mean) ** 2 for t in counted) / (len(counted) - 1)
    steps = 1
    while 8 * variance / steps > (mean * change_percent / 100) ** 2:
        steps += 1
    return steps


# %% one_more
# Wrong: wants the change to be larger than two errors.
def steps_to_see(times_ms, warmup, change_percent):
    from fractions import Fraction as F

    counted = times_ms[warmup:]
    mean = F(sum(counted), len(counted))
    variance = sum((t - mean) ** 2 for t in counted) / (len(counted) - 1)
    return int(8 * variance / (mean * change_percent / 100) ** 2) + 1


# %% share_of_all_steps
# Wrong: the change as a share of the mean of all steps, the first ones too.
def steps_to_see(times_ms, warmup, change_percent):
    from fractions import Fraction as F

    counted = times_ms[warmup:]
    mean = F(sum(counted), len(counted))
    variance = sum((t - mean) ** 2 for t in counted) / (len(counted) - 1)
    needed = 8 * variance / (F(sum(times_ms), len(times_ms)) * change_percent / 100) ** 2
    return max(1, -(-needed.numerator // needed.denominator))


# %% median
# Wrong: deviations from the median.
def steps_to_see(times_ms, warmup, change_percent):
    from math import ceil
    from statistics import mean, median

    counted = times_ms[warmup:]
    middle = median(counted)
    spread = sum((t - middle) ** 2 for t in counted) / (len(counted) - 1)
    return max(1, ceil(8 * spread / (mean(counted) * change_percent / 100) ** 2 - 1e-9))


# %% bare_floats
# Wrong: in floats, where a hair above a whole number rounds up to the next.
def steps_to_see(times_ms, warmup, change_percent):
    from math import ceil
    from statistics import mean, variance

    counted = times_ms[warmup:]
    return max(1, ceil(8 * variance(counted) / (mean(counted) * change_percent / 100) ** 2))


# %% equation_in_floats
# Wrong: the chapter's equation as it is written, in floats.
def steps_to_see(times_ms, warmup, change_percent):
    from math import ceil
    from statistics import mean, stdev

    counted = times_ms[warmup:]
    spread = stdev(counted) / mean(counted)
    return max(1, ceil(2 * (2 * spread / (change_percent / 100)) ** 2))
