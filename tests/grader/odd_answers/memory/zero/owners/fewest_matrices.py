# Wrong: sorted, and each to the rank with the fewest matrices.
def owners(sizes, ranks):
    counts, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        owner[index] = counts.index(min(counts))
        counts[owner[index]] += 1
    return owner
