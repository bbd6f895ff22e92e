"""Exercise: the layouts that no other layout dominates."""

from __future__ import annotations

from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def undominated(
    layouts: list[tuple[float, float]],
) -> list[int]:
    """Return the numbers of the layouts on the front of time and memory.

    One layout dominates another if it's as fast or faster and needs as much
    memory or less, and isn't equal in both. Of layouts that are equal in both
    only the first counts.

    Args:
        layouts: for each the seconds of a step, and the GB that the fullest
            GPU holds; at least one.

    Returns:
        The numbers, from 0, of the layouts that none dominates, the fastest
        first.

    >>> undominated([(13.0, 45.0), (14.0, 50.0), (13.6, 25.0)])
    [0, 2]
    """
    front: list[int] = []
    for i in sorted(range(len(layouts)), key=lambda i: (*layouts[i], i)):
        if not front or layouts[i][1] < layouts[front[-1]][1]:
            front.append(i)
    return front


def in_time(layouts: list[tuple[float, float]]) -> list[int]:
    return sorted(range(len(layouts)), key=lambda i: (*layouts[i], i))


def by_pairs(layouts: list[tuple[float, float]]) -> list[int]:
    """Ask every other layout of every layout."""

    def beaten(i: int) -> bool:
        mine = layouts[i]
        return any(
            (theirs[0] <= mine[0] and theirs[1] <= mine[1] and theirs != mine) or (theirs == mine and j < i)
            for j, theirs in enumerate(layouts)
        )

    return sorted((i for i in range(len(layouts)) if not beaten(i)), key=lambda i: layouts[i][0])


layouts_of = inputs_for(undominated)
# The planner's times and sizes of the question's job, rounded: some of the layouts that can run, the whole front too.
OWN = layouts_of(
    [
        (13.2, 44.8),
        (13.6, 25.4),
        (14.1, 27.7),
        (14.3, 15.8),
        (14.5, 45.5),
        (14.6, 26.2),
        (14.8, 28.2),
        (14.9, 14.4),
        (15.0, 15.5),
        (15.3, 49.7),
        (15.6, 9.7),
        (16.0, 11.7),
        (16.2, 54.2),
        (16.9, 35.0),
        (17.5, 39.1),
        (20.1, 52.0),
    ]
)


def drawn(chance: Random) -> list[Inputs]:
    found = []
    for _ in range(60):
        most = chance.choice((3, 6, 20))
        count = chance.randint(1, 9)
        found.append(
            layouts_of([(float(chance.randint(1, most)), float(chance.randint(1, most))) for _ in range(count)])
        )
    return found


def taught() -> str:
    front = undominated(**OWN)
    seconds, sizes = zip(*(OWN["layouts"][i] for i in front), strict=True)
    return (
        f"{len(front)} of {len(OWN['layouts'])} layouts are left, as of the chapter's eighty. The fastest "
        f"takes {seconds[0]} s and {sizes[0]} GB; for {sizes[-1]} GB you pay {seconds[-1]} s. If the predictions are "
        "right, the others are never the answer."
    )


EXERCISE = Exercise(
    undominated,
    number=1,
    level="easy",
    asked="the layouts that no other one dominates, the fastest first",
    expected=by_pairs,
    examples=[
        layouts_of([(13.0, 45.0), (14.0, 50.0), (13.6, 25.0)]),
        layouts_of([(3.0, 3.0)]),
        layouts_of([(2.0, 3.0), (2.0, 3.0), (2.0, 4.0)]),
        layouts_of([(2.0, 5.0), (2.0, 4.0), (1.0, 4.0)]),
        layouts_of([(5.0, 1.0), (4.0, 2.0), (3.0, 3.0), (2.0, 4.0)]),
        layouts_of([(10.0, 30.0), (11.0, 29.9)]),
        layouts_of([(10.0, 5000.0), (11.0, 4000.0), (12.0, 4500.0), (13.0, 3999.6)]),
        layouts_of([(1.0, 5.0), (2.0, 9.0), (3.0, 7.0)]),
        OWN,
    ],
    inputs=drawn(Random(29)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "keeps_the_fastest_alone",
            "You kept the fastest alone. One that's slower may need less memory, and be the answer where that's short.",
            {"not front or layouts[i][1] < layouts[front[-1]][1]": "not front"},
        ),
        Mistake(
            "keeps_what_is_as_large",
            "You kept layouts that are slower and not smaller. They're dominated: one stays if it needs *less* memory.",
            {"layouts[i][1] < layouts[front[-1]][1]": "layouts[i][1] <= layouts[front[-1]][1]"},
        ),
        Mistake(
            "compares_with_the_first",
            "You compared memory with the fastest layout's. Compare with the last one kept: it needs the least so far.",
            {"layouts[front[-1]][1]": "layouts[front[0]][1]"},
        ),
        Mistake(
            "sorts_by_time_alone",
            "Of equally fast layouts the smallest comes first. Sort by memory where the times are equal.",
            {"(*layouts[i], i)": "(layouts[i][0], i)"},
        ),
        Mistake(
            "compares_with_the_one_before",
            "You compared memory with the next faster layout's, which may be dominated itself. Compare with the last "
            "one kept.",
            lambda layouts: [
                i
                for before, i in zip([None, *in_time(layouts)], in_time(layouts), strict=False)
                if before is None or layouts[i][1] < layouts[before][1]
            ],
        ),
        Mistake(
            "keeps_all_equals",
            "Of layouts that are equal in both only the first counts. You kept all.",
            lambda layouts: [i for i in in_time(layouts) if layouts[i] in [layouts[j] for j in undominated(layouts)]],
        ),
        Mistake(
            "drops_all_equals",
            "Equal layouts don't dominate each other: the first of them counts. You dropped all.",
            lambda layouts: [i for i in undominated(layouts) if layouts.count(layouts[i]) == 1],
        ),
        Mistake(
            "takes_the_largest",
            "You kept layouts that need more memory. Less is better in both.",
            {"layouts[i][1] < layouts[front[-1]][1]": "layouts[i][1] > layouts[front[-1]][1]"},
        ),
        Mistake(
            "orders_by_number",
            "The front is right, but it's asked for in the order of time, the fastest first.",
            {"return front": "return sorted(front)"},
        ),
        Mistake(
            "orders_by_memory",
            "The front is right, but it's asked for in the order of time, the fastest first.",
            {"return front": "return front[::-1]"},
        ),
        Mistake(
            "counts_from_one",
            "The layouts are counted from 0.",
            {"return front": "return [i + 1 for i in front]"},
        ),
        Mistake("says_one_list", "This is right for one input only.", lambda **_: [0, 2]),
    ],
)
