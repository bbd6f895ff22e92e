# Wrong: takes the gradients out of the lists that it was given.
# Message: shards is changed: work on a copy
from statistics import mean, variance


def batch_gradient(shards):
    drawn = []
    for shard in shards:
        while shard:
            drawn.append(shard.pop())
    entries = list(zip(*drawn))
    return [mean(entry) for entry in entries], sum(map(variance, entries)) / len(drawn)
