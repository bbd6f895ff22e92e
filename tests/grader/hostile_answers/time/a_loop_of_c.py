# Message: still running
# A call that does not come back to Python.
def largest_micro_batch(**given):
    return sum(iter(int, 1))
