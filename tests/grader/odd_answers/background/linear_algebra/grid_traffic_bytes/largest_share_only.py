# Wrong: the three shares add up; this takes the largest of them.
def grid_traffic_bytes(*, m, k, n, grid, element_bytes):
    r, c, d = grid
    return max(m * k * (c - 1), k * n * (r - 1), m * n * (d - 1)) * element_bytes
