# Wrong: max() over pairs compares the names of equals.
def peak_and_live(events):
    held, found = {}, [(0, [])]
    for name, change in events:
        held[name] = held.get(name, 0) + change
        if not held[name]:
            del held[name]
        found.append((sum(held.values()), list(held)))
    return max(found)
