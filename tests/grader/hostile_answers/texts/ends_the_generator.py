# Raises what ends loops and generators.
def largest_micro_batch(**given):
    raise StopIteration(7) if given["layers"] % 2 else GeneratorExit
