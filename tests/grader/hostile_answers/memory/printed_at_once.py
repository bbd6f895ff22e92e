# Message: more is printed
# Prints a hundred million letters at once.
def largest_micro_batch(**given):
    print("x" * 10**8)
