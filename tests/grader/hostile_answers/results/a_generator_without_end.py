# A generator that never ends.
def largest_micro_batch(**given):
    while True:
        yield 1
