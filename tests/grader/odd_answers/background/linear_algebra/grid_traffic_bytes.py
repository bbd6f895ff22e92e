# %% a_float
# Right: a whole number as a float.
def grid_traffic_bytes(m, k, n, grid, element_bytes):
    r, c, d = grid
    return float(element_bytes * (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)))

# %% numbers_instead_of_bytes
# Wrong: the bytes of a number are left out.
# Message: element_bytes
def grid_traffic_bytes(*, m, k, n, grid, element_bytes):
    r, c, d = grid
    return m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)
