# Wrong: the bytes of a number are left out.
# Message: bytes_per_element
def grid_traffic_bytes(*, m, k, n, grid, bytes_per_element):
    r, c, d = grid
    return m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)
