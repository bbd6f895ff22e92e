# Wrong: gives the all-gather a root, and sends to a rank that does not exist.
# Message: root
def choose_collectives(*, ranks, brings, holder, needs):
    return [("gather", ranks)]
