# Message: more is printed
# Prints without end.
def largest_micro_batch(**given):
    while True:
        print("x" * 1000)
