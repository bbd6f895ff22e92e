# Wrong: where there are more parts than columns, some parts are empty, and products of zeros.
def k_split_product(a, b, parts):
    k = a.shape[1]
    whole, longer = divmod(k, parts)
    products, start = [], 0
    for part in range(parts):
        stop = start + whole + (part < longer)
        if stop > start:
            products.append(a[:, start:stop] @ b[start:stop])
        start = stop
    return products
