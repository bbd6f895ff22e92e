# Message: still running
# A loop that never ends and lets nothing through.
def largest_micro_batch(**given):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
