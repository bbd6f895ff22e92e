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

# %% deep_recursion
# Wrong: calls itself for ever on a single block.
# Message: RecursionError
from itertools import product
from math import prod


def merged(words):
    one, other, *rest = sorted(words + [0])
    return one + other + merged([one + other, *rest])


def huffman_bits_per_symbol(probabilities, *, block):
    return merged([prod(word) for word in product(probabilities, repeat=block)]) / block

# %% halves_of_equal_weight
# Wrong: Fano's code: cuts the sorted words where the halves are most alike. It is often the shortest, and not always.
# Known mistake: This is Fano's code, which cuts from above; Huffman merges the two lightest from below.
from itertools import accumulate, product
from math import prod


def huffman_bits_per_symbol(probabilities, *, block):
    def bits(words):
        if len(words) == 1:
            return 0.0
        whole = sum(words)
        left = list(accumulate(words))[:-1]
        cut = min(range(len(left)), key=lambda at: abs(whole - 2 * left[at])) + 1
        return whole + bits(words[:cut]) + bits(words[cut:])

    return bits(sorted((prod(word) for word in product(probabilities, repeat=block)), reverse=True)) / block
