# A pattern that takes a time that doubles with every letter.
# Message: still running
import re


def largest_micro_batch(**given):
    return re.match("(a+)+b", "a" * 60) is None
