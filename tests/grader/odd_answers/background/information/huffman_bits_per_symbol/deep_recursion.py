# Wrong: calls itself for ever on a single block.
# Message: RecursionError
from itertools import product
from math import prod


def merged(words):
    one, other, *rest = sorted(words + [0])
    return one + other + merged([one + other, *rest])


def huffman_bits_per_symbol(probabilities, *, block):
    return merged([prod(word) for word in product(probabilities, repeat=block)]) / block
