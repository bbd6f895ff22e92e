"""Exercise: how many experts, how many for each token, and how much room, for a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.parallelism.expert.formulas import expected_drop_share
from snippets.simulation.machine import AllToAll, Machine, Program

DESIGN, NONE = "design", "None, since no design meets all limits"


def choose_experts(
    *,
    ranks: int,
    tokens: int,
    hidden: int,
    active_width: int,
    least_parameters: int,
    least_per_token: int,
    memory_bytes: int,
    most_sent_bytes: int,
    most_dropped: float,
) -> tuple[int, int, int] | None:
    """Choose experts E, how many for a token, k, and the room q of each.

    Experts get narrower as k grows, so that a token's arithmetic stays the
    same: an expert has 3 · hidden · (active_width / k) parameters. E is a
    multiple of the ranks, which divide the experts evenly, and E is at most
    16 · ranks. k is 1, 2, 4 or 8, at least least_per_token, at most E, and
    divides active_width.

    Each token chooses its experts independently, all equally likely, so that
    an expert's load is binomial: ``tokens`` trials, probability k/E, which may
    be 1. An expert has room for q tokens of the batch, which the ranks share as
    they need (with a fixed part for each rank more would be dropped); room that
    is not used travels as zeros and is computed too. q is a multiple of the
    ranks, and at least as large. What counts:

    - the layer's experts together have at least least_parameters;
    - a rank holds 18 bytes for each parameter of its experts, and for each of
      the q places of each of them 4 · hidden bytes; at most memory_bytes;
    - in one all-to-all a rank sends, for every expert of the other ranks, an
      even part of the room, q/ranks rows of 2 · hidden bytes; at most
      most_sent_bytes;
    - the expected share of the copies that find no room is at most
      most_dropped.

    Args:
        ranks: among which the experts are divided.
        tokens: of the batch, all ranks together, at most 4096.
        hidden: width of a token's vector.
        active_width: inner width of a token's experts together.
        least_parameters: of the layer's experts.
        least_per_token: the least k, from 1 to 8.
        memory_bytes: of a rank, for its experts.
        most_sent_bytes: by a rank, in one all-to-all.
        most_dropped: a share of the copies.

    Returns:
        E, k and q. Any choice that meets the limits is right. ``None`` where
        there is none.

    >>> choose_experts(
    ...     ranks=2, tokens=4, hidden=1, active_width=2, least_parameters=12,
    ...     least_per_token=1, memory_bytes=136, most_sent_bytes=8,
    ...     most_dropped=0.2,
    ... )
    (2, 1, 2)
    """
    for k in (1, 2, 4, 8):
        for E in range(ranks, 16 * ranks + 1, ranks):
            if not least_per_token <= k <= E or active_width % k:
                continue
            width = active_width // k
            if 3 * hidden * width * E < least_parameters:
                continue
            if k < E:
                p, chances = k / E, []
                for x in range(tokens + 1):
                    ways = math.lgamma(tokens + 1) - math.lgamma(x + 1)
                    ways -= math.lgamma(tokens - x + 1)
                    log = ways + x * math.log(p) + (tokens - x) * math.log(1 - p)
                    chances.append(math.exp(log))
            else:
                chances = [0.0] * tokens + [1.0]
            for q in range(ranks, tokens + ranks, ranks):
                own = E // ranks
                held = own * (18 * 3 * hidden * width + 4 * hidden * q)
                sent = (ranks - 1) * own * q // ranks * 2 * hidden
                if held > memory_bytes or sent > most_sent_bytes:
                    break
                over = range(q + 1, tokens + 1)
                lost = sum((x - q) * chances[x] for x in over)
                if E * lost / (k * tokens) <= most_dropped:
                    return E, k, q
    return None


NAMES = ("ranks", "tokens", "hidden", "active_width")
HAIR = 1e-7


def designs(ranks: int, active_width: int) -> Iterator[tuple[int, int]]:
    """Yield every pair of experts and experts for each token."""
    for experts in range(ranks, 16 * ranks + 1, ranks):
        for k in (1, 2, 4, 8):
            if k <= experts and active_width % k == 0:
                yield experts, k


def why_there_is_not(design: tuple[int, int, int], inputs: Inputs) -> str:
    """Say what is wrong with a design that there is not."""
    (experts, k, room), ranks = design, inputs["ranks"]
    if experts < 1 or experts % ranks or experts > 16 * ranks:
        return f"the number of experts, {experts}, is no multiple of {ranks} from {ranks} to {16 * ranks}"
    if k not in (1, 2, 4, 8):
        return f"a token cannot go to {k} experts: 1, 2, 4 and 8 are allowed"
    if k > experts:
        return f"a token cannot go to {k} of {experts} experts"
    if inputs["active_width"] % k:
        return f"{k} experts for each token do not divide the active width {inputs['active_width']}"
    if k < inputs["least_per_token"]:
        return f"{k} for each token is fewer than {inputs['least_per_token']}"
    if room < 1 or room % ranks:
        return f"room for {room} is no multiple of the {ranks} ranks from {ranks} on"
    return ""


def _send(rank: int, ranks: int, own: int, rows: int) -> Program:
    """Give each rank its part of the room, a number for each row."""
    yield AllToAll([[0] * (own * rows) for _ in range(ranks)])


@cache
def rows_sent(ranks: int, own: int, rows: int) -> int:
    """Count what rank 0 sends, on the machine."""
    machine = Machine(ranks, number_bytes=1)
    machine.run([_send(rank, ranks, own, rows) for rank in range(ranks)])
    return machine.account.sent_bytes[0]


@cache
def cost(
    design: tuple[int, int, int], ranks: int, tokens: int, hidden: int, active_width: int
) -> tuple[int, int, int, float]:
    """Return parameters, bytes held, bytes sent on the machine, and the share that is dropped."""
    experts, k, room = design
    matrices = [(hidden, active_width // k), (hidden, active_width // k), (active_width // k, hidden)]
    each = sum(rows * columns for rows, columns in matrices)
    own = experts // ranks
    held = sum(18 * each + room * hidden * 4 for _ in range(own))
    sent = rows_sent(ranks, own, 1) * (room // ranks) * hidden * 2
    dropped = expected_drop_share(tokens=tokens, shares=[min(1.0, k / experts)] * experts, capacity=room)
    return experts * each, held, sent, dropped


def measured(design: tuple[int, int, int], inputs: Inputs) -> tuple[int, int, int, float]:
    return cost(design, *(inputs[name] for name in NAMES))


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def misses(design: tuple[int, int, int], inputs: Inputs) -> list[str]:
    """Say which limits a design does not meet."""
    parameters, held, sent, dropped = measured(design, inputs)
    wrong = []
    if parameters < inputs["least_parameters"]:
        wrong.append(f"{counted(inputs['least_parameters'] - parameters, 'parameter')} too few")
    if held > inputs["memory_bytes"]:
        wrong.append(
            f"{counted(held - inputs['memory_bytes'], 'byte')} too many on a rank, which holds parameters and places"
        )
    if sent > inputs["most_sent_bytes"]:
        wrong.append(f"{counted(sent - inputs['most_sent_bytes'], 'byte')} too many sent to the other ranks' experts")
    if dropped > inputs["most_dropped"] * (1 + HAIR) + HAIR:
        wrong.append(f"more is dropped than {inputs['most_dropped']:.2%} of the copies")
    return wrong


def most_room(experts: int, k: int, inputs: Inputs) -> int:
    """Return the most room that memory and network allow: drops only shrink with it."""
    per_row, free = 4 * inputs["hidden"], 0
    own = experts // inputs["ranks"]
    weights = 18 * 3 * inputs["hidden"] * (inputs["active_width"] // k)
    by_memory = (inputs["memory_bytes"] // own - weights) // per_row
    one = rows_sent(inputs["ranks"], own, 1) * 2 * inputs["hidden"]
    by_network = inputs["most_sent_bytes"] // one * inputs["ranks"] if one else inputs["tokens"] * 2
    free = min(by_memory, by_network, inputs["tokens"] + inputs["ranks"])
    return free // inputs["ranks"] * inputs["ranks"]


def told(design: tuple[int, int, int], inputs: Inputs) -> str:
    parameters, held, sent, dropped = measured(design, inputs)
    return f"{design}: {parameters:,} parameters, {held:,} bytes held, {sent:,} sent, {dropped:.2%} dropped"


def one_that_meets(**inputs: Any) -> Observation:
    """Try all experts and numbers for each token, with the most room that there can be."""
    for experts, k in designs(inputs["ranks"], inputs["active_width"]):
        room = most_room(experts, k, inputs)
        if k >= inputs["least_per_token"] and room >= 1 and not misses((experts, k, room), inputs):
            return {DESIGN: f"one that meets all limits, such as {told((experts, k, room), inputs)}"}
    return {DESIGN: NONE}


def try_the_choice(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Judge the answer's design; whatever meets the limits looks the same."""
    chosen = function(**inputs)
    if chosen is None:
        wanted = one_that_meets(**inputs)
        return wanted if wanted[DESIGN] == NONE else {DESIGN: "None"}
    design = (chosen[0], chosen[1], chosen[2])
    if why := why_there_is_not(design, inputs):
        return {DESIGN: f"{design}: {why}"}
    if wrong := misses(design, inputs):
        return {DESIGN: f"{told(design, inputs)}; {' and '.join(wrong)}"}
    return one_that_meets(**inputs)


@dataclass(frozen=True)
class Slips:
    """What a mistaken rule has in place of the stub's."""

    narrow: bool = True
    place_bytes: int = 4
    matrices: int = 3
    sends_to: int = -1  # ranks, besides all
    alone_sends: bool = True  # with that slip, one rank sends to itself too
    even_part: bool = True  # of the room is what a rank sends
    choices: int | None = None  # of a token, in an expert's probability; k if it is not said
    all_of_them: bool = True  # the probability is 1 where a token goes to all experts
    divided_by: int | None = None  # choices of a token, in the share; k
    mean_is_enough: bool = False
    mean_drops: bool = False  # only what the mean load has above the room


def most_room_by(slips: Slips, design: tuple[int, int], inputs: Inputs) -> int:
    """Return the most room, of use to the tokens, with which a rank holds and sends no more than it may."""
    (experts, k), (ranks, tokens, hidden, active) = design, (inputs[name] for name in NAMES)
    own = experts // ranks
    free = inputs["memory_bytes"] - own * 18 * slips.matrices * hidden * (active // k if slips.narrow else active)
    to = ranks + slips.sends_to if ranks > 1 or slips.alone_sends else 0
    a_place, a_row = own * slips.place_bytes * hidden, to * own * 2 * hidden
    by_memory = (free // a_place if a_place else tokens + ranks) if free >= 0 else 0
    by_network = inputs["most_sent_bytes"] // a_row * (ranks if slips.even_part else 1) if a_row else tokens + ranks
    return min(by_memory, by_network, tokens + ranks - 1) // ranks * ranks


@cache
def drop_share(slips: Slips, experts: int, k: int, room: int, tokens: int) -> float:
    chance = (slips.choices or k) / experts if k < experts or not slips.all_of_them else 1.0
    if slips.mean_drops:
        return max(0.0, 1 - experts * room / (k * tokens))
    dropped = expected_drop_share(tokens=tokens, shares=[chance] * experts, capacity=room)
    return dropped * chance * experts / (slips.divided_by or k)


def by_rule(
    *, any_k: bool = False, any_width: bool = False, fewest: bool = False, **changes: Any
) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip."""
    slips = Slips(**changes)

    def accepts(chosen: tuple[int, int, int] | None, **inputs: Any) -> bool:
        ranks, tokens, hidden, active = (inputs[name] for name in NAMES)

        def meets_it(experts: int, k: int, room: int) -> bool:
            width = active // k if slips.narrow else active
            if slips.matrices * hidden * width * experts < inputs["least_parameters"]:
                return False
            if not 0 < room <= most_room_by(slips, (experts, k), inputs):
                return False
            if slips.mean_is_enough:
                return room >= k * tokens / experts
            return drop_share(slips, experts, k, room, tokens) <= inputs["most_dropped"] * (1 + HAIR) + HAIR

        there = {
            (experts, k)
            for experts, k in product(range(ranks, 16 * ranks + 1, ranks), (1, 2, 4, 8))
            if k >= inputs["least_per_token"] and (k <= experts or any_k) and (active % k == 0 or any_width)
        }
        if fewest:
            enough = {one for one in there if 3 * hidden * (active // one[1]) * one[0] >= inputs["least_parameters"]}
            there = {one for one in enough if not any(other[1] == one[1] and other < one for other in enough)}
        if chosen is None:
            return not any(meets_it(*design, most_room_by(slips, design, inputs)) for design in there)
        return tuple(chosen[:2]) in there and chosen[2] % ranks == 0 and meets_it(*chosen)

    return accepts


def layer(shape: tuple[int, int, int, int], limits: tuple[int, int, int, int, float]) -> Inputs:
    names = ("least_parameters", "least_per_token", "memory_bytes", "most_sent_bytes", "most_dropped")
    return {**dict(zip(NAMES, shape, strict=True)), **dict(zip(names, limits, strict=True))}


def around(shape: tuple[int, int, int, int], design: tuple[int, int, int]) -> Iterator[Inputs]:
    """Yield limits that a design just meets, some with a k that is not the least, and with each of them too tight."""
    parameters, held, sent, dropped = cost(design, *shape)
    k, share = design[1], dropped + 2e-4
    yield layer(shape, (parameters, max(1, k - 1), held, sent, share))
    yield layer(shape, (parameters, 1, held, sent, share))
    yield layer(shape, (parameters, k, held - 2, sent, share))
    yield layer(shape, (parameters, k, held, max(0, sent - 2), share))
    yield layer(shape, (parameters + 2, k, held, sent, share))
    if dropped > 1e-4:
        yield layer(shape, (parameters, k, held, sent, 0.995 * dropped))


def beside(shape: tuple[int, int, int, int]) -> Iterator[Inputs]:
    """Yield limits that designs just meet which one rule alone forbids: too large a k, or one that is not allowed."""
    ranks, tokens, _, active_width = shape
    for experts, k in ((ranks, 8), (2 * ranks, 4), (4 * ranks, 3), (8 * ranks, 6), (17 * ranks, 1)):
        if k > experts or k in (3, 6) or active_width % k or experts > 16 * ranks:
            room = -(-min(tokens, 2 * k * tokens // experts) // ranks) * ranks
            parameters, held, sent, dropped = cost((experts, k, room), *shape)
            if parameters:
                yield layer(shape, (parameters, 1, held, sent, dropped + 2e-4))


SHAPES = [(2, 16, 4, 8), (4, 30, 2, 16), (2, 24, 3, 24), (4, 22, 5, 4), (1, 12, 2, 8), (3, 12, 1, 12)]
DESIGNS = [(1, 1, 1.5), (1, 2, 1.0), (2, 2, 1.25), (4, 4, 1.25), (8, 8, 1.5), (16, 4, 3.0), (3, 1, 2.0), (6, 2, 0.6)]
TRAPS = [  # each is wrong for one who forgets one rule
    layer((2, 6, 1, 4), (12, 1, 140, 8, 0.0002)),  # more than least_per_token
    layer((4, 12, 1, 24), (72, 1, 516, 72, 0.0002)),  # not 3
    layer((3, 12, 1, 4), (27, 3, 234, 24, 0.073896)),  # 4, though 3 is the least
    layer((4, 12, 1, 6), (12, 1, 102, 18, 0.0002)),  # 4 does not divide 6
    layer((1, 6, 1, 8), (3, 1, 78, 0, 0.0002)),  # 8 of one expert
    layer((2, 6, 1, 4), (36, 1, 468, 36, 0.0002)),  # three times the even share
    layer((4, 6, 1, 4), (12, 1, 86, 12, 0.0002)),  # room for 8 of 6 tokens
    layer((2, 10, 1, 4), (24, 1, 232, 4, 0.247856)),  # less than the even share
    layer((4, 6, 1, 1), (1, 1, 86, 12, 0.0002)),  # room for 8 of 6 tokens, which go to one expert
    layer((4, 2, 1, 1), (1, 1, 70, 6, 0.0002)),  # a place on each rank for 2 tokens
    layer((1, 4, 1, 2), (6, 1, 120, 0, 0.2502)),  # one expert for all, a quarter is dropped
    layer((1, 4, 1, 2), (6, 1, 116, 0, 0.5002)),  # a half
    layer((3, 12, 1, 12), (108, 3, 2778, 24, 0.25)),  # not the fewest experts
    layer((2, 2, 1, 16), (54, 1, 558, 18, 0.0)),  # not 16
    layer((3, 10, 1, 4), (124, 2, 960, 32, 0.0092)),  # not the fewest experts
    layer((2, 9, 2, 8), (88, 8, 1260, 72, 0.1447)),  # not the fewest experts
]
INPUTS = [
    limits
    for shape in SHAPES
    for more, k, factor in DESIGNS
    if k <= shape[0] * more and shape[3] % k == 0
    for limits in around(
        shape,
        (shape[0] * more, k, max(shape[0], round(factor * k * shape[1] / (shape[0] * more) / shape[0]) * shape[0])),
    )
]
INPUTS += [*TRAPS, *(limits for shape in [*SHAPES, (4, 12, 1, 6)] for limits in beside(shape))]
INPUTS = [limits for place, limits in enumerate(INPUTS) if limits not in INPUTS[:place]]

SMALLEST = layer((2, 4, 1, 2), (12, 1, 136, 8, 0.2))
# A layer of width 1,024 on 8 ranks with 4,096 tokens in all, and a token's experts 4,096 columns wide together.
OWN = layer((8, 4096, 1024, 4096), (300_000_000, 4, 690_000_000, 4_000_000, 0.01))
# The same with a slower network.
SLOW = {**OWN, "most_sent_bytes": 3_600_000}
# Experts that are often chosen, so that the chance of no token is too small for a float; nothing meets the limits.
OFTEN = {**SLOW, "least_parameters": 60_000_000, "least_per_token": 8, "most_sent_bytes": 600_000}

HELD = "held = own * (18 * 3 * hidden * width + 4 * hidden * q)"
LIMIT = "E * lost / (k * tokens) <= most_dropped"


def drawn(chance: Random) -> list[Inputs]:
    """Return small layers, with limits around those of some design."""
    found: list[Inputs] = []
    while len(found) < 100:
        shape = chance.randint(1, 4), chance.randint(10, 30), chance.randint(1, 5), chance.choice((4, 8, 12, 16, 24))
        more, k, factor = chance.choice(DESIGNS)
        experts = shape[0] * more
        if k <= experts and shape[3] % k == 0:
            room = max(1, round(factor * k * shape[1] / experts / shape[0])) * shape[0]
            found += around(shape, (experts, k, room))
    return [*found, *TRAPS]


def taught() -> str:
    E, k, q = choose_experts(**OWN) or (0, 0, 0)
    less = most_room(E, k, SLOW)
    dropped, more = (measured((E, k, room), OWN)[3] for room in (q, less))
    return (
        f"{E} experts, {k} for each token, room for {q}, where the even share is {k * OWN['tokens'] / E:.0f}: "
        f"{dropped:.2%} are dropped. With 3.6 MB the answer is {choose_experts(**SLOW)}: the same experts would have "
        f"room for {less}, less than the even share, and drop {more:.2%}. Loads scatter, so room above the even share "
        "is worth its bytes. With 4.0 MB no other design meets the limits."
    )


EXERCISE = Exercise(
    choose_experts,
    number=4,
    level="hard",
    asked="experts, experts for each token, and room, that fit, send little and drop little",
    expected=one_that_meets,
    observe=try_the_choice,
    examples=[SMALLEST, {**SMALLEST, "most_dropped": 0.0}, {**SMALLEST, "most_sent_bytes": 3}, OFTEN, SLOW, OWN],
    inputs=INPUTS,
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "room_for_the_mean",
            "Loads scatter: room for the even share drops some even without favourites. And where some may be "
            "dropped, less may be enough.",
            {LIMIT: "q >= k * tokens / E"},
            accepts=by_rule(mean_is_enough=True),
        ),
        Mistake(
            "drops_of_the_mean_load",
            "Loads scatter: with room for the mean load, drops are expected all the same.",
            {"lost = sum((x - q) * chances[x] for x in over)": "lost = max(0.0, tokens * min(1.0, k / E) - q)"},
            accepts=by_rule(mean_drops=True),
        ),
        Mistake(
            "fewest_experts_only",
            "More experts than the parameters ask for may use the bytes better, since q is a multiple of the ranks.",
            {"                    return E, k, q\n": "                    return E, k, q\n            break\n"},
            accepts=by_rule(fewest=True),
        ),
        Mistake(
            "wide_experts",
            "With more experts for each token each is narrower: active_width / k.",
            {"width = active_width // k": "width = active_width"},
            accepts=by_rule(narrow=False),
        ),
        Mistake(
            "forgets_the_places",
            "The room takes memory as well: 4 · hidden bytes a place.",
            {HELD: "held = own * 18 * 3 * hidden * width"},
            accepts=by_rule(place_bytes=0),
        ),
        Mistake(
            "two_matrices_throughout",
            "An expert has three matrices, wherever parameters are counted.",
            {
                HELD: "held = own * (18 * 2 * hidden * width + 4 * hidden * q)",
                "3 * hidden * width * E": "2 * hidden * width * E",
            },
            accepts=by_rule(matrices=2),
        ),
        Mistake(
            "sends_to_itself",
            "What stays on the rank is not sent: ranks − 1 others.",
            {"(ranks - 1) * own * q // ranks": "own * q"},
            accepts=by_rule(sends_to=0),
        ),
        Mistake(
            "sends_to_itself_unless_alone",
            "What stays on the rank is not sent: ranks − 1 others.",
            {"(ranks - 1) * own * q // ranks": "(ranks > 1) * own * q"},
            accepts=by_rule(sends_to=0, alone_sends=False),
        ),
        Mistake(
            "sends_the_whole_room",
            "A rank sends its even part of an expert's room: q/ranks rows.",
            {"(ranks - 1) * own * q // ranks": "(ranks - 1) * own * q"},
            accepts=by_rule(even_part=False),
        ),
        Mistake(
            "one_choice_each",
            "A token makes k choices: an expert's probability is k/E.",
            {"p, chances = k / E, []": "p, chances = 1 / E, []"},
            accepts=by_rule(choices=1),
        ),
        Mistake(
            "one_choice_even_of_all",
            "A token makes k choices: an expert's probability is k/E, which is 1 where k = E.",
            {"p, chances = k / E, []": "p, chances = 1 / E, []", "if k < E:": "if E > 1:"},
            accepts=by_rule(choices=1, all_of_them=False),
        ),
        Mistake(
            "share_of_the_tokens",
            "The share is one of all k · tokens copies.",
            {LIMIT: "E * lost / tokens <= most_dropped"},
            accepts=by_rule(divided_by=1),
        ),
        Mistake(
            "does_not_divide",
            "k has to divide active_width.",
            {" or active_width % k": ""},
            accepts=by_rule(any_width=True),
        ),
        Mistake(
            "more_than_there_are",
            "A token cannot go to more experts than there are.",
            {"least_per_token <= k <= E": "least_per_token <= k"},
            accepts=by_rule(any_k=True),
        ),
        Mistake("never_chooses", "There is a design that meets the limits.", lambda **_: None),
    ],
)
