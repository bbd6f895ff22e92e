"""Exercise: a network of leaf and spine switches, with enough links across and the fewest switches."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import product
from random import Random
from typing import Any

from exercises.foundations.hierarchy.common import worst_halving_links
from grader.exercise import Exercise, Inputs, Mistake, Observation

Design = tuple[int, int, int]
DESIGN, LEAF, SPINE, ACROSS, SWITCHES = "design", "ports of a leaf", "ports of a spine", "links across", "switches"
FITS = "no more than there are"
DIVIDED = "(1, 0, 0), or leaves that share the GPUs evenly, one spine or more, and one cable or more"


def choose_leaf_spine(
    *,
    gpus: int,
    ports: int,
    least_links: int,
) -> tuple[int, int, int]:
    """Choose a network of the fewest switches that has enough links across.

    All switches are alike. Each leaf switch has equally many GPUs below it, one
    link each, and the same number of cables to every spine switch. Not all
    ports have to be used. A single switch for all GPUs has no spine and no
    cable; it leaves gpus / 2 links between two halves.

    Args:
        gpus: how many, an even number.
        ports: ports of each switch.
        least_links: links that must remain between two halves of the GPUs,
            however they are halved and wherever the switches stand; at least
            one network has as many.

    Returns:
        (leaves, spines, cables between each leaf and each spine); (1, 0, 0)
        is a single switch. Of several with the fewest switches, any.

    >>> choose_leaf_spine(gpus=8, ports=4, least_links=4)
    (4, 2, 1)
    """
    if gpus <= ports:
        return 1, 0, 0  # nothing lies between a GPU and the one switch
    found = []
    for leaves in range(2, ports + 1):
        if gpus % leaves:
            continue
        down = gpus // leaves
        for cables in range(1, ports // leaves + 1):
            for spines in range(1, (ports - down) // cables + 1):
                up = spines * cables
                across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)
                if across >= least_links:
                    found.append((leaves + spines, (leaves, spines, cables)))
    return min(found)[1]


def fits(gpus: int, ports: int, design: Design) -> bool:
    leaves, spines, cables = design
    return gpus // leaves + spines * cables <= ports and leaves * cables <= ports


@cache
def fewest_switches(gpus: int, ports: int, least_links: int) -> int:
    """Try networks of more and more switches, and cut each in all ways, until one has enough links.

    A network that has too few of them with whole leaves on each side needs no further cut.
    """
    if gpus <= ports and gpus // 2 >= least_links:
        return 1
    for switches in range(3, 2 * gpus):
        for leaves in range(2, switches):
            spines = switches - leaves
            for cables in range(1, ports // leaves + 1):
                design = (leaves, spines, cables)
                if gpus % leaves or not fits(gpus, ports, design):
                    continue
                if (leaves % 2 == 0) and leaves // 2 * spines * cables < least_links:
                    continue
                if worst_halving_links(gpus, *design) >= least_links:
                    return switches
    raise ValueError(f"no network of {ports} ports has {least_links} links between the halves of {gpus} GPUs")


def wanted(*, gpus: int, ports: int, least_links: int) -> Observation:
    return {
        DESIGN: DIVIDED,
        LEAF: FITS,
        SPINE: FITS,
        ACROSS: f"at least {least_links}",
        SWITCHES: f"{fewest_switches(gpus, ports, least_links)}, the fewest",
    }


def what_is_no_network(gpus: int, design: Any) -> str:
    """Say why a design is no network at all; nothing if it is one."""
    numbers = design if isinstance(design, tuple | list) else ()
    if len(numbers) != 3 or not all(isinstance(number, int) for number in numbers):
        return "this is not three whole numbers"
    leaves, spines, cables = numbers
    if leaves < 1 or gpus % leaves:
        return f"{leaves} leaves cannot share {gpus} GPUs evenly"
    if (spines >= 1) != (cables >= 1) or min(spines, cables) < 0:
        return f"spines = {spines} and cables = {cables}, but a spine needs cables, and a cable needs a spine"
    if leaves > 1 and not spines:
        return f"nothing joins the {leaves} leaves"
    return ""


def observe(function: Callable[..., Any], *, gpus: int, ports: int, least_links: int) -> Observation:
    """Cut the network that was chosen in all ways, and say which limit it breaks."""
    design = function(gpus=gpus, ports=ports, least_links=least_links)
    good = wanted(gpus=gpus, ports=ports, least_links=least_links)
    if fault := what_is_no_network(gpus, design):
        return {**good, DESIGN: f"{design}: {fault}"}
    leaves, spines, cables = design
    chosen = f"with the design {tuple(design)}"
    used = {LEAF: gpus // leaves + spines * cables, SPINE: leaves * cables}
    for name, number in used.items():
        if number > ports:
            return {**good, name: f"{number} of {ports}, {chosen}"}
    across = worst_halving_links(gpus, *design)
    if across < least_links:
        return {**good, ACROSS: f"{across}, {chosen}"}
    if leaves + spines > fewest_switches(gpus, ports, least_links):
        return {**good, SWITCHES: f"{leaves + spines}, {chosen}"}
    return good


def cluster(gpus: int, ports: int, least_links: int) -> Inputs:
    return {"gpus": gpus, "ports": ports, "least_links": least_links}


ENOUGH = "across = leaves // 2 * min(down, up) + leaves % 2 * (down // 2)"


def by_hand(leaves: int, down: int, up: int) -> int:
    """Return the links across as the solution does."""
    return leaves // 2 * min(down, up) + leaves % 2 * (down // 2)


def by_rule(
    *,
    across: Callable[[int, int, int], int] = by_hand,
    enough: Callable[[int], float] = lambda least: least,
    fitting: Callable[[int, int, Design], bool] = fits,
    has_single: bool = True,
) -> Callable[..., bool]:
    """Return what judges a network by another count of links or ports: whether it has the fewest switches by that."""

    def accepts(chosen: Design, *, gpus: int, ports: int, least_links: int) -> bool:
        if gpus <= ports and has_single:
            return chosen == (1, 0, 0)
        switches = {
            design: design[0] + design[1]
            for design in product(range(2, ports + 1), range(1, ports + 1), range(1, ports + 1))
            if gpus % design[0] == 0 and fitting(gpus, ports, design)
            if across(design[0], gpus // design[0], design[1] * design[2]) >= enough(least_links)
        }
        return not switches or switches.get(chosen) == min(switches.values())

    return accepts


def taught() -> str:
    leaves, spines, cables = choose_leaf_spine(gpus=256, ports=32, least_links=48)
    full = choose_leaf_spine(gpus=256, ports=32, least_links=128)
    return (
        f"{leaves + spines} switches are enough: {leaves} leaves, {spines} spines, and {cables} cables between each "
        f"leaf and each spine. Full bisection, 128 links, takes {sum(full[:2])}: links across are bought with spines."
    )


INPUTS: list[Inputs] = [
    cluster(gpus, ports, least)
    for gpus, ports, leasts in (
        (8, 6, (1, 2, 3, 4)),
        (6, 10, (3,)),
        (12, 5, (3,)),
        (12, 7, (5,)),
        (12, 8, (2, 4, 5, 6)),
        (18, 10, (3, 6, 9)),
        (20, 10, (3, 6, 10)),
        (20, 12, (9,)),
        (24, 12, (5, 9, 12)),
        (24, 8, (7,)),
        (28, 14, (7,)),
        (36, 9, (10,)),
        (12, 11, (5,)),
        (18, 11, (8,)),
        (22, 11, (1,)),
    )
    for least in leasts
]


def drawn(chance: Random) -> list[Inputs]:
    """Return clusters for which there is a network, beside the book's own."""
    found: list[Inputs] = []
    while len(found) < 24:
        gpus = chance.randrange(6, 25, 2)
        one = cluster(gpus, chance.randint(5, 12), chance.randint(1, gpus // 2))
        with suppress(ValueError):  # no network has so many links
            choose_leaf_spine(**one)
            found.append(one)
    return [*INPUTS, *found]


EXERCISE = Exercise(
    choose_leaf_spine,
    number=4,
    level="hard",
    asked="a network of the fewest switches whose worst halving keeps enough links",
    expected=wanted,
    observe=observe,
    examples=[
        cluster(8, 4, 4),
        cluster(4, 8, 2),
        cluster(12, 8, 2),
        cluster(8, 8, 4),
        cluster(12, 7, 6),
        cluster(12, 6, 4),
        cluster(24, 12, 4),
        cluster(30, 14, 7),
        cluster(32, 16, 8),
        cluster(200, 20, 100),
        cluster(256, 32, 48),
    ],
    taught=taught,
    inputs=INPUTS,
    drawn=drawn,
    mistakes=[
        Mistake(
            "never_saves_a_cable",
            "As many cables up as GPUs below always suffice, but fewer links across were asked for, which need fewer "
            "switches.",
            {"if across >= least_links:": "if up >= down and across >= least_links:"},
            accepts=by_rule(across=lambda leaves, down, up: by_hand(leaves, down, up) if up >= down else 0),
        ),
        Mistake(
            "takes_the_cheapest",
            "This has the fewest switches, but too few links are left between its halves.",
            {"if across >= least_links:": "if across >= 1:"},
            accepts=by_rule(enough=lambda least: 1),
        ),
        Mistake(
            "leaves_the_middle_out",
            "With an odd number of leaves, the leaf that is cut in two adds half of its GPUs' links.",
            {ENOUGH: "across = leaves // 2 * min(down, up)"},
            accepts=by_rule(across=lambda leaves, down, up: leaves // 2 * min(down, up)),
        ),
        Mistake(
            "sends_the_middle_leafs_bytes_up",
            "The two halves of a leaf's GPUs reach each other through the leaf itself: they need no cable up.",
            {ENOUGH: "across = leaves // 2 * min(down, up) + leaves % 2 * min(down // 2, up)"},
            accepts=by_rule(
                across=lambda leaves, down, up: leaves // 2 * min(down, up) + leaves % 2 * min(down // 2, up)
            ),
        ),
        Mistake(
            "takes_half_of_the_leaves_cables",
            "An odd number of leaves cannot be halved: the leaf that is cut in two adds half of its GPUs' links, not "
            "half of its cables.",
            {ENOUGH: "across = leaves * min(down, up) // 2"},
            accepts=by_rule(across=lambda leaves, down, up: leaves * min(down, up) // 2),
        ),
        Mistake(
            "has_an_even_number_of_leaves",
            "The number of leaves may be odd: one of them is then cut in two.",
            {"if gpus % leaves:": "if gpus % leaves or leaves % 2:"},
            accepts=by_rule(fitting=lambda gpus, ports, design: fits(gpus, ports, design) and design[0] % 2 == 0),
        ),
        Mistake(
            "has_no_more_spines_than_leaves",
            "There may be more spines than leaves: large leaves with many cables up.",
            {"range(1, (ports - down) // cables + 1)": "range(1, min(leaves, (ports - down) // cables) + 1)"},
            accepts=by_rule(fitting=lambda gpus, ports, design: fits(gpus, ports, design) and design[1] <= design[0]),
        ),
        Mistake(
            "counts_both_directions",
            "A link counts once, although it carries bytes both ways.",
            {"if across >= least_links:": "if 2 * across >= least_links:"},
            accepts=by_rule(enough=lambda least: least / 2),
        ),
        Mistake(
            "forgets_the_single_switch",
            "Where all GPUs fit below one switch, that switch is a network: it needs no spine.",
            {"if gpus <= ports:": "if False:"},
            accepts=by_rule(has_single=False),
        ),
        Mistake(
            "has_one_cable_to_each_spine",
            "Several cables between a leaf and a spine can save spines.",
            {"range(1, ports // leaves + 1)": "range(1, min(2, ports // leaves + 1))"},
            accepts=by_rule(fitting=lambda gpus, ports, design: fits(gpus, ports, design) and design[2] == 1),
        ),
        Mistake(
            "forgets_the_spines_ports",
            "A spine has a port for every cable of every leaf, and no more ports than there are.",
            {"range(1, ports // leaves + 1)": "range(1, ports + 1)"},
            accepts=by_rule(fitting=lambda gpus, ports, design: gpus // design[0] + design[1] * design[2] <= ports),
        ),
        Mistake(
            "forgets_the_ports_below",
            "A leaf's ports hold its GPUs too; only what is left can go up.",
            {"(ports - down) // cables": "ports // cables"},
            accepts=by_rule(fitting=lambda gpus, ports, design: max(design[:2]) * design[2] <= ports),
        ),
        Mistake(
            "forgets_the_ports_of_the_cables",
            "A leaf needs a port for every cable up, beside those of its GPUs.",
            {"(ports - down) // cables": "(ports if down <= ports else 0)"},
            accepts=by_rule(
                fitting=lambda gpus, ports, design: gpus // design[0] <= ports and design[0] * design[2] <= ports
            ),
        ),
        Mistake(
            "is_always_the_first",
            "This is right for one input only: it does not look at the GPUs.",
            lambda **_: (4, 2, 1),
        ),
    ],
)
