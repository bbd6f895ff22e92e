# Wrong: looks no further back than fifty updates.
def stalenesses(*, arrivals):
    found = []
    for made, worker in enumerate(arrivals):
        before = [at for at in range(max(0, made - 50), made) if arrivals[at] == worker]
        found.append(made - before[-1] - 1 if before else made)
    return found
