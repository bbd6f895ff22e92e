# Wrong: it tries one to eight rows of tiles, and has no tile where more are needed.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room, best = fast_bytes // element_bytes, None
    for rows in {-(-m // number) for number in range(1, 9)}:
        columns = min(n, (room - rows) // (rows + 1))
        if columns >= 1:
            words = m * k * -(-n // columns) + k * n * -(-m // rows)
            if best is None or words < best[0]:
                best = words, rows, columns
    return best[1:]
