# Wrong: in the second step a rank sends to both others of its three.
# Message: step 2: rank 0 sends to 2 others, more than 1

def six_rank_rounds(*, length):
    n = length; h = n // 2; c = n // 6
    A = [(r, (r + 3) % 6, h if r < 3 else 0, n if r < 3 else h, True) for r in range(6)]
    B, C = [], []
    for r in range(6):
        g, i = divmod(r, 3)
        for j in range(3):
            if j != i:
                B.append((r, 3*g+j, g*h+j*c, g*h+j*c+c, True)); C.append((r, 3*g+j, g*h+i*c, g*h+i*c+c, False))
    D = [(r, (r + 3) % 6, 0 if r < 3 else h, h if r < 3 else n, False) for r in range(6)]
    return [A, B, C, D]
