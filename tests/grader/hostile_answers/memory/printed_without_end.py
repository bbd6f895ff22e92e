# Prints without end.
# Message: more is printed
def largest_micro_batch(**given):
    while True:
        print("x" * 1000)
