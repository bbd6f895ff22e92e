# Wrong: it takes the torus for one of equal sides.


def torus_bisection_links(*, sides):
    hosts = 1
    for side in sides:
        hosts *= side
    return 2 * round(hosts ** (1 - 1 / len(sides)))
