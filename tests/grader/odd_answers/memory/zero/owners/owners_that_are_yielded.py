# Right: a generator.
import heapq


def owners(sizes, ranks):
    loads, found = [(0, rank) for rank in range(ranks)], {}
    for index, size in sorted(enumerate(sizes), key=lambda pair: -pair[1]):
        load, found[index] = heapq.heappop(loads)
        heapq.heappush(loads, (load + size, found[index]))
    yield from (found[index] for index in range(len(sizes)))
