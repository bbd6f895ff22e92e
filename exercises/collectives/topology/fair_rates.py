"""Exercise: max-min fair shares of links by flows that cross several of them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake


def fair_rates(
    *,
    routes: list[list[str]],
    bandwidths: dict[str, float],
) -> list[float]:
    """Return the rate of each flow when all share their links fairly.

    All rates rise together from 0. When the flows on a link fill it, they stop
    at the rate that they have; the others go on rising, until each flow crosses
    a full link.

    Args:
        routes: for each flow the links that it crosses, one or more, each once.
        bandwidths: what each link carries a second; some links may have no
            flow.

    Returns:
        A rate for each flow, in the order of ``routes``, not rounded.

    >>> fair_rates(
    ...     routes=[["a"], ["a", "b"], ["b"]], bandwidths={"a": 10, "b": 4}
    ... )
    [8.0, 2.0, 2.0]
    """
    rates = [0.0] * len(routes)
    rising = set(range(len(routes)))
    room = dict(bandwidths)
    while rising:
        users = {link: [flow for flow in rising if link in routes[flow]] for link in room}
        full = min((link for link in room if users[link]), key=lambda link: room[link] / len(users[link]))
        share = room[full] / len(users[full])
        for flow in users[full]:
            rates[flow] = share
            for link in routes[flow]:
                room[link] -= share
        rising -= set(users[full])
    return rates


def rising_together(*, routes: list[list[str]], bandwidths: dict[str, float]) -> list[float]:
    """Let the rates rise from one moment at which a link becomes full to the next, in exact fractions."""
    rates = [Fraction(0)] * len(routes)
    rising = set(range(len(routes)))
    while rising:
        gaps = []
        for link, rate in bandwidths.items():
            active = [flow for flow in rising if link in routes[flow]]
            if active:
                carried = sum((rates[flow] for flow in range(len(routes)) if link in routes[flow]), Fraction(0))
                gaps.append(((Fraction(rate) - carried) / len(active), active))
        step = min(gap for gap, _ in gaps)
        for flow in rising:
            rates[flow] += step
        rising -= {flow for gap, active in gaps if gap == step for flow in active}
    return [float(rate) for rate in rates]


def drawn(seed: int, *, links: int, flows: int) -> Inputs:
    chance = Random(seed)
    names = "abcdefgh"[:links]
    routes = [sorted(chance.sample(names, chance.randint(1, min(3, links)))) for _ in range(flows)]
    rates = map(float, chance.sample(range(1, 41), links))
    return {"routes": routes, "bandwidths": dict(zip(names, rates, strict=True))}


def least_equal_parts(*, routes: list[list[str]], bandwidths: dict[str, float]) -> list[float]:
    """Give each flow the least of its equal parts of its links."""
    users = {link: sum(link in route for route in routes) for link in bandwidths}
    return [min(bandwidths[link] / users[link] for link in route) for route in routes]


def first_come(*, routes: list[list[str]], bandwidths: dict[str, float]) -> list[float]:
    """Let each flow take all that it can, one after the other."""
    room, rates = dict(bandwidths), []
    for route in routes:
        rates.append(min(room[link] for link in route))
        for link in route:
            room[link] -= rates[-1]
    return rates


def in_one_order(*, routes: list[list[str]], bandwidths: dict[str, float]) -> list[float]:
    """Fill the links in the order of their first shares, which is never looked at again."""
    rates, room = [-1.0] * len(routes), dict(bandwidths)
    for link in sorted(room, key=lambda link: bandwidths[link] / max(1, sum(link in route for route in routes))):
        users = [flow for flow, route in enumerate(routes) if link in route and rates[flow] < 0]
        for flow in users:
            rates[flow] = room[link] / len(users)
        for flow in users:
            for taken in routes[flow]:
                room[taken] -= rates[flow]
    return rates


TAKEN = "            for link in routes[flow]:\n                room[link] -= share\n"

EXERCISE = Exercise(
    fair_rates,
    number=3,
    level="hard",
    asked="the rate of each flow, when rates rise together until each flow crosses a full link",
    expected=rising_together,
    units={"": "bytes/s"},
    examples=[
        {"routes": [["a"], ["a", "b"], ["b"]], "bandwidths": {"a": 10.0, "b": 4.0}},
        {"routes": [["a"]], "bandwidths": {"a": 5.0, "b": 1.0}},
        {"routes": [["a"], ["a"], ["a"]], "bandwidths": {"a": 12.0}},
        {"routes": [["a", "b"], ["b", "c"], ["a", "c"]], "bandwidths": {"a": 4.0, "b": 10.0, "c": 30.0}},
        {"routes": [["a", "b", "c"], ["a"], ["b"], ["c"]], "bandwidths": {"a": 9.0, "b": 6.0, "c": 3.0}},
        {"routes": [["u", "x"], ["u", "y"], ["y", "d"]], "bandwidths": {"u": 50.0, "x": 50.0, "y": 30.0, "d": 50.0}},
        {"routes": [], "bandwidths": {"a": 1.0}},
        {
            "routes": [["a"], ["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"], ["f"]],
            "bandwidths": {"a": 2.0, "b": 4.0, "c": 8.0, "d": 16.0, "e": 32.0, "f": 64.0},
        },
        {"routes": [["a", "b"], ["b"], ["a"]], "bandwidths": {"b": 4.06, "a": 4.0}},
        {"routes": [["a", "b"], ["b"], ["a"]], "bandwidths": {"b": 4.0006, "a": 4.0}},
        *[drawn(seed, links=4, flows=6) for seed in range(3)],
    ],
    inputs=[drawn(seed, links=2 + seed % 5, flows=1 + seed % 8) for seed in range(100, 130)]
    + [drawn(seed, links=4 + seed % 5, flows=6 + seed % 8) for seed in range(200, 230)],
    drawn=lambda chance: [
        drawn(chance.randrange(10**9), links=2 + number % 6, flows=1 + number % 13) for number in range(60)
    ],
    mistakes=[
        Mistake(
            "never_gives_away_what_is_left",
            "An equal part of the narrowest link is the start, but what a flow that is held up elsewhere does not use, "
            "the others on its links can have.",
            least_equal_parts,
        ),
        Mistake(
            "stops_all_at_the_first_full_link",
            "When a link is full, only the flows that cross it stop; the others go on rising.",
            {"rising -= set(users[full])": "rates = [share] * len(routes); rising = set()"},
        ),
        Mistake(
            "does_not_share",
            "Flows that cross the same link share it; this gives each all of its narrowest link.",
            lambda *, routes, bandwidths: [min(bandwidths[link] for link in route) for route in routes],
        ),
        Mistake(
            "forgets_what_is_taken",
            "What the flows that have stopped take of their other links is no longer there for those that go on.",
            {TAKEN: ""},
        ),
        Mistake(
            "fills_the_narrowest_link_first",
            "The link with the least bandwidth need not be the first that is full: what counts is bandwidth for each "
            "of its flows.",
            {"key=lambda link: room[link] / len(users[link])": "key=lambda link: room[link]"},
        ),
        Mistake(
            "serves_one_after_the_other",
            "Rates rise together; this lets the first flow take all that it can, and leaves the rest to the next.",
            first_come,
        ),
        Mistake(
            "sorts_the_links_once",
            "Which link is full next changes when flows stop: look again after each.",
            in_one_order,
        ),
        Mistake(
            "divides_by_all_flows_of_the_link",
            "Flows that have stopped keep what they have: divide the room that is left among those that still rise.",
            {"share = room[full] / len(users[full])": "share = bandwidths[full] / sum(full in r for r in routes)"},
        ),
        Mistake(
            "is_always_the_first_example",
            "This is right for one input only: it looks neither at the routes nor at the bandwidths.",
            lambda **_: [8.0, 2.0, 2.0],
        ),
    ],
)
