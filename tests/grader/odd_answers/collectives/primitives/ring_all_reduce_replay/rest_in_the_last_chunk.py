# Wrong: all of the rest is in the last chunk.

def ring_all_reduce_replay(vectors):
    N, n = len(vectors), len(vectors[0])
    q, rest = divmod(n, N)
    out = []
    for c in range(N):
        length = q + (rest if c == N - 1 else 0)
        for i in range(len(out), len(out) + length):
            s = vectors[(c + 1) % N][i]
            for k in range(2, N + 1):
                s = s + vectors[(c + k) % N][i]
            out.append(s)
    return out
