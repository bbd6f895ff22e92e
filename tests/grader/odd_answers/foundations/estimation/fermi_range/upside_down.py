# Wrong: the upper end comes first.
# Message: problem 1: (9.1e+10, 5.38462e+10) is none; nor is that of problem 2, 3
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 0.03, 5: 20, 6: 0.08, 7: 1e7, 8: 2e6}[problem]
    return number * 1.3, number / 1.3
