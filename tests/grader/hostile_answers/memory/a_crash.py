# Message: the process ended before there was one
# Crashes Python.
import os


def largest_micro_batch(**given):
    os.abort()
