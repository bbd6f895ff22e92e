# Wrong: ranks are counted from 1.
# Message: step 1, (3, 6, 3, 6, True): there is no rank 6, only 0 to 5

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
    return [[(a + 1, b + 1, s, t, x) for a, b, s, t, x in st] for st in steps]
