# Pretends that somebody has pressed Control-C.
def largest_micro_batch(**given):
    raise KeyboardInterrupt
