# Wrong: a factor of four to either side of the right values.
# Message: 1 hits, and spans ×16; 2 hits, and spans ×16
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 0.03, 5: 20, 6: 0.08, 7: 1e7, 8: 2.2e6}[problem]
    return number / 4, number * 4
