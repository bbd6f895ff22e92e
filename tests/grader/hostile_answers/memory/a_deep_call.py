# Calls itself deeper than the stack.
import sys

sys.setrecursionlimit(10**9)


def largest_micro_batch(**given):
    return largest_micro_batch(**given)
