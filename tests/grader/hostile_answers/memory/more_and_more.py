# Grows until there is no more.
def largest_micro_batch(**given):
    kept = []
    while True:
        kept.append(bytearray(10**7))
