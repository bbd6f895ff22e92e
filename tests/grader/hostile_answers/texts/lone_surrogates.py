# A text that no file can hold.
def largest_micro_batch(**given):
    print("\ud800 \udfff \ud800")
    raise ValueError("\ud800 \udfff \ud800")
