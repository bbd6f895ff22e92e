# Data that could be taken for what the two processes say to each other.
def largest_micro_batch(**given):
    return {"object": ["os:system", ["true"]], "known": 0, "callback": 0}
