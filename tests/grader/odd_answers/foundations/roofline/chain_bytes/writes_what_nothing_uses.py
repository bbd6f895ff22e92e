# Wrong: fused, it writes what no later step uses, not what is kept.
def chain_bytes(steps, *, kept, numbers, element_bytes, fused):
    made = {makes for makes, _ in steps}
    used = {name for _, names in steps for name in names}
    if fused:
        return (len(used - made) + len(made - used)) * numbers * element_bytes
    return sum(len(set(names)) + 1 for _, names in steps) * numbers * element_bytes
