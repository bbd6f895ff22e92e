# %% a_list
# Right: a list of two.
def choose_tile(m, k, n, element_bytes, fast_bytes, **rates):
    room = fast_bytes // element_bytes
    tiles = [[a, min(n, (room - a) // (a + 1))] for a in range(1, m + 1) if (room - a) // (a + 1) >= 1]
    return min(tiles, key=lambda tile: m * k * -(-n // tile[1]) + k * n * -(-m // tile[0]))

# %% all_tiles
# Right: every tile that fits is tried, and the first that is fast enough is taken.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    numbers = 2 * m * k * n * bandwidth_bytes_per_s // (peak_flops_per_s * element_bytes)
    for columns in range(n, 0, -1):
        rows = min(m, (fast_bytes // element_bytes - columns) // (columns + 1))
        if rows >= 1 and m * k * -(-n // columns) + k * n * -(-m // rows) + m * n <= numbers:
            return rows, columns

# %% at_most_27_columns_of_tiles
# Wrong: it tries one to 27 columns of tiles. It passed once.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room, best = fast_bytes // element_bytes, None
    for columns in {-(-n // number) for number in range(1, 28)}:
        rows = min(m, (room - columns) // (columns + 1))
        if rows >= 1:
            words = m * k * -(-n // columns) + k * n * -(-m // rows)
            if best is None or words < best[0]:
                best = words, rows, columns
    return best[1:]

# %% at_most_eight_rows_of_tiles
# Wrong: it tries one to eight rows of tiles, and has no tile where more are needed. It passed once.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room, best = fast_bytes // element_bytes, None
    for rows in {-(-m // number) for number in range(1, 9)}:
        columns = min(n, (room - rows) // (rows + 1))
        if columns >= 1:
            words = m * k * -(-n // columns) + k * n * -(-m // rows)
            if best is None or words < best[0]:
                best = words, rows, columns
    return best[1:]

# %% widest_in_time
# Right: the widest tile that is in time.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    for c in range(n, 0, -1):
        for r in range(m, 0, -1):
            moved = m * k * -(-n // c) + k * n * -(-m // r) + m * n
            late = moved * element_bytes * peak_flops_per_s > 2 * m * k * n * bandwidth_bytes_per_s
            if (r * c + r + c) * element_bytes <= fast_bytes and not late:
                return r, c
    return 1, 1

# %% widest_without_strips
# Wrong: no room for strips, in a design of its own.
# Known mistake: Beside the tile, a column of X and a row of W are in the fast memory.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    for c in range(n, 0, -1):
        for r in range(m, 0, -1):
            moved = m * k * -(-n // c) + k * n * -(-m // r) + m * n
            late = moved * element_bytes * peak_flops_per_s > 2 * m * k * n * bandwidth_bytes_per_s
            if (r * c) * element_bytes <= fast_bytes and not late:
                return r, c
    return 1, 1

# %% widest_in_numbers
# Wrong: numbers for bytes, in a design of its own.
# Known mistake: The fast memory is given in bytes, and each number has element_bytes.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    for c in range(n, 0, -1):
        for r in range(m, 0, -1):
            moved = m * k * -(-n // c) + k * n * -(-m // r) + m * n
            late = moved * element_bytes * peak_flops_per_s > 2 * m * k * n * bandwidth_bytes_per_s
            if r * c + r + c <= fast_bytes and not late:
                return r, c
    return 1, 1

# %% widest_exchanged
# Wrong: columns first, in a design of its own.
# Known mistake: You exchanged the sides: the first is the height of the tile, of at most m rows.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    for c in range(n, 0, -1):
        for r in range(m, 0, -1):
            moved = m * k * -(-n // c) + k * n * -(-m // r) + m * n
            late = moved * element_bytes * peak_flops_per_s > 2 * m * k * n * bandwidth_bytes_per_s
            if (r * c + r + c) * element_bytes <= fast_bytes and not late:
                return c, r
    return 1, 1
