# Wrong: entries are dealt out in turn.
# Known mistake: You dealt the entries out in turn; a chunk is a run of entries that stand side by side.

def ring_all_reduce_replay(vectors):
    N, n = len(vectors), len(vectors[0])
    out = []
    for i in range(n):
        c = i % N
        s = vectors[(c + 1) % N][i]
        for k in range(2, N + 1): s += vectors[(c + k) % N][i]
        out.append(s)
    return out
