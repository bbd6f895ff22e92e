# A loop that never ends.
# Message: still running
def largest_micro_batch(**given):
    while True:
        pass
