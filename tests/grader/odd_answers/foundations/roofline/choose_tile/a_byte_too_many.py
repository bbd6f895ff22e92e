# Wrong: it takes one number more than there is room for.
# Message: more than there are
def choose_tile(m, k, n, element_bytes, fast_bytes, **rates):
    room = fast_bytes // element_bytes + 1
    tiles = [(a, min(n, (room - a) // (a + 1))) for a in range(1, m + 1) if (room - a) // (a + 1) >= 1]
    return min(tiles, key=lambda tile: m * k * -(-n // tile[1]) + k * n * -(-m // tile[0]))
