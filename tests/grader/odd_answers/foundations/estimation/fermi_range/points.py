# Wrong: ranges without a width.
# Message: problem 1: (7e+10, 7e+10) is none; nor is that of problem 2, 3, 4, 5, 6, 7, 8
def fermi_range(problem):
    number = {1: 7e10, 2: 3.2e23, 3: 8.1, 4: 0.029, 5: 20, 6: 0.082, 7: 1e7, 8: 2e6}[problem]
    return number, number
