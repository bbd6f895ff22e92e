# Wrong: two of the eight in milliseconds.
# Message: because problem 4 misses by more than ×8; 6 misses by more than ×8
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 29, 5: 20, 6: 82, 7: 1e7, 8: 2e6}[problem]
    return number / 1.3, number * 1.3
