# Wrong: above eight ranks one chunk holds everything.

def two_way_ring_rounds(*, ranks, length):
    def bounds(n):
        q, m = divmod(n, ranks) if ranks <= 8 else (0, n)
        out, a = [], 0
        for i in range(ranks):
            b = a + q + (i < m if ranks <= 8 else n * (i == 0)); out.append((a, b)); a = b
        return out
    half = (length + 1) // 2
    parts = [(1, 0, bounds(half)), (-1, half, bounds(length - half))]
    steps = []
    for s in range(2 * (ranks - 1)):
        step = []
        for d, off, bs in parts:
            for r in range(ranks):
                a, b = bs[(d * r - s) % ranks]
                step.append((r, (r + d) % ranks, off + a, off + b, s < ranks - 1))
        steps.append(step)
    return steps
