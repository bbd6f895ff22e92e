# %% a_float
# Right: as a float.
def chain_bytes(steps, *, kept, numbers, element_bytes, fused):
    made = {makes for makes, _ in steps}
    used = {name for _, names in steps for name in names}
    arrays = len(used - made) + len(kept) if fused else sum(len(set(names)) + 1 for _, names in steps)
    return float(arrays * numbers * element_bytes)

# %% by_counting
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
