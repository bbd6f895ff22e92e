# Wrong: the orders of all stages at once.
def one_f_one_b_order(stages, micro_batches, stage):
    orders = []
    for other in range(stages):
        ahead = min(stages - 1 - other, micro_batches)
        order = [("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [("F", ahead + i), ("B", i)]
        orders.append(order + [("B", i) for i in range(micro_batches - ahead, micro_batches)])
    return orders
