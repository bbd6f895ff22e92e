# Message: still running
# A loop that never ends.
def largest_micro_batch(**given):
    while True:
        pass
