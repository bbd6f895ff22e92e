# Prints a hundred million letters at once.
# Message: more is printed
def largest_micro_batch(**given):
    print("x" * 10**8)
