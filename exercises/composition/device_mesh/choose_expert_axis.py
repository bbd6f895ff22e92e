"""Exercise: among how many ranks to divide the experts of a stage that is folded for attention already."""

from __future__ import annotations

from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake
from snippets.composition.device_mesh.formulas import group_ranks_in_domain, group_traffic_time_s
from snippets.simulation.machine import AllToAll, Machine, Program


def choose_expert_axis(
    *,
    stage_ranks: int,
    experts: int,
    expert_bytes: float,
    memory_bytes: float,
    sent_bytes: float,
    all_to_alls: int,
    gradient_bytes: float,
    domain: int,
    domain_bytes_per_s: float,
    port_bytes_per_s: float,
) -> int | None:
    """Choose e, the ranks among which the experts of a stage are divided.

    The ranks of a stage are folded as copies × e, with e innermost, so that a
    group of e has ranks that follow each other. Each rank holds experts / e
    experts. A step has two costs, one after the other:

    - all-to-alls: a rank keeps 1/e of its bytes and sends 1/e to each other
      rank of its group. What stays in the domain takes the link inside, what
      leaves it the port, at the same time.
    - the gradients of its experts are all-reduced over the copies, which are e
      ranks apart: a rank sends 2(copies − 1)/copies of them. If k of the copies
      share a domain, at the link's rate inside where that is all of them, at
      the port's where k is 1, else at the lower of k/(k − 1) times the link's
      and k times the port's.

    Args:
        stage_ranks: t · c · d of attention, a power of two.
        experts: of a layer, at least 1.
        expert_bytes: what one expert needs on a rank that holds it.
        memory_bytes: what a rank has for its experts.
        sent_bytes: of one all-to-all, with what the rank keeps.
        all_to_alls: in a step.
        gradient_bytes: of one expert.
        domain: ranks of a domain of fast links, a power of two.
        domain_bytes_per_s: of a GPU's link inside its domain.
        port_bytes_per_s: of its network port.

    Returns:
        The e that fits the memory, divides both ``stage_ranks`` and
        ``experts``, and whose step costs least; of equals the smallest.
        ``None`` if none fits.

    >>> choose_expert_axis(
    ...     stage_ranks=16, experts=16, expert_bytes=3, memory_bytes=48,
    ...     sent_bytes=8, all_to_alls=4, gradient_bytes=4, domain=8,
    ...     domain_bytes_per_s=9, port_bytes_per_s=1,
    ... )
    8
    """
    best, least = None, 0.0
    for e in range(1, min(stage_ranks, experts) + 1):
        held = experts // e
        if stage_ranks % e or experts % e or held * expert_bytes > memory_bytes:
            continue
        inside = min(e, domain)
        near = (inside - 1) / e * sent_bytes / domain_bytes_per_s
        far = (e - inside) / e * sent_bytes / port_bytes_per_s
        copies = stage_ranks // e
        k = min(copies, max(1, domain // e))
        rate = port_bytes_per_s if k == 1 else min(k / (k - 1) * domain_bytes_per_s, k * port_bytes_per_s)
        rate = domain_bytes_per_s if k == copies else rate
        added = 2 * (copies - 1) / copies * held * gradient_bytes / rate
        time = all_to_alls * max(near, far) + added
        if best is None or time < least * (1 - 1e-9):
            best, least = e, time
    return best


def time_s(e: int, given: dict[str, Any]) -> float:
    """Let one group exchange parcels on the simulated machine, load rank 0's links, and add the gradients' rings."""

    def program() -> Program:
        yield AllToAll([[0.0]] * e)

    machine = Machine(e, number_bytes=1)
    machine.run([program() for _ in range(e)])
    links = [0.0, 0.0]
    for (source, destination), count in machine.account.link_bytes.items():
        if source == 0:
            links[destination // given["domain"] > 0] += count * given["sent_bytes"] / e
    exchange = max(links[0] / given["domain_bytes_per_s"], links[1] / given["port_bytes_per_s"])
    copies, domain = given["stage_ranks"] // e, min(given["domain"], given["stage_ranks"])
    ring = group_traffic_time_s(
        sent_bytes=2 * (copies - 1) / copies * given["experts"] / e * given["gradient_bytes"],
        ranks=copies,
        in_domain=group_ranks_in_domain(sides=[copies, e], axes=[0], domain=domain),
        domain_bytes_per_s=given["domain_bytes_per_s"],
        port_bytes_per_s=given["port_bytes_per_s"],
    )
    return given["all_to_alls"] * exchange + ring


def fitting(given: dict[str, Any]) -> list[int]:
    return [
        e
        for e in range(1, given["stage_ranks"] + 1)
        if given["stage_ranks"] % e == 0
        and given["experts"] % e == 0
        and given["experts"] // e * given["expert_bytes"] <= given["memory_bytes"]
    ]


def by_trying(**given: Any) -> int | None:
    """Try every size that fits."""
    times = {e: time_s(e, given) for e in fitting(given)}
    return min((e for e in times if times[e] <= min(times.values()) * (1 + 1e-9)), default=None)


def stage(
    ranks: int,
    experts: int,
    memory: float,
    gradient: float = 1.0,
    domain: int = 8,
    inside: float = 9.0,
    port: float = 1.0,
) -> dict[str, Any]:
    return {
        "stage_ranks": ranks,
        "experts": experts,
        "expert_bytes": 2.0,
        "memory_bytes": memory,
        "sent_bytes": 16.0,
        "all_to_alls": 4,
        "gradient_bytes": gradient,
        "domain": domain,
        "domain_bytes_per_s": inside,
        "port_bytes_per_s": port,
    }


# A layer of the question's stage with 64 experts of 88 million parameters: 16 bytes of state each, 2 of gradient. A
# rank sends 2,048 tokens of a micro-batch to 8 experts each: 16 micro-batches, there and back, forward and backward.
OURS = {
    **stage(128, 64, 12e9, 0.176e9, 8, 360e9, 40e9),
    "expert_bytes": 1.41e9,
    "sent_bytes": 2048 * 8 * 8192 * 2.0,
    "all_to_alls": 64,
}


def drawn(chance: Random) -> list[dict[str, Any]]:
    """Return stages of up to 32 ranks."""
    found = []
    for _ in range(50):
        ranks, experts = chance.choice((4, 8, 16, 32)), chance.choice((4, 6, 8, 12, 16, 24, 32))
        fits = chance.choice([e for e in range(1, ranks + 1) if ranks % e == 0 and experts % e == 0])
        memory = 2.0 * (experts // fits) + chance.choice((0, 0, -1, 1, 4))
        inside, port = chance.choice(((9.0, 1.0), (2.0, 1.0), (18.0, 1.0), (9.0, 8.0)))
        gradient = chance.choice((0.1, 1.0, 4.0, 40.0))
        found.append(stage(ranks, experts, max(memory, 1.0), gradient, chance.choice((2, 4, 8, 64)), inside, port))
    return found


def taught() -> str:
    rack = {**OURS, "domain": 64, "domain_bytes_per_s": 720e9}
    said = []
    for name, given in (("On nodes of 8", OURS), ("With 64 GPUs of a rack", rack)):
        times = {e: time_s(e, given) for e in fitting(given)}
        said.append(f"{name}: " + ", ".join(f"{1e3 * time:.0f} ms for e = {e}" for e, time in times.items()))
    return f"{said[0]}. {said[1]}. The node decides in the first case; in the rack the choice hardly matters."


EXERCISE = Exercise(
    choose_expert_axis,
    number=4,
    level="hard",
    asked="the number of ranks among which to divide the experts",
    expected=by_trying,
    examples=[
        {**stage(16, 16, 48.0), "expert_bytes": 3.0, "sent_bytes": 8.0},
        stage(16, 16, 32.0, 40.0),
        stage(16, 16, 32.0, 0.01),
        stage(16, 16, 2.0),
        stage(16, 12, 8.0),
        stage(16, 16, 1.0),
        stage(8, 64, 16.0),
        stage(32, 32, 8.0, domain=4),
        stage(32, 32, 8.0, domain=64, inside=18.0),
        stage(32, 8, 16.0, domain=2, inside=9.0, port=8.0),
        stage(16, 8, 8.0, 4.0, inside=6.0, port=8.0),
        stage(32, 8, 16.0, 5.0, domain=4, port=6.0),
        stage(4, 6, 16.0, 4.0, inside=18.0),
        stage(32, 16, 33.0, 4.0, inside=2.0),
        stage(32, 32, 4.0, 4.0, domain=2, inside=2.0),
        OURS,
        {**OURS, "domain": 64, "domain_bytes_per_s": 720e9},
    ],
    inputs=[
        stage(ranks, experts, memory, gradient, domain, *rates)
        for ranks, experts in ((8, 8), (16, 32), (32, 16), (16, 24))
        for memory in (2.0, 8.0, 64.0)
        for gradient in (0.1, 2.0, 20.0)
        for domain, rates in ((2, (9.0, 1.0)), (8, (9.0, 1.0)), (4, (9.0, 8.0)))
    ],
    drawn=drawn,
    taught=taught,
    units={"result": "ranks"},
    mistakes=[
        Mistake(
            "takes_the_most_ranks",
            "The most ranks have the fewest gradients to add up, but their tokens cross the network. Weigh both.",
            lambda **given: max(fitting(given), default=None),
        ),
        Mistake(
            "takes_the_fewest_ranks",
            "The fewest ranks send the fewest tokens, but their experts' gradients are the largest. Weigh both.",
            lambda **given: min(fitting(given), default=None),
        ),
        Mistake(
            "forgets_the_memory",
            "The experts of a rank have to fit its memory.",
            lambda **given: choose_expert_axis(**{**given, "memory_bytes": 1e30}),
        ),
        Mistake(
            "forgets_that_experts_divide",
            "The experts have to be dealt evenly: e divides their number.",
            {" or experts % e": ""},
        ),
        Mistake(
            "leaves_the_gradients_out",
            "The gradients of an expert are added up over its copies, and that takes time too.",
            {" + added": ""},
        ),
        Mistake(
            "adds_up_one_expert",
            "A rank holds experts / e experts, and the gradients of all of them are added up.",
            {"held * gradient_bytes": "gradient_bytes"},
        ),
        Mistake(
            "shares_one_port",
            "Each of the k copies in a domain has a port of its own, so that together they have k times a port's rate.",
            {"k * port_bytes_per_s)": "port_bytes_per_s)"},
        ),
        Mistake(
            "gives_each_hop_the_link",
            "Of the k hops of a ring in a domain one leaves it: the link inside carries k/(k − 1) times its own rate.",
            {"k / (k - 1) * domain_bytes_per_s": "domain_bytes_per_s"},
        ),
        Mistake(
            "leaves_the_domain_out",
            "Inside a domain the links are faster than the ports.",
            lambda **given: choose_expert_axis(**{**given, "domain": 1}),
        ),
        Mistake(
            "needs_room_to_spare",
            "Experts that fill the memory exactly do fit.",
            {"> memory_bytes": ">= memory_bytes"},
        ),
        Mistake(
            "returns_one_for_none",
            "Where nothing fits, return None.",
            {"best, least = None, 0.0": "best, least = 1, 1e30", "if best is None or ": "if "},
        ),
    ],
)
