# Wrong: all ranges far below, so as to read the sizes of the misses off the message.
# Message: problem 1 misses by more than ×8; 2 misses by more than ×8
def fermi_range(problem):
    return 1e-6, 1.1e-6
