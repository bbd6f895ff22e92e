# Sleeps.
# Message: still running
import time


def largest_micro_batch(**given):
    time.sleep(600)
