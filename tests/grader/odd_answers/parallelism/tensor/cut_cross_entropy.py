# %% asks_in_other_orders
# Wrong: only ranks that have the target take part.
# Message: rank
import math

from snippets.simulation.machine import AllReduce


def cut_cross_entropy(*, logits, targets, first):
    losses = []
    for row, y in zip(logits, targets, strict=True):
        top = max(row)
        own = top + math.log(sum(math.exp(entry - top) for entry in row))
        if first <= y < first + len(row):
            yield AllReduce([row[y - first]])
        losses.append(own)
    return losses

# %% four_numbers
# Wrong: sends two numbers more than it needs, and one more than it may.
# Message: more than three numbers
import math

from snippets.simulation.machine import AllGather


def cut_cross_entropy(*, logits, targets, first):
    size = len(targets)
    tops = [max(row) for row in logits]
    own = [top + math.log(sum(math.exp(entry - top) for entry in row)) for row, top in zip(logits, tops, strict=True)]
    right = [row[y - first] if first <= y < first + len(row) else 0.0 for row, y in zip(logits, targets, strict=True)]
    told = yield AllGather(own + right + own + right)
    ranks = [told[start : start + 4 * size] for start in range(0, len(told), 4 * size)]
    losses = []
    for i in range(size):
        most = max(rank[i] for rank in ranks)
        total = most + math.log(sum(math.exp(rank[i] - most) for rank in ranks))
        losses.append(total - sum(rank[size + i] for rank in ranks))
    return losses

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

# %% means
# Wrong: returns the mean loss for each token.
# Message: losses on each rank
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
    return [sum(losses) / size] * size

# %% takes_off_rank_0s_largest
# Wrong: everybody takes off the largest logit of rank 0.
# Message: losses on each rank
import math

from snippets.simulation.machine import AllGather, AllReduce


def cut_cross_entropy(*, logits, targets, first):
    size = len(targets)
    told = yield AllGather([max(row) for row in logits])
    most = told[:size]
    sums = [sum(math.exp(min(entry - top, 700)) for entry in row) for row, top in zip(logits, most, strict=True)]
    right = [row[y - first] if first <= y < first + len(row) else 0.0 for row, y in zip(logits, targets, strict=True)]
    both = yield AllReduce(sums + right)
    return [most[i] + math.log(both[i] or 1e-300) - both[size + i] for i in range(size)]

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
