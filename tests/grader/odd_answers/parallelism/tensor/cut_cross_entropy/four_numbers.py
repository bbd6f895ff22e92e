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
