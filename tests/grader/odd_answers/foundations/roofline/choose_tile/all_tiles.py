# Right: every tile that fits is tried, and the first that is fast enough is taken.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    numbers = 2 * m * k * n * bandwidth_bytes_per_s // (peak_flops_per_s * element_bytes)
    for columns in range(n, 0, -1):
        rows = min(m, (fast_bytes // element_bytes - columns) // (columns + 1))
        if rows >= 1 and m * k * -(-n // columns) + k * n * -(-m // rows) + m * n <= numbers:
            return rows, columns
