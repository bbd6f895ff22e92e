# A number that takes long to print and longer to compare.
def largest_micro_batch(**given):
    return 10**1_000_000
