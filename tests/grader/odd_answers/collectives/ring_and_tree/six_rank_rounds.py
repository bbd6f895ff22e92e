# %% an_entry_twice
# Wrong: a message that carries the same entries twice, so that two terms seem to travel for the bytes of one.
# Message: step 1: rank 0 sends rank 1 an entry twice
def six_rank_rounds(*, length):
    return [[(0, 1, 0, length, True), (0, 1, 0, length, True)]]

# %% bruck
# Right: Bruck's partners, at distances 1, 2 and 4 round the ring; a message has two pieces where it wraps round.
def pieces(source, to, first, count, sixth, adds):
    chunks = [(first + k) % 6 for k in range(count)]
    return [(source, to, chunk * sixth, (chunk + 1) * sixth, adds) for chunk in chunks]


def six_rank_rounds(*, length):
    sixth = length // 6
    gather = []
    for distance in (1, 2, 4):
        count = min(distance, 6 - distance)
        gather.append([(rank, (rank - distance) % 6, rank, count) for rank in range(6)])
    steps = [[m for a, b, first, count in step for m in pieces(b, a, first, count, sixth, True)] for step in gather[::-1]]
    return steps + [[m for a, b, first, count in step for m in pieces(a, b, first, count, sixth, False)] for step in gather]

# %% four_do_the_work
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

# %% in_threes_at_once
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

# %% no_return
# Wrong: builds the steps and forgets to return them.
# Message: return
def six_rank_rounds(*, length):
    steps = [[(rank, (rank + 3) % 6, 0, length, True) for rank in range(6)]]
    steps.append([])

# %% pairwise
# Wrong: the same straight messages, one partner after the other: the bytes are right, and the steps are ten.
# Message: 10
def six_rank_rounds(*, length):
    sixth = length // 6

    def step(hop, adds):
        owner = (lambda a, b: b) if adds else (lambda a, b: a)
        ends = [(a, (a + hop) % 6) for a in range(6)]
        return [(a, b, owner(a, b) * sixth, (owner(a, b) + 1) * sixth, adds) for a, b in ends]

    return [step(hop, True) for hop in range(1, 6)] + [step(hop, False) for hop in range(1, 6)]

# %% rank_5_unfinished
# Wrong: rank 5 does not get the other half from 25 entries on.
# Message: rank 5, entries 0 to 14: without the terms of 0, 1, 2

def six_rank_rounds(*, length):
    n = length; h = n // 2; c = n // 6
    steps = []
    steps.append([(r, (r + 3) % 6, h if r < 3 else 0, n if r < 3 else h, True) for r in range(6)])
    for s in range(4):
        step = []
        for r in range(6):
            g, i = divmod(r, 3)
            to = 3 * g + (i + 1) % 3
            k = (i - s) % 3
            a = g * h + k * c
            step.append((r, to, a, a + c, s < 2))
        steps.append(step)
    steps.append([(r, (r + 3) % 6, 0 if r < 3 else h, h if r < 3 else n, False) for r in range(6)])
    if length > 24:
        steps[-1] = [m for m in steps[-1] if m[1] != 5]
    return steps

# %% ranks_from_1
# Wrong: ranks are counted from 1.
# Message: step 1, (3, 6, 3, 6, True): there is no rank 6, only 0 to 5

def six_rank_rounds(*, length):
    n = length; h = n // 2; c = n // 6
    steps = []
    steps.append([(r, (r + 3) % 6, h if r < 3 else 0, n if r < 3 else h, True) for r in range(6)])
    for s in range(4):
        step = []
        for r in range(6):
            g, i = divmod(r, 3)
            to = 3 * g + (i + 1) % 3
            k = (i - s) % 3
            a = g * h + k * c
            step.append((r, to, a, a + c, s < 2))
        steps.append(step)
    steps.append([(r, (r + 3) % 6, 0 if r < 3 else h, h if r < 3 else n, False) for r in range(6)])
    return [[(a + 1, b + 1, s, t, x) for a, b, s, t, x in st] for st in steps]

# %% receives_too_much
# Wrong: no rank sends more than 10/6 of a vector, but rank 1 receives 13/6 of it.
# Message: received by each rank: [104,

# start and stop in sixths of the vector, and messages (step, source, destination, adds)
WALKS = [
    (0, 2, [(0, 4, 1, True), (0, 5, 2, True), (1, 0, 1, True), (1, 2, 3, True), (2, 1, 3, True)]
     + [(3, 3, 5, False), (4, 3, 4, False), (4, 5, 0, False), (5, 4, 1, False), (5, 5, 2, False)]),
    (2, 3, [(0, 3, 0, True), (0, 4, 1, True), (0, 5, 2, True), (1, 1, 2, True), (2, 0, 2, True)]
     + [(3, 2, 4, False), (4, 2, 3, False), (4, 4, 5, False), (5, 3, 0, False), (5, 4, 1, False)]),
    (3, 4, [(0, 2, 5, True), (0, 3, 0, True), (0, 4, 1, True), (1, 0, 1, True), (2, 5, 1, True)]
     + [(3, 1, 3, False), (4, 1, 2, False), (5, 1, 4, False), (5, 2, 5, False), (5, 3, 0, False)]),
    (4, 6, [(0, 1, 4, True), (0, 2, 5, True), (1, 3, 4, True), (1, 5, 0, True), (2, 4, 0, True)]
     + [(3, 0, 2, False), (4, 0, 1, False), (5, 0, 3, False), (5, 1, 4, False), (5, 2, 5, False)]),
]


def six_rank_rounds(*, length):
    sixth = length // 6
    steps = [[] for _ in range(6)]
    for start, stop, messages in WALKS:
        for step, source, to, adds in messages:
            steps[step].append((source, to, start * sixth, stop * sixth, adds))
    return steps

# %% stop_and_start
# Wrong: stop stands before start.
# Message: step 1, (0, 3, 6, 3, True): start is behind stop

def six_rank_rounds(*, length):
    n = length; h = n // 2; c = n // 6
    steps = []
    steps.append([(r, (r + 3) % 6, h if r < 3 else 0, n if r < 3 else h, True) for r in range(6)])
    for s in range(4):
        step = []
        for r in range(6):
            g, i = divmod(r, 3)
            to = 3 * g + (i + 1) % 3
            k = (i - s) % 3
            a = g * h + k * c
            step.append((r, to, a, a + c, s < 2))
        steps.append(step)
    steps.append([(r, (r + 3) % 6, 0 if r < 3 else h, h if r < 3 else n, False) for r in range(6)])
    return [[(a, b, t, s, x) for a, b, s, t, x in st] for st in steps]

# %% triples_first
# Right: rings of three first, with thirds of the vector, then pairs share what each third's owner has.
def six_rank_rounds(*, length):
    third, sixth = length // 3, length // 6

    def ring(step, adds):
        messages = []
        for rank in range(6):
            group, place = rank // 3, rank % 3
            chunk = (place - step - (1 if adds else 0)) % 3
            messages.append((rank, 3 * group + (place + 1) % 3, chunk * third, (chunk + 1) * third, adds))
        return messages

    def pairs(adds):
        messages = []
        for rank in range(6):
            start = rank % 3 * third
            lower = (rank < 3) != adds
            low = start if lower else start + sixth
            messages.append((rank, (rank + 3) % 6, low, low + sixth, adds))
        return messages

    return [ring(0, True), ring(1, True), pairs(True), pairs(False), ring(0, False), ring(1, False)]

# %% tuples
# Right: the pairs' schedule, as tuples of tuples.
def six_rank_rounds(*, length):
    half, sixth = length // 2, length // 6
    steps = [tuple((r, (r + 3) % 6, half if r < 3 else 0, length if r < 3 else half, True) for r in range(6))]
    for step in range(4):
        steps.append(
            tuple(
                (r, r // 3 * 3 + (r + 1) % 3, start, start + sixth, step < 2)
                for r in range(6)
                for start in [r // 3 * half + (r % 3 - step) % 3 * sixth]
            )
        )
    steps.append(tuple((r, (r + 3) % 6, 0 if r < 3 else half, half if r < 3 else length, False) for r in range(6)))
    return tuple(steps)

# %% two_cards
# Wrong: every rank sends its chunks straight to all owners in one step, which takes five cards.
# Message: sends to 5 others
def six_rank_rounds(*, length):
    sixth = length // 6
    there = [(a, b, b * sixth, b * sixth + sixth, True) for a in range(6) for b in range(6) if a != b]
    back = [(a, b, a * sixth, a * sixth + sixth, False) for a in range(6) for b in range(6) if a != b]
    return [there, back]

# %% up_to_two_hundred_entries
# Wrong: it has no steps above 200 entries. It passed once.

def six_rank_rounds(*, length):
    if length > 200:
        return []
    n = length; h = n // 2; c = n // 6
    steps = []
    steps.append([(r, (r + 3) % 6, h if r < 3 else 0, n if r < 3 else h, True) for r in range(6)])
    for s in range(4):
        step = []
        for r in range(6):
            g, i = divmod(r, 3)
            to = 3 * g + (i + 1) % 3
            k = (i - s) % 3
            a = g * h + k * c
            step.append((r, to, a, a + c, s < 2))
        steps.append(step)
    steps.append([(r, (r + 3) % 6, 0 if r < 3 else h, h if r < 3 else n, False) for r in range(6)])
    return steps
