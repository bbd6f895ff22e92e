# Right: it goes through the steps and remembers what is on the chip.
def chain_bytes(steps, *, kept, numbers, element_bytes, fused):
    there, arrays = set(), 0
    for makes, names in steps:
        if not fused:
            there = set()
        for name in names:
            arrays += name not in there
            there.add(name)
        there.add(makes)
        arrays += makes in kept or not fused
    return arrays * numbers * element_bytes
