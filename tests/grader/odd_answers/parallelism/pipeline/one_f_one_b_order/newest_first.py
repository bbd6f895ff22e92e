# Wrong: every backward is that of the newest micro-batch.
# Known mistake: This runs the backward of the newest micro-batch first; gradients come back in the order in which the micro-batches were sent, so the oldest is first.
def one_f_one_b_order(*, stages, micro_batches, stage):
    ahead = min(stages - stage - 1, micro_batches)
    order, held = [("F", i) for i in range(ahead)], list(range(ahead))
    for i in range(ahead, ahead + micro_batches):
        if i < micro_batches:
            order.append(("F", i))
            held.append(i)
        order.append(("B", held.pop()))
    return order
