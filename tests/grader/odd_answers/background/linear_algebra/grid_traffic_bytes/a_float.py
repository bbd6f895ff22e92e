# Right: a whole number as a float.
def grid_traffic_bytes(m, k, n, grid, element_bytes):
    r, c, d = grid
    return float(element_bytes * (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)))
