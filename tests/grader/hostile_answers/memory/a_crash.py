# Crashes Python.
# Message: the process ended before there was one
import os


def largest_micro_batch(**given):
    os.abort()
