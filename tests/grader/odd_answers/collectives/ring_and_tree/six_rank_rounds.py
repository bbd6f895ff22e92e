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
