# Right: a whole number as a float.
def grid_traffic_bytes(m, k, n, grid, bytes_per_element):
    r, c, d = grid
    return float(bytes_per_element * (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)))
