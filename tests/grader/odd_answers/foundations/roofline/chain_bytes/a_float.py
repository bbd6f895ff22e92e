# Right: as a float.
def chain_bytes(steps, *, kept, numbers, element_bytes, fused):
    made = {makes for makes, _ in steps}
    used = {name for _, names in steps for name in names}
    arrays = len(used - made) + len(kept) if fused else sum(len(set(names)) + 1 for _, names in steps)
    return float(arrays * numbers * element_bytes)
