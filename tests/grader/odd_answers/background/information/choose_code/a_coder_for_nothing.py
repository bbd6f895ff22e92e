# Wrong: where there is no coder, it codes in no time.
# Known mistake: Where there is no coder, no Huffman code can be sent.
import heapq
import math
from itertools import product


def mean_bits(counts, k):
    weights = [math.prod(word) for word in product(counts, repeat=k)]
    total, merged = sum(weights), 0
    heapq.heapify(weights)
    while len(weights) > 1:
        both = heapq.heappop(weights) + heapq.heappop(weights)
        merged += both
        heapq.heappush(weights, both)
    return merged / total / k


def choose_code(counts, *, numbers, raw_bits, link_bytes_per_s, coder_bytes_per_s, chunks, longest_block, limit_s):
    raw = numbers * raw_bits / 8
    times = {("raw", 1): raw / link_bytes_per_s}
    times["fixed", 1] = numbers * math.ceil(math.log2(len(counts))) / 8 / link_bytes_per_s
    if True:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s if coder_bytes_per_s else 0
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    return next((design for design, time_s in times.items() if time_s <= limit_s), None)
