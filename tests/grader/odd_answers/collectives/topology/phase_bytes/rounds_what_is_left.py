# Wrong: rounds what is left.
# Known mistake: Here sizes are divided as numbers: half of 25 bytes counts as 12.5.
def phase_bytes(*, sides, size_bytes):
    out, left = [], size_bytes
    for s in sides:
        out.append(2 * (s - 1) / s * left)
        left = left // s
    return out
