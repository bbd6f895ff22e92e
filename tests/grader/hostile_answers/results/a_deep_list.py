# A hundred thousand lists, each in the next.
def largest_micro_batch(**given):
    found = []
    for _ in range(100_000):
        found = [found]
    return found
