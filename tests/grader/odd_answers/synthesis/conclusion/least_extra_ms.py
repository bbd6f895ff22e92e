# %% either_or
# Right: with the last technique or without it.
def least_extra_ms(techniques, held_gb, limit_gb):
    if held_gb <= limit_gb:
        return 0
    if not techniques:
        return None
    *rest, (gb, ms) = techniques
    without = least_extra_ms(rest, held_gb=held_gb, limit_gb=limit_gb)
    with_it = least_extra_ms(rest, held_gb=held_gb - gb, limit_gb=limit_gb)
    costs = [cost for cost in (without, None if with_it is None else with_it + ms) if cost is not None]
    return min(costs, default=None)


# %% pairs_at_most
# Wrong: never more than two techniques together.
def least_extra_ms(techniques, held_gb, limit_gb):
    from itertools import combinations

    found = [
        sum(ms for _, ms in some)
        for count in range(3)
        for some in combinations(techniques, count)
        if held_gb - sum(gb for gb, _ in some) <= limit_gb
    ]
    return min(found, default=None)


# %% fewest_techniques
# Wrong: as few techniques as possible, and the cheapest of those.
def least_extra_ms(techniques, held_gb, limit_gb):
    from itertools import combinations

    for count in range(len(techniques) + 1):
        found = [
            sum(ms for _, ms in some)
            for some in combinations(techniques, count)
            if held_gb - sum(gb for gb, _ in some) <= limit_gb
        ]
        if found:
            return min(found)
    return None


# %% nine_at_most
# Wrong: never more than nine techniques together.
def least_extra_ms(techniques, held_gb, limit_gb):
    from itertools import combinations

    found = [
        sum(ms for _, ms in some)
        for count in range(10)
        for some in combinations(techniques, count)
        if held_gb - sum(gb for gb, _ in some) <= limit_gb
    ]
    return min(found, default=None)
