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
