# Wrong: ranks 4 and 5 hand their vectors to 0 and 1, and halving and doubling is done by four.
# Known mistake: The sum is right, but two ranks fold into others: four ranks do the work, and whole vectors travel at the beginning and at the end. Six is two times three: let pairs share the work, and then triples.

def six_rank_rounds(*, length):
    n = length; h = n // 2; q = n // 4
    st = [[(4, 0, 0, n, True), (5, 1, 0, n, True)]]
    st.append([(r, r ^ 2, (1 - r // 2) * h, (1 - r // 2) * h + h if r // 2 else n, True) for r in range(4)])
    lo = lambda r: (r // 2) * h
    def own(r):
        a = lo(r); b = a + (h if r < 2 else n - h); m = a + (b - a) // 2
        return (a, m) if r % 2 == 0 else (m, b)
    st[1] = [(r, r ^ 2, lo(r ^ 2), lo(r ^ 2) + (h if (r ^ 2) < 2 else n - h), True) for r in range(4)]
    st.append([(r, r ^ 1, *own(r ^ 1), True) for r in range(4)])
    st.append([(r, r ^ 1, *own(r), False) for r in range(4)])
    st.append([(r, r ^ 2, lo(r), lo(r) + (h if r < 2 else n - h), False) for r in range(4)])
    st.append([(0, 4, 0, n, False), (1, 5, 0, n, False)])
    return st
