# %% one_by_one
# Right: each layout is put on the front, and throws off what it dominates.
def undominated(layouts):
    front = []
    for i, (seconds, gigabytes) in enumerate(layouts):
        if any(layouts[j][0] <= seconds and layouts[j][1] <= gigabytes for j in front):
            continue
        front = [j for j in front if not (seconds <= layouts[j][0] and gigabytes <= layouts[j][1])]
        front.append(i)
    return sorted(front, key=lambda i: layouts[i])


# %% strictly_better_in_both
# Wrong: a layout that is as fast and larger stays.
def undominated(layouts):
    front = []
    for i, (seconds, gigabytes) in enumerate(layouts):
        if not any(T < seconds and M < gigabytes for T, M in layouts) and (seconds, gigabytes) not in layouts[:i]:
            front.append(i)
    return sorted(front, key=lambda i: layouts[i])


# %% a_twentieth_less
# Wrong: one stays only if it needs a twentieth less.
def undominated(layouts):
    least, front = float("inf"), []
    for i in sorted(range(len(layouts)), key=lambda i: layouts[i]):
        gigabytes = layouts[i][1]
        if gigabytes < 0.95 * least:
            least = gigabytes
            front.append(i)
    return front


# %% a_gigabyte_less
# Wrong: one stays only if it needs nearly a gigabyte less.
def undominated(layouts):
    least, front = float("inf"), []
    for i in sorted(range(len(layouts)), key=lambda i: layouts[i]):
        gigabytes = layouts[i][1]
        if gigabytes < least - 0.95:
            least = gigabytes
            front.append(i)
    return front


# %% from_a_thousand
# Wrong: the search begins at 1,000 GB.
def undominated(layouts):
    least, front = 1000.0, []
    for i in sorted(range(len(layouts)), key=lambda i: layouts[i]):
        gigabytes = layouts[i][1]
        if gigabytes < least:
            least = gigabytes
            front.append(i)
    return front
