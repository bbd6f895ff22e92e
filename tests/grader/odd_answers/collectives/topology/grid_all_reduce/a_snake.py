# Wrong: a snake.
from snippets.simulation.machine import AllReduce


def grid_all_reduce(*, rank, sides, numbers):
    ranks = 1
    for side in sides:
        ranks *= side
    rows = [list(range(start, start + sides[0])) for start in range(0, ranks, sides[0])]
    snake = [place for number, row in enumerate(rows) for place in (row[::-1] if number % 2 else row)]
    return (yield AllReduce(numbers, group=snake))
