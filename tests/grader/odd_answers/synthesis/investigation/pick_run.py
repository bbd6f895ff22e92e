# %% by_products
# Right: compares column times rate with the samples.
def pick_run(runs, samples, spread_percent):
    from fractions import Fraction as F

    def seconds(row):
        return min(row[:2], key=lambda column: abs(column * row[2] - 1000 * samples))

    order = sorted(range(len(runs)), key=lambda i: seconds(runs[i]))
    best, rest = order[0], order[1]
    lead = 1 - F(seconds(runs[best]), seconds(runs[rest]))
    error = 4 * F(spread_percent, 100) ** 2 * (F(1, runs[best][3]) + F(1, runs[rest][3]))
    return best, lead, "take" if lead * lead >= error else "repeat"


# %% swaps_back_the_majority
# Wrong: takes for the seconds the column that is so in most rows.
def pick_run(runs, samples, spread_percent):
    due = [1000 * samples / row[2] for row in runs]
    swapped = [abs(row[1] - d) < abs(row[0] - d) for row, d in zip(runs, due)]
    column = 1 if 2 * sum(swapped) > len(runs) else 0
    times = [row[column] for row in runs]
    order = sorted(range(len(runs)), key=lambda i: times[i])
    best, rest = order[0], order[1]
    lead = 1 - times[best] / times[rest]
    error = 2 * spread_percent / 100 * (1 / runs[best][3] + 1 / runs[rest][3]) ** 0.5
    return best, lead, "take" if lead >= error else "repeat"


# %% takes_the_rate
# Wrong: takes the seconds from the samples alone, where the table has them more exactly.
def pick_run(runs, samples, spread_percent):
    times = [1000 * samples / row[2] for row in runs]
    order = sorted(range(len(runs)), key=lambda i: times[i])
    best, rest = order[0], order[1]
    lead = 1 - times[best] / times[rest]
    error = 2 * spread_percent / 100 * (1 / runs[best][3] + 1 / runs[rest][3]) ** 0.5
    return best, lead, "take" if lead >= error else "repeat"


# %% adds_the_errors
# Wrong: adds the two standard errors instead of their squares.
def pick_run(runs, samples, spread_percent):
    def seconds(row):
        return min(row[:2], key=lambda column: abs(column * row[2] - 1000 * samples))

    order = sorted(range(len(runs)), key=lambda i: seconds(runs[i]))
    best, rest = order[0], order[1]
    lead = 1 - seconds(runs[best]) / seconds(runs[rest])
    error = 2 * spread_percent / 100 * (runs[best][3] ** -0.5 + runs[rest][3] ** -0.5)
    return best, lead, "take" if lead >= error else "repeat"


# %% rounds_what_is_due
# Wrong: rounds the seconds that the samples say before it compares.
def pick_run(runs, samples, spread_percent):
    from fractions import Fraction as F

    times = [min(row[:2], key=lambda column: abs(column - 1000 * samples // row[2])) for row in runs]
    order = sorted(range(len(runs)), key=lambda i: times[i])
    best, rest = order[0], order[1]
    lead = 1 - F(times[best], times[rest])
    error = 4 * F(spread_percent, 100) ** 2 * (F(1, runs[best][3]) + F(1, runs[rest][3]))
    return best, lead, "take" if lead * lead >= error else "repeat"


# %% rounds_the_lead
# Wrong: judges a lead rounded to three decimals.
def pick_run(runs, samples, spread_percent):
    from fractions import Fraction as F

    times = [min(row[:2], key=lambda column: abs(column * row[2] - 1000 * samples)) for row in runs]
    order = sorted(range(len(runs)), key=lambda i: times[i])
    best, rest = order[0], order[1]
    lead = 1 - F(times[best], times[rest])
    error = 4 * F(spread_percent, 100) ** 2 * (F(1, runs[best][3]) + F(1, runs[rest][3]))
    return best, lead, "take" if F(round(lead, 3)) ** 2 >= error else "repeat"


# %% the_last_of_equal_ones
# Wrong: takes the last of equally fast runs for the next fastest.
def pick_run(runs, samples, spread_percent):
    from fractions import Fraction as F

    times = [min(row[:2], key=lambda column: abs(column * row[2] - 1000 * samples)) for row in runs]
    best = min(range(len(runs)), key=lambda i: times[i])
    rest = min((i for i in range(len(runs)) if i != best), key=lambda i: (times[i], -i))
    lead = 1 - F(times[best], times[rest])
    error = 4 * F(spread_percent, 100) ** 2 * (F(1, runs[best][3]) + F(1, runs[rest][3]))
    return best, lead, "take" if lead * lead >= error else "repeat"
