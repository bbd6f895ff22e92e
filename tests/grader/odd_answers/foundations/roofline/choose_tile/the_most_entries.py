# Wrong: the tile with the most entries.
# Known mistake: The tile with the most entries need not be the best: what counts is how many rows and columns of tiles Y is cut into, since that is how often W and X are read.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = fast_bytes // element_bytes
    tiles = [(a, min(n, (room - a) // (a + 1))) for a in range(1, m + 1) if (room - a) // (a + 1) >= 1]
    return max(tiles, key=lambda tile: tile[0] * tile[1])
