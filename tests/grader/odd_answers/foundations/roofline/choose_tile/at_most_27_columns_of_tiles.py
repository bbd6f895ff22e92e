# Wrong: it tries one to 27 columns of tiles.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room, best = fast_bytes // element_bytes, None
    for columns in {-(-n // number) for number in range(1, 28)}:
        rows = min(m, (room - columns) // (columns + 1))
        if rows >= 1:
            words = m * k * -(-n // columns) + k * n * -(-m // rows)
            if best is None or words < best[0]:
                best = words, rows, columns
    return best[1:]
