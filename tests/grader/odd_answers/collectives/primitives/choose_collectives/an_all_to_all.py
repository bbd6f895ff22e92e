# Wrong: an all-to-all, which is not among the calls.
# Message: all_to_all
def choose_collectives(*, ranks, brings, holder, needs):
    return [("all_to_all", 0)]
