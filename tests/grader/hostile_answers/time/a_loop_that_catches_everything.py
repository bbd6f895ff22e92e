# A loop that never ends and lets nothing through.
# Message: still running
def largest_micro_batch(**given):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
