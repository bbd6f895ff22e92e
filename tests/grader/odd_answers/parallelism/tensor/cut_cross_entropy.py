# %% largest_first
# Right: gathers the largest logits, and sums the rest by an all-reduce, as Megatron-LM does.
import math

from snippets.simulation.machine import AllGather, AllReduce


def cut_cross_entropy(*, logits, targets, first):
    size = len(targets)
    told = yield AllGather([max(row) for row in logits])
    most = [max(told[i::size]) for i in range(size)]
    sums = [sum(math.exp(entry - top) for entry in row) for row, top in zip(logits, most, strict=True)]
    right = [row[y - first] if first <= y < first + len(row) else 0.0 for row, y in zip(logits, targets, strict=True)]
    both = yield AllReduce(sums + right)
    return [most[i] + math.log(both[i]) - both[size + i] for i in range(size)]

# %% two_numbers
# Right: each rank tells the logarithm of its own sum, which is one number, and the target's logit.
import math

from snippets.simulation.machine import AllGather


def cut_cross_entropy(*, logits, targets, first):
    size = len(targets)
    tops = [max(row) for row in logits]
    own = [top + math.log(sum(math.exp(entry - top) for entry in row)) for row, top in zip(logits, tops, strict=True)]
    right = [row[y - first] if first <= y < first + len(row) else 0.0 for row, y in zip(logits, targets, strict=True)]
    told = yield AllGather(own + right)
    ranks = [told[start : start + 2 * size] for start in range(0, len(told), 2 * size)]
    losses = []
    for i in range(size):
        most = max(rank[i] for rank in ranks)
        total = most + math.log(sum(math.exp(rank[i] - most) for rank in ranks))
        losses.append(total - sum(rank[size + i] for rank in ranks))
    return losses
