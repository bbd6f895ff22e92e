# More memory than there is.
# Message: MemoryError
def largest_micro_batch(**given):
    return len([0] * 10**10)
