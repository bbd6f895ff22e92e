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


# %% group_drops_only_if_none_keeps
# Wrong: lets a group drop only if no group keeps all.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    from fractions import Fraction as F

    ways = []
    for size, waits, narrower in groups:
        for drops in (False, True):
            if drops and size > 1 and any(state_mb * other + kept_mb <= memory_mb * other for other, _, _ in groups):
                continue
            if (memory_mb - state_mb) * size >= kept_mb - drops * dropped_mb:
                ways.append((waits + narrower + drops * again_ms + F(bubble_ms, size), size, drops))
    return min(ways)[1:] if ways else (0, False)


# %% bubble_by_busy_step
# Wrong: the chapter's equation, whose work has the recomputing in it.
def choose_group(groups, state_mb, kept_mb, dropped_mb, memory_mb, work_ms, again_ms, bubble_ms):
    ways = []
    for size, waits, narrower in groups:
        for drops in (False, True):
            if (memory_mb - state_mb) * size >= kept_mb - drops * dropped_mb:
                busy = work_ms - again_ms * (not drops) + waits + narrower
                ways.append((busy + bubble_ms * busy / (size * work_ms), size, drops))
    return min(ways)[1:] if ways else (0, False)
