# Ten million entries.
def largest_micro_batch(**given):
    return [0] * 10**7
