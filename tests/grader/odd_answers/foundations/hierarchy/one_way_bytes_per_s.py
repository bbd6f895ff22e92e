# %% by_a_table
# Right: it looks the unit up.


def one_way_bytes_per_s(*, printed, unit, adds_directions):
    each = {"Gb/s": 125e6, "GB/s": 1e9, "Tb/s": 125e9, "TB/s": 1e12}[unit]
    return printed * each * (0.5 if adds_directions else 1)
