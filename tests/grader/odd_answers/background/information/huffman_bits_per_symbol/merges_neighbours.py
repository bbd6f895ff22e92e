# Wrong: merges the two lightest neighbours of the sorted list, and leaves the merged tree where it stands.
from itertools import product
from math import prod


def huffman_bits_per_symbol(probabilities, *, block):
    words, bits = sorted(prod(word) for word in product(probabilities, repeat=block)), 0.0
    while len(words) > 1:
        at = min(range(len(words) - 1), key=lambda i: words[i] + words[i + 1])
        words[at : at + 2] = [words[at] + words[at + 1]]
        bits += words[at]
    return bits / block
