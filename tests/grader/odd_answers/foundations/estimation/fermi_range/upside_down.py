# Wrong: the upper end comes first.
# Message: is no range of numbers above 0
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 0.03, 5: 20, 6: 0.08, 7: 1e7, 8: 3e6}[problem]
    return number * 1.3, number / 1.3
