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
