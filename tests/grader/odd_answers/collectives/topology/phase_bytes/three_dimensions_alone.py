# Wrong: three dimensions alone.
def phase_bytes(*, sides, size_bytes):
    a, b, c = (list(sides) + [1, 1, 1])[:3]
    return [2 * (a - 1) / a * size_bytes, 2 * (b - 1) / b * size_bytes / a, 2 * (c - 1) / c * size_bytes / a / b][
        : len(sides)
    ]
