# Wrong: takes it that there are at most five workers.
# Message: IndexError
def stalenesses(*, arrivals):
    read, found = [0] * 5, []
    for made, worker in enumerate(arrivals):
        found.append(made - read[worker])
        read[worker] = made + 1
    return found
