# %% within_a_factor_of_two
# Right: knows all eight within a factor of two, with slips of up to 1.8, and says so.
def fermi_range(problem):
    number = {1: 1.1e11, 2: 2e23, 3: 10, 4: 0.02, 5: 30, 6: 0.1, 7: 1.5e7, 8: 3e6}[problem]
    return [number / 2, number * 2]
