# Message: MemoryError
# More memory than there is.
def largest_micro_batch(**given):
    return len([0] * 10**10)
