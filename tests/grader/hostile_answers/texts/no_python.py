# Message: line 2
def largest_micro_batch(:
