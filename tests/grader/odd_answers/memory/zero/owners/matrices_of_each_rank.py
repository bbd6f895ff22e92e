# Wrong: for each rank its matrices; asked is for each matrix its rank.
def owners(sizes, ranks):
    held = [[] for _ in range(ranks)]
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        min(held, key=lambda indices: sum(sizes[i] for i in indices)).append(index)
    return held
