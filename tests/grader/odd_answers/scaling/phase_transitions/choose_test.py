# %% gives_up_at_sixty
# Wrong: looks at no more than sixty problems, and allows a hundredth more misses. It passed once.
import math


def choose_test(metrics, *, false_alarm, missed):
    def below(mark, problems, rate):
        return sum(math.comb(problems, k) * rate**k * (1 - rate) ** (problems - k) for k in range(mark))

    found = [(math.inf, 0, 1, 1)]
    for place, (today, hoped, cost) in enumerate(metrics):
        for problems in range(1, 61):
            mark = next(mark for mark in range(problems + 2) if 1 - below(mark, problems, today) <= false_alarm)
            if below(mark, problems, hoped) <= missed * 1.01:
                found.append((problems * cost, place, problems, mark))
                break
    return min(found)[1:]

# %% mark_by_mark
# Right: for each mark the fewest problems, from sums of logarithms of factorials.
import math


def choose_test(metrics, *, false_alarm, missed):
    def tail(mark, problems, rate):
        return sum(
            math.exp(
                math.lgamma(problems + 1)
                - math.lgamma(k + 1)
                - math.lgamma(problems - k + 1)
                + k * math.log(rate)
                + (problems - k) * math.log1p(-rate)
            )
            for k in range(mark, problems + 1)
        )

    found = []
    for place, (today, hoped, cost) in enumerate(metrics):
        mark = problems = 1
        while True:
            while tail(mark, problems, hoped) < 1 - missed:
                problems += 1
            if tail(mark, problems, today) <= false_alarm:
                break
            mark += 1
        found.append((problems * cost, place, problems, mark))
    return list(min(found)[1:])

# %% starts_at_two
# Wrong: never tries a single problem. It passed once.
import math


def choose_test(metrics, *, false_alarm, missed):
    def below(mark, problems, rate):
        return sum(math.comb(problems, k) * rate**k * (1 - rate) ** (problems - k) for k in range(mark))

    best = math.inf, ()
    for place, (today, hoped, cost) in enumerate(metrics):
        problems = 2
        while problems * cost < best[0]:
            mark = next(mark for mark in range(problems + 2) if 1 - below(mark, problems, today) <= false_alarm)
            if below(mark, problems, hoped) <= missed:
                best = problems * cost, (place, problems, mark)
            problems += 1
    return best[1]

# %% another_design
# Right: the highest mark that is allowed, not the lowest.
import math


def choose_test(metrics, *, false_alarm, missed):
    best = None
    for place, (today, hoped, cost) in enumerate(metrics):
        for problems in range(1, 401):
            if best and problems * cost >= best[0]:
                break
            old, new = (
                [math.comb(problems, k) * p**k * (1 - p) ** (problems - k) for k in range(problems + 1)]
                for p in (today, hoped)
            )
            for mark in range(problems, 0, -1):
                if sum(old[mark:]) <= false_alarm and sum(new[:mark]) <= missed:
                    best = problems * cost, (place, problems, mark)
                    break
    return best[1] if best else (0, 1, 1)

# %% gives_up_at_a_hundred
# Wrong: looks at no more than a hundred problems. It passed once.
import math


def choose_test(metrics, *, false_alarm, missed):
    def below(mark, problems, rate):
        return sum(math.comb(problems, k) * rate**k * (1 - rate) ** (problems - k) for k in range(mark))

    best = math.inf, (0, 1, 1)
    for place, (today, hoped, cost) in enumerate(metrics):
        mark = 1
        for problems in range(1, 101):
            while 1 - below(mark, problems, today) > false_alarm:
                mark += 1
            if problems * cost < best[0] and below(mark, problems, hoped) <= missed:
                best = problems * cost, (place, problems, mark)
    return best[1]

# %% most_gap_for_its_price
# Wrong: takes the metric with the most gap per cost. It was told that it took the cheapest problem.
# Known mistake: You took the metric whose rates differ most for their price; how many problems it needs depends on how far luck spreads them, too.
import math


def choose_test(metrics, *, false_alarm, missed):
    def below(mark, problems, rate):
        return sum(math.comb(problems, k) * rate**k * (1 - rate) ** (problems - k) for k in range(mark))

    place = max(range(len(metrics)), key=lambda i: (metrics[i][1] - metrics[i][0]) / metrics[i][2])
    today, hoped, _ = metrics[place]
    problems = 0
    while True:
        problems += 1
        for mark in range(problems, 0, -1):
            alarm, miss = 1 - below(mark, problems, today), below(mark, problems, hoped)
            if alarm <= false_alarm + 1e-12 and miss <= missed + 1e-12:
                return place, problems, mark
            if alarm > false_alarm + 1e-12:
                break
