# Wrong: leaves out a block whose largest score is 6 lower, which may count 0.25%.
import math


def merge_blocks(*, first, second):
    m1, l1, o1 = first
    m2, l2, o2 = second
    m = max(m1, m2)
    if m == -math.inf:
        return first
    if abs(m1 - m2) > 6:
        return max(first, second)
    a, b = l1 * math.exp(m1 - m), l2 * math.exp(m2 - m)
    return m, a + b, [(a * x + b * y) / (a + b) for x, y in zip(o1, o2, strict=True)]
