# Wrong: dealt in turn, then one matrix at a time moves to the lightest rank while that helps.
def owners(sizes, ranks):
    owner = [index % ranks for index in range(len(sizes))]
    while True:
        loads = [sum(s for s, o in zip(sizes, owner) if o == rank) for rank in range(ranks)]
        heavy, light = loads.index(max(loads)), loads.index(min(loads))
        moves = [i for i, o in enumerate(owner) if o == heavy and loads[light] + sizes[i] < loads[heavy]]
        if not moves:
            return owner
        owner[moves[0]] = light
