# A list that has itself as its entry.
def largest_micro_batch(**given):
    found = []
    found.append(found)
    return found
