# A text of ten million letters.
def largest_micro_batch(**given):
    raise ValueError("x" * 10**7)
