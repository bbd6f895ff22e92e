# %% pairwise
# Right: Johnson's rule as one key.
def piece_order(pieces):
    def key(i):
        sent, used = pieces[i]
        return (0, sent) if sent < used else (1, -used)

    return sorted(range(len(pieces)), key=key)


# %% from_both_ends
# Right: the shortest time of all decides who goes to which end.
def piece_order(pieces):
    left, front, back = set(range(len(pieces))), [], []
    while left:
        i = min(left, key=lambda j: min(pieces[j]))
        left.remove(i)
        if pieces[i][0] < pieces[i][1]:
            front.append(i)
        else:
            back.append(i)
    return front + back[::-1]


# %% only_the_first
# Wrong: the quickest to send first, the others as given.
def piece_order(pieces):
    first = min(range(len(pieces)), key=lambda i: pieces[i][0])
    return [first] + [i for i in range(len(pieces)) if i != first]


# %% only_both_ends
# Wrong: the quickest to send first, the quickest to compute with last, the others as given.
def piece_order(pieces):
    first = min(range(len(pieces)), key=lambda i: pieces[i][0])
    rest = [i for i in range(len(pieces)) if i != first]
    if not rest:
        return [first]
    last = min(rest, key=lambda i: pieces[i][1])
    return [first] + [i for i in rest if i != last] + [last]
