# %% a_coder_for_nothing
# Wrong: where there is no coder, it codes in no time.
# Message: there is no coder
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

# %% a_link_that_is_always_the_slowest
# Wrong: chunks follow each other as fast as the link carries them, also behind a slow coder.
# Known mistake: The link is not always the slowest: behind a slow coder chunks come no faster than that codes them.
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * send) / chunks
    design = min(times, key=times.get)
    return design if times[design] <= limit_s else None

# %% a_table_before_all_else
# Wrong: the whole table goes before the first chunk. It passed once.
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = numbers * mean_bits(counts, k) / 8 / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
            times["huffman", k] += len(counts) ** k / link_bytes_per_s
    design = min(times, key=times.get)
    return design if times[design] <= limit_s else None

# %% bits_sent_as_bytes
# Wrong: the bits of Huffman's words are taken for bytes.
# Known mistake: The words of Huffman's code are in bits; the link takes bytes, of 8 bits each.
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k)) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    design = min(times, key=times.get)
    return design if times[design] <= limit_s else None

# %% blocks_of_three_at_most
# Wrong: right as long as no block is longer than 3. It passed once.
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
    if coder_bytes_per_s is not None:
        for k in range(1, min(3, longest_block) + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    design = min(times, key=times.get)
    return design if times[design] <= limit_s else None

# %% late_at_the_limit
# Wrong: takes what arrives at the limit for late.
# Known mistake: A design that takes exactly the limit keeps to it.
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    design = min(times, key=times.get)
    return design if times[design] < limit_s else None

# %% stops_at_the_first_that_is_no_better
# Wrong: a longer block that sends more may be followed by one that sends less.
# Known mistake: A block that sends more than the one before may be followed by one that sends less: try them all.
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            if k > 1 and send >= before:
                break
            before = send
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    design = min(times, key=times.get)
    return design if times[design] <= limit_s else None

# %% the_fastest
# Right: of all designs the fastest.
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    design = min(times, key=times.get)
    return design if times[design] <= limit_s else None

# %% another_design
# Right: the longest block that is in time, and words of one length last.
import heapq
import math
from itertools import product


def choose_code(counts, *, numbers, raw_bits, link_bytes_per_s, coder_bytes_per_s, chunks, longest_block, limit_s):
    found = []
    for block in range(longest_block, 0, -1):
        if coder_bytes_per_s is None:
            break
        words = [math.prod(word) for word in product(counts, repeat=block)]
        table, merged = len(words), 0
        heapq.heapify(words)
        while len(words) > 1:
            both = heapq.heappop(words) + heapq.heappop(words)
            merged += both
            heapq.heappush(words, both)
        word_bytes = numbers * merged / sum(counts) ** block / block / 8
        coded = numbers * raw_bits / 8 / coder_bytes_per_s / chunks
        sent = (table + word_bytes) / link_bytes_per_s / chunks
        time = 2 * coded + sent + (chunks - 1) * max(coded, sent)
        found.append((time, ("huffman", block)))
    found.append((numbers * raw_bits / 8 / link_bytes_per_s, ("raw", 1)))
    found.append((numbers * math.ceil(math.log2(len(counts))) / 8 / link_bytes_per_s, ("fixed", 1)))
    return next((design for time, design in found if time <= limit_s), None)

# %% stops_at_the_first_longer_word
# Wrong: stops at the first block whose words are longer than those of the block before.
# Message: right on
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            if k > 1 and mean_bits(counts, k) > mean_bits(counts, k - 1):
                break
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    return next((design for design, time_s in times.items() if time_s <= limit_s), None)

# %% whole_blocks_only
# Wrong: fills the last block up.
# Message: right on
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + math.ceil(numbers / k) * k * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    return next((design for design, time_s in times.items() if time_s <= limit_s), None)

# %% a_block_begun_is_left_out
# Wrong: leaves out the last numbers if they fill no block.
# Message: right on
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
    if coder_bytes_per_s is not None:
        for k in range(1, longest_block + 1):
            code = raw / coder_bytes_per_s
            send = (len(counts) ** k + numbers // k * k * mean_bits(counts, k) / 8) / link_bytes_per_s
            times["huffman", k] = (2 * code + send + (chunks - 1) * max(code, send)) / chunks
    return next((design for design, time_s in times.items() if time_s <= limit_s), None)
