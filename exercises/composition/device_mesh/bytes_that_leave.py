"""Exercise: the bytes that one GPU sends out of its domain of fast links, from the order of the axes."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake


def bytes_that_leave(
    *,
    sides: list[int],
    sent_bytes: list[float],
    domain: int,
) -> float:
    """Return how many bytes one GPU sends out of its domain.

    Ranks number the places of a mesh in nested loops, the last axis innermost,
    and a domain has ranks that follow each other. Along each axis a GPU sends
    its bytes around rings, which visit the ranks of a group in ascending order.

    Args:
        sides: ranks along each axis, the outermost first; powers of two.
        sent_bytes: for each axis what a GPU sends along it; 0 for a side of 1.
        domain: ranks of a domain, a power of two that divides their number.

    Returns:
        The bytes that leave the domain, the mean over GPUs.

    >>> bytes_that_leave(sides=[4, 2], sent_bytes=[12.0, 4.0], domain=4)
    6.0
    """
    total, stride = 0.0, 1
    for side, sent in zip(reversed(sides), reversed(sent_bytes), strict=True):
        inside = min(side, max(1, domain // stride))
        if inside < side:
            total += sent / inside
        stride *= side
    return total


def counted(*, sides: list[int], sent_bytes: list[float], domain: int) -> float:
    """Run rings on the simulated machine, and count the messages that cross."""
    from snippets.composition.device_mesh.programs import leaving_bytes, run_mesh_all_reduces

    total = 0.0
    for axis, (side, sent) in enumerate(zip(sides, sent_bytes, strict=True)):
        if side > 1 and sent:
            account = run_mesh_all_reduces(sides=sides, axes=[axis], length=side)
            total += sent * leaving_bytes(account, domain=domain) / sum(account.sent_bytes)
    return total


def mesh(sides: list[int], sent: list[float], domain: int) -> dict[str, Any]:
    return {"sides": sides, "sent_bytes": sent, "domain": domain}


def drawn(chance: Random) -> list[dict[str, Any]]:
    """Return meshes of 8 or 16 ranks, with every size of a domain."""
    found = []
    for _ in range(40):
        sides = list(chance.choice(([2, 2, 2], [4, 2], [2, 4], [8], [2, 1, 4], [4, 4], [2, 2, 4], [8, 2], [2, 8])))
        chance.shuffle(sides)
        domain = chance.choice([size for size in (1, 2, 4, 8, 16) if size <= math.prod(sides)])
        found.append(mesh(sides, [0.0 if side == 1 else 8.0 * chance.randint(0, 30) for side in sides], domain))
    return found


def taught() -> str:
    sent = {"p": 1.1, "d": 8.3, "c": 8.1, "t": 601.3}
    sizes = {"p": 4, "d": 8, "c": 2, "t": 8}
    left = {
        order: bytes_that_leave(sides=[sizes[a] for a in order], sent_bytes=[sent[a] for a in order], domain=8)
        for order in ("pdct", "pdtc", "tpcd")
    }
    said = ", ".join(f"{size:.1f} GB for {order}" for order, size in left.items())
    return (
        f"With the question's bytes, each axis by itself: {said}. Two context ranks inside the tensor axis cost nine "
        "times as much."
    )


EXERCISE = Exercise(
    bytes_that_leave,
    number=2,
    level="medium",
    asked="what one GPU sends out of its domain, all axes together",
    expected=counted,
    examples=[
        mesh([4, 2], [12.0, 4.0], 4),
        mesh([2, 4], [4.0, 12.0], 4),
        mesh([2, 2, 2], [8.0, 16.0, 32.0], 4),
        mesh([8, 2], [16.0, 8.0], 8),
        mesh([2, 8], [8.0, 64.0], 8),
        mesh([2, 8], [8.0, 64.0], 4),
        mesh([2, 8], [8.0, 61.0], 4),  # not a whole number of bytes
        mesh([4, 4], [8.0, 24.0], 1),
        mesh([2, 2, 4], [8.0, 16.0, 40.0], 16),
        mesh([2, 1, 8], [8.0, 0.0, 40.0], 2),
    ],
    inputs=[
        mesh(sides, [8.0 * (3 * place + 1) for place in range(len(sides))], domain)
        for sides in ([2, 4], [4, 2], [2, 2, 4], [4, 2, 2], [8], [2, 8])
        for domain in (1, 2, 4, 8)
    ],
    drawn=drawn,
    taught=taught,
    units={"result": "bytes"},
    mistakes=[
        Mistake(
            "takes_all_or_nothing",
            "A group that does not fit can still have several ranks in a domain: then only a part of its bytes leaves.",
            {"sent / inside": "sent"},
        ),
        Mistake(
            "asks_for_the_size_alone",
            "A small group leaves its domain too if its ranks are far apart. The stride decides with the size.",
            {"domain // stride": "domain"},
        ),
        Mistake(
            "counts_from_the_first_axis",
            "The last axis is the innermost.",
            lambda *, sides, sent_bytes, domain: bytes_that_leave(
                sides=sides[::-1], sent_bytes=sent_bytes[::-1], domain=domain
            ),
        ),
        Mistake(
            "counts_what_stays",
            "This counts what stays inside the domain.",
            lambda *, sides, sent_bytes, domain: (
                sum(sent_bytes) - bytes_that_leave(sides=sides, sent_bytes=sent_bytes, domain=domain)
            ),
        ),
        Mistake(
            "counts_two_crossings",
            "A ring crosses twice only if it visits two domains. It leaves each domain that it visits once: side / κ.",
            {"sent / inside": "sent * 2 / side"},
        ),
        Mistake(
            "takes_the_share_of_ranks_outside",
            "Of a ring's hops, one in κ leaves the domain. How many of a group's ranks are elsewhere does not matter.",
            {"sent / inside": "sent * (side - inside) / side"},
        ),
        Mistake(
            "lets_every_group_leave",
            "A group whose ranks are all in one domain sends nothing out.",
            {"if inside < side:": "if True:"},
        ),
        Mistake(
            "allows_no_rank_inside",
            "Where the stride is longer than a domain, each rank is alone in its own: κ is 1.",
            {"max(1, domain // stride)": "max(2, domain // stride)"},
        ),
    ],
)
