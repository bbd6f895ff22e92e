# A text that no file can hold.
def largest_micro_batch(**given):
    print("\ud800\udfff")
    raise ValueError("\ud800\udfff")
