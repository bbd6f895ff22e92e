# Message: still running
# One operation that takes for ever and cannot be interrupted.
def largest_micro_batch(**given):
    return 10 ** 10**9 % 7
