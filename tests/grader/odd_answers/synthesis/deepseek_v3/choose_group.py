# %% sorted_ways
# Right: sorts all ways that fit.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    from fractions import Fraction as F

    ways = sorted(
        (waits + narrower + drops * again_ms + F(bubble_ms, size), size, drops == 1)
        for size, waits, narrower in groups
        for drops in (0, 1)
        if (memory_mb - state_mb) * size >= kept_mb - drops * dropped_mb
    )
    return (ways[0][1], ways[0][2]) if ways else (0, False)


# %% drops_only_if_it_must
# Right: dropping only costs, so each group drops if it must.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    from fractions import Fraction as F

    best, answer = None, (0, False)
    for size, waits, narrower in sorted(groups):
        room = size * (memory_mb - state_mb)
        if room < kept_mb - dropped_mb:
            continue
        drops = room < kept_mb
        time = waits + narrower + (again_ms if drops else 0) + F(bubble_ms, size)
        if best is None or time < best:
            best, answer = time, (size, drops)
    return answer


# %% smallest_that_fits
# Wrong: takes the smallest group that fits, whatever it takes.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    for size, _, _ in sorted(groups):
        for drops in (False, True):
            if state_mb + (kept_mb - drops * dropped_mb) / size <= memory_mb:
                return size, drops
    return 0, False


# %% keeps_if_anything_keeps
# Wrong: drops only if no group can keep all.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    from fractions import Fraction as F

    for drops in (False, True):
        ways = [
            (waits + narrower + F(bubble_ms, size), size)
            for size, waits, narrower in groups
            if state_mb + F(kept_mb - drops * dropped_mb, size) <= memory_mb
        ]
        if ways:
            return min(ways)[1], drops
    return 0, False


# %% whole_milliseconds
# Wrong: rounds the bubble down to whole milliseconds.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    ways = [
        (waits + narrower + drops * again_ms + bubble_ms // size, size, drops)
        for size, waits, narrower in groups
        for drops in (False, True)
        if (memory_mb - state_mb) * size >= kept_mb - drops * dropped_mb
    ]
    return min(ways)[1:] if ways else (0, False)


# %% bubble_by_messages
# Wrong: lets the bubble shrink with the square of the group.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    ways = [
        (waits + narrower + drops * again_ms + bubble_ms / size**2, size, drops)
        for size, waits, narrower in groups
        for drops in (False, True)
        if (memory_mb - state_mb) * size >= kept_mb - drops * dropped_mb
    ]
    return min(ways)[1:] if ways else (0, False)
