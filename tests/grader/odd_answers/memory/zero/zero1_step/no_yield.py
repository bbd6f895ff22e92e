# Wrong: an ordinary function, which takes part in nothing.
def zero1_step(rank, step, learning_rate):
    rank.first += 0.1 * (rank.gradients[rank.shard] - rank.first)
