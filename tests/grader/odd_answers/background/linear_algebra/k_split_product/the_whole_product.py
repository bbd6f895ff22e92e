# Wrong: A·B itself, which is no list of parts.
def k_split_product(a, b, parts):
    return a @ b
