# Wrong: what N does not divide is in the last chunk.
# Known mistake: Where N does not divide a half, one chunk takes all that is left over, and every step waits for it; let the chunks differ by one entry at most.

def two_way_ring_rounds(*, ranks, length):
    def bounds(n):
        q, m = divmod(n, ranks)
        out, a = [], 0
        for i in range(ranks):
            b = a + q + (m if i == ranks - 1 else 0); out.append((a, b)); a = b
        return out
    half = length // 2
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
