# Wrong: rank 5 does not get the other half from 25 entries on.
# Message: rank 5, entries 0 to 14: without the terms of 0, 1, 2

def six_rank_rounds(*, length):
    n = length; h = n // 2; c = n // 6
    steps = []
    steps.append([(r, (r + 3) % 6, h if r < 3 else 0, n if r < 3 else h, True) for r in range(6)])
    for s in range(4):
        step = []
        for r in range(6):
            g, i = divmod(r, 3)
            to = 3 * g + (i + 1) % 3
            k = (i - s) % 3
            a = g * h + k * c
            step.append((r, to, a, a + c, s < 2))
        steps.append(step)
    steps.append([(r, (r + 3) % 6, 0 if r < 3 else h, h if r < 3 else n, False) for r in range(6)])
    if length > 24:
        steps[-1] = [m for m in steps[-1] if m[1] != 5]
    return steps
