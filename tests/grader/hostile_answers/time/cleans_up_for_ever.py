# A `finally` that never ends.
# Message: still running
def largest_micro_batch(**given):
    try:
        while True:
            pass
    finally:
        while True:
            pass
