# %% leaves_one_out
# Wrong: seven by hand, and one range that holds everything.
# Message: 8 hits, and spans ×1e+09
def fermi_range(problem):
    number = {1: 7e10, 2: 3.2e23, 3: 8.1, 4: 0.029, 5: 20, 6: 0.082, 7: 1e7, 8: 2e6}[problem]
    return (number / 1.1, number * 1.1) if problem < 8 else (1.0, 1e9)

# %% milliseconds
# Wrong: two of the eight in milliseconds.
# Message: because problem 4 misses by more than ×8; 6 misses by more than ×8
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 29, 5: 20, 6: 82, 7: 1e7, 8: 2e6}[problem]
    return number / 1.3, number * 1.3

# %% points
# Wrong: ranges without a width.
# Message: problem 1: (7e+10, 7e+10) is none; nor is that of problem 2, 3, 4, 5, 6, 7, 8
def fermi_range(problem):
    number = {1: 7e10, 2: 3.2e23, 3: 8.1, 4: 0.029, 5: 20, 6: 0.082, 7: 1e7, 8: 2e6}[problem]
    return number, number

# %% reads_the_message
# Wrong: all ranges far below, so as to read the sizes of the misses off the message.
# Message: problem 1 misses by more than ×8; 2 misses by more than ×8
def fermi_range(problem):
    return 1e-6, 1.1e-6

# %% two_slips
# Wrong: forgets the backward pass in one, counts both directions of the link in another, and is sure of both.
# Message: score of each problem: up to 10.21: problem 2 misses by ×2 to ×8; 6 misses by less than ×2
def fermi_range(problem):
    number = {1: 7e10, 2: 1.08e23, 3: 8.1, 4: 0.029, 5: 20, 6: 0.041, 7: 1e7, 8: 2e6}[problem]
    return number / 1.1, number * 1.1

# %% upside_down
# Wrong: the upper end comes first.
# Message: problem 1: (9.1e+10, 5.38462e+10) is none; nor is that of problem 2, 3
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 0.03, 5: 20, 6: 0.08, 7: 1e7, 8: 2e6}[problem]
    return number * 1.3, number / 1.3

# %% wide_to_be_safe
# Wrong: a factor of four to either side of the right values.
# Message: 1 hits, and spans ×16; 2 hits, and spans ×16
def fermi_range(problem):
    number = {1: 7e10, 2: 3e23, 3: 8, 4: 0.03, 5: 20, 6: 0.08, 7: 1e7, 8: 2.2e6}[problem]
    return number / 4, number * 4

# %% within_a_factor_of_two
# Right: knows all eight within a factor of two, with slips of up to 1.8, and says so.
def fermi_range(problem):
    number = {1: 1.1e11, 2: 2e23, 3: 10, 4: 0.02, 5: 30, 6: 0.1, 7: 1.5e7, 8: 3e6}[problem]
    return [number / 2, number * 2]
