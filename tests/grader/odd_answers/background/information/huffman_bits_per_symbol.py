# %% by_lengths
# Right: keeps the words' lengths with each tree.
import heapq
from itertools import count, product
from math import prod


def huffman_bits_per_symbol(probabilities, *, block):
    number = count()
    trees = [(prod(word), next(number), [(prod(word), 0)]) for word in product(probabilities, repeat=block)]
    heapq.heapify(trees)
    while len(trees) > 1:
        (one, _, left), (other, _, right) = heapq.heappop(trees), heapq.heappop(trees)
        heapq.heappush(trees, (one + other, next(number), [(w, length + 1) for w, length in left + right]))
    return sum(weight * length for weight, length in trees[0][2]) / block
