# Wrong: cuts the slowest stage in two, as evenly as it can, until there are enough.
# Known mistake: Cutting the slowest stage in two again and again cannot move the cuts that it has made; ask for the least pace.
def cut_layers(layer_s, *, stages):
    cuts = [0, len(layer_s)]
    while len(cuts) <= stages:
        pieces = [(a, b) for a, b in zip(cuts, cuts[1:]) if b - a > 1]
        a, b = max(pieces, key=lambda piece: sum(layer_s[slice(*piece)]))
        cuts = sorted([*cuts, min(range(a + 1, b), key=lambda at: max(sum(layer_s[a:at]), sum(layer_s[at:b])))])
    return [b - a for a, b in zip(cuts, cuts[1:])]
