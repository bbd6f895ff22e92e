# Message: still running
# Sleeps.
import time


def largest_micro_batch(**given):
    time.sleep(600)
