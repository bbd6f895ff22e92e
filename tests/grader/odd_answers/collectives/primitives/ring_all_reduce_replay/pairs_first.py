# Wrong: adds pairs of neighbours first, as a tree does.
def ring_all_reduce_replay(vectors):
    def tree(terms):
        half = len(terms) // 2
        return terms[0] if len(terms) == 1 else tree(terms[:half]) + tree(terms[half:])

    ranks, length = len(vectors), len(vectors[0])
    owner = [chunk for chunk in range(ranks) for _ in range(length // ranks + (chunk < length % ranks))]
    return [tree([vectors[(c + hop) % ranks][i] for hop in range(1, ranks + 1)]) for i, c in enumerate(owner)]
