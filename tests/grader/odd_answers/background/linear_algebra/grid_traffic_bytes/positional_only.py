# Wrong: the grader passes arguments by name.
# Message: TypeError
def grid_traffic_bytes(m, k, n, grid, bytes_per_element, /):
    r, c, d = grid
    return (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)) * bytes_per_element
