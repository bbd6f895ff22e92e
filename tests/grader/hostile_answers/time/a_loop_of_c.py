# A call that does not come back to Python.
# Message: still running
def largest_micro_batch(**given):
    return sum(iter(int, 1))
