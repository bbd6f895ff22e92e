# One operation that takes for ever and cannot be interrupted.
# Message: still running
def largest_micro_batch(**given):
    return 10 ** 10**9 % 7
