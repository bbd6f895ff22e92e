# Right: the pairs' schedule, as tuples of tuples.
def six_rank_rounds(*, length):
    half, sixth = length // 2, length // 6
    steps = [tuple((r, (r + 3) % 6, half if r < 3 else 0, length if r < 3 else half, True) for r in range(6))]
    for step in range(4):
        steps.append(
            tuple(
                (r, r // 3 * 3 + (r + 1) % 3, start, start + sixth, step < 2)
                for r in range(6)
                for start in [r // 3 * half + (r % 3 - step) % 3 * sixth]
            )
        )
    steps.append(tuple((r, (r + 3) % 6, 0 if r < 3 else half, half if r < 3 else length, False) for r in range(6)))
    return tuple(steps)
