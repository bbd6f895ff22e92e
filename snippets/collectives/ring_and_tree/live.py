"""Drawings: collectives round by round: who sends to whom, what every rank holds, and what has been sent so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from snippets.collectives.algorithm_costs import CLOSED_FORMS, algorithm_cost, best_collective_segments
from snippets.collectives.schedule_cost import price_schedule
from snippets.collectives.traffic import collective_traffic
from snippets.drawing import Panel
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.palette import rank as rank_colour
from snippets.simulation.algorithms import (
    ALGORITHMS,
    PIPELINED,
    PLAINEST,
    build_collective,
    largest_power_of_two,
    spoken,
)
from snippets.simulation.holdings import Held, holdings
from snippets.simulation.schedule import ROOTED, SUMMING, Range, Schedule, ScheduledSend

_MOST_RANKS = 8
_LEFT, _TOP, _ROW = 22.0, 42.0, 28.0
_WIDEST_CELL, _WIDEST_GRID, _RING_SIDE = 40.0, 208.0, 194.0


# What both figures draw.


def _at(schedule: Schedule, moment: int) -> tuple[tuple[Held, ...], tuple[ScheduledSend, ...]]:
    """Return what the ranks hold after some rounds, and the messages of the last of them."""
    rounds = schedule.rounds[:moment]
    return holdings(replace(schedule, rounds=rounds))[-1], rounds[-1] if rounds else ()


def _addresses(ranges: Iterable[Range]) -> list[int]:
    return [address for start, stop in ranges for address in range(start, stop)]


def _height(ranks: int) -> float:
    """Return the height of all panels, so that their heads stand side by side."""
    return max(_TOP + ranks * _ROW + 2, _RING_SIDE + 16)


class _Grid:
    """Ranks as rows and chunks as columns, on a new panel."""

    def __init__(self, title: str, *, ranks: int, columns: int, widest_px: float = _WIDEST_GRID) -> None:
        cell_px = min(_WIDEST_CELL, widest_px / columns)
        self.ranks, self.columns, self.cell_px = ranks, columns, cell_px
        self.panel = Panel(max(_LEFT + columns * cell_px + 2, 132), _height(ranks))
        self.panel.text(0, 14, title, bold=True)
        for column in range(columns):
            self.panel.text(
                self.box(0, column)[0] + cell_px / 2, 34, str(column), anchor="middle", colour="muted", size=12
            )
        for row in range(ranks):
            y = _TOP + (row + 0.5) * _ROW
            self.panel.text(_LEFT - 7, y, str(row), anchor="end", colour="muted", size=12, middle=True)
        cells = [self.box(row, column) for row in range(ranks) for column in range(columns)]
        self.panel.rectangles(cells, colour="line", strength=0)

    def box(self, row: int, column: int, inset: float = 0) -> tuple[float, float, float, float]:
        """Return x, y, width and height of a cell."""
        x, y = _LEFT + column * self.cell_px, _TOP + row * _ROW
        return x + inset, y + inset, self.cell_px - 2 * inset, _ROW - 2 * inset

    def frame(self, cells: Iterable[tuple[int, int]]) -> None:
        """Draw thick frames in cells that a message has just filled."""
        boxes = [self.box(*cell, inset) for cell in cells for inset in (1.5, 2.5)]
        self.panel.rectangles(boxes, colour="communication", strength=0)

    def pieces(self, cells: dict[tuple[int, int], tuple[int, int]]) -> None:
        """Fill cells with the piece of one rank: its colour, its letter and the number of the chunk."""
        for rank in sorted({rank for rank, _ in cells.values()}):
            boxes = [self.box(*cell) for cell, (owner, _) in cells.items() if owner == rank]
            self.panel.rectangles(boxes, colour=rank_colour(rank))
        for cell, (rank, chunk) in cells.items():
            x, y, width, height = self.box(*cell)
            letter = chr(ord("A") + rank)
            self.panel.text(x + width / 2, y + height / 2, f"{letter}{chunk}", anchor="middle", middle=True)

    def sums(self, cells: dict[tuple[int, int], frozenset[int]]) -> None:
        """Fill cells with sums: a small square for every rank's term at its place, a Σ where no term lacks."""
        full = [cell for cell, terms in cells.items() if len(terms) == self.ranks]
        self.panel.rectangles([self.box(*cell) for cell in full], colour="muted", strength=0.3)
        for row in range(self.ranks):
            xs = [self.box(*cell)[0] + self.cell_px / 2 for cell in full if cell[0] == row]
            self.panel.signs(xs, _TOP + (row + 0.5) * _ROW, ["Σ"] * len(xs))
        for rank in range(self.ranks):
            partial = [cell for cell, terms in cells.items() if rank in terms and len(terms) < self.ranks]
            self.panel.rectangles([self._term(cell, rank) for cell in partial], colour=rank_colour(rank), strength=0.8)

    def _term(self, cell: tuple[int, int], rank: int) -> tuple[float, float, float, float]:
        """Return the small square of a rank in a cell: ranks stand in their order, in two lines if they are many."""
        lines = 1 if self.ranks <= 4 else 2
        across = -(-self.ranks // lines)
        x, y, width, height = self.box(*cell)
        pitch = min((width - 4) / across, 12)
        line, place = divmod(rank, across)
        left = x + (width - pitch * across) / 2 + place * pitch
        return left + 1, y + (height - pitch * lines) / 2 + line * pitch + 1, pitch - 2, pitch - 2


def _ring_of_ranks(title: str, said: str, sends: Sequence[ScheduledSend], *, ranks: int) -> Panel:
    """Draw the ranks in a circle, rank 0 on top, and an arrow for each message."""
    radius = 70.0
    panel = Panel(_RING_SIDE, _height(ranks))
    panel.text(0, 14, title, bold=True)
    panel.text(0, 33, said, colour="muted", size=12)
    middle = _RING_SIDE / 2, 42 + radius + 14

    def place(rank: int) -> tuple[float, float]:
        turn = 2 * math.pi * rank / ranks
        return middle[0] + radius * math.sin(turn), middle[1] - radius * math.cos(turn)

    both = {(send.source, send.destination) for send in sends}
    for send in sends:
        (x1, y1), (x2, y2) = place(send.source), place(send.destination)
        length = math.hypot(x2 - x1, y2 - y1)
        along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
        aside = 4.0 if (send.destination, send.source) in both else 0.0
        panel.arrow(
            x1 + 18 * along_x - aside * along_y,
            y1 + 18 * along_y + aside * along_x,
            x2 - 18 * along_x - aside * along_y,
            y2 - 18 * along_y + aside * along_x,
            colour="communication",
        )
    for rank in range(ranks):
        x, y = place(rank)
        panel.rectangle(x - 13, y - 11, 26, 22, colour=rank_colour(rank), label=str(rank))
    return panel


def _description(sends: Sequence[ScheduledSend], share: Callable[[int], str]) -> str:
    """Return what the messages of a round are."""
    if not sends:
        return "nothing has been sent"
    kind = "added" if sends[0].combine else "copied"
    sizes = sorted({send.elements for send in sends})
    size = share(sizes[0]) if len(sizes) == 1 else f"up to {share(sizes[-1])}"
    return f"{len(sends)} message{'s' if len(sends) > 1 else ''} of {size}, {kind}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# Primitives.

_PRIMITIVES = {name: name.replace("_", "-") for name in PLAINEST}
_MOST_PRIMITIVE_ROUNDS = 2 * (_MOST_RANKS - 1)
_WIDEST_PRIMITIVE = 192.0  # of a grid, without the ranks' numbers beside it
_MOST_OF_YOURS = 1024
_WEIGHTS_8B = 16_060_522_496  # in bfloat16
_WEIGHTS_70B = 2.0 * THE_70B.parameters


@live_figure(
    title="A primitive, round by round",
    caption="Play it. Rows are ranks, columns chunks; a frame says that a message has just filled a cell. A letter and "
    "its colour are the rank that a chunk comes from. Where chunks are summed, a small square stands for each term in "
    "a cell, in the order of the ranks, and Σ for all of them. Which primitives let every rank send in every round?",
    knobs=[
        Choice("primitive", "Primitive", _PRIMITIVES, "all_gather"),
        Number("ranks", "Ranks drawn", 4, 2, _MOST_RANKS),
        Number("root", "Root", 0, 0, _MOST_RANKS - 1),
        Number("moment", "Rounds done", 1, 0, _MOST_PRIMITIVE_ROUNDS, play=True),
        Number("yours", "Your ranks R", 8, 2, _MOST_OF_YOURS, 2, "log"),
        Number("size_bytes", "Your array n", 16e9, 16e9 / 2**20, 16e9 * 2**6, 2, "log", "B", whole=False),
    ],
    named=[
        Named(
            "Your forward pass",
            "The all-gather of eight ranks after 3 of 7 rounds: in the end 56 chunks are sent, 7 by the busiest rank.",
            {"ranks": 8, "moment": 3, "size_bytes": _WEIGHTS_8B},
        ),
        Named(
            "Your backward pass",
            "The reduce-scatter of eight ranks after 3 of 7 rounds: 56 chunks again in the end, one sum for each rank.",
            {"primitive": "reduce_scatter", "ranks": 8, "moment": 3, "size_bytes": _WEIGHTS_8B},
        ),
        Named(
            "Your colleague's",
            "The all-reduce of eight ranks is one and then the other: 112 chunks in the end, 14 by the busiest rank.",
            {"primitive": "all_reduce", "ranks": 8, "moment": 10, "size_bytes": _WEIGHTS_8B},
        ),
        Named(
            "A broadcast",
            "Every rank ends with eight chunks, as in the all-gather. Again 56 are sent, but the root sends all 56.",
            {"primitive": "broadcast", "ranks": 8, "moment": 7, "size_bytes": _WEIGHTS_8B},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Each GPU sends 141 GB of gradients and keeps one sum of 256: its own part, which is all that it needs.",
            {"primitive": "reduce_scatter", "ranks": 8, "moment": 7, "yours": 256, "size_bytes": _WEIGHTS_70B},
        ),
    ],
    opens="Your forward pass",
)
def primitive_stepper(*, primitive: str, ranks: int, root: int, moment: int, yours: int, size_bytes: float) -> Picture:
    """Draw the messages of a round, what every rank holds after it, and what it must hold in the end."""
    root = min(root, ranks - 1) if primitive in ROOTED else 0
    schedule = build_collective(primitive, PLAINEST[primitive], ranks=ranks, length=ranks, root=root)
    moment = min(moment, len(schedule.rounds))
    held, sends = _at(schedule, moment)
    rounds = len(schedule.rounds)
    chunks, of_all = _sent(schedule, moment), _sent(schedule, rounds)
    now = f"After round {moment} of {rounds}" if moment else "Before"
    numbers = (
        f"{_spoken_task(schedule)}, {now.lower()}: {_plural(sum(chunks), 'chunk')} sent (busiest rank: "
        f"{_plural(max(chunks), 'chunk')}); {_plural(_missing(schedule, held), 'cell')} of the result still to fill. "
        f"In the end: {_plural(sum(of_all), 'chunk')} sent (busiest rank: {max(of_all)}). "
        f"All of it on {yours:,} ranks, with an array of {in_units(size_bytes, 'B')}: the busiest sends or receives "
        f"{in_units(_busiest_share(primitive, yours) * size_bytes, 'B')}."
    )
    panels = [
        _ring_of_ranks(
            f"Round {moment}" if moment else "Before round 1",
            _description(sends, lambda elements: _plural(elements, "chunk")),
            sends,
            ranks=ranks,
        ),
        _held_grid(schedule, held, sends, title=f"Held after round {moment}" if moment else "Held before"),
        _filled(schedule, {cell: terms for cell, (_, terms) in _wanted(schedule).items()}, "Asked for").panel,
    ]
    alt = (
        f"Three pictures. {ranks} ranks in a circle with {_plural(len(sends), 'arrow')}: "
        f"{', '.join(f'{send.source} to {send.destination}' for send in sends) or 'no messages'}. "
        f"A grid of ranks and chunks with what is held. The grid that the {_PRIMITIVES[primitive]} asks for."
    )
    idle = () if primitive in ROOTED else ("root",)
    return Picture(panels, numbers, alt, {"moment": rounds, "root": ranks - 1}, idle=idle)


def _spoken_task(schedule: Schedule) -> str:
    """Return what is done by whom."""
    name = _PRIMITIVES[schedule.primitive].capitalize()
    where = f"{'from' if schedule.primitive in ('broadcast', 'scatter') else 'to'} root {schedule.root}"
    return f"{name} {where if schedule.primitive in ROOTED else 'without a root'} on {schedule.ranks} ranks"


def _busiest_share(primitive: str, ranks: int) -> float:
    """Return what the busiest port carries one way, as a share of the array, where all chunks are even."""
    moved = collective_traffic(primitive, PLAINEST[primitive], ranks=ranks, size_bytes=ranks, element_bytes=1)
    return max(*moved.sent_bytes, *moved.received_bytes) / ranks


def _sent(schedule: Schedule, moment: int) -> list[int]:
    """Return how many elements each rank has sent after some rounds."""
    return [
        sum(send.elements for sends in schedule.rounds[:moment] for send in sends if send.source == rank)
        for rank in range(schedule.ranks)
    ]


def _wanted(schedule: Schedule) -> dict[tuple[int, int], tuple[int, frozenset[int]]]:
    """Return, for each cell of the result, its address and whose terms it must hold."""
    bringing: dict[int, set[int]] = {}
    for rank in range(schedule.ranks):
        for address in _addresses(schedule.input_ranges(rank)):
            bringing.setdefault(address, set()).add(rank)
    exchange = schedule.primitive == "all_to_all"
    return {
        (rank, address // schedule.length if exchange else address): (address, frozenset(bringing[address]))
        for rank in range(schedule.ranks)
        for address in _addresses(schedule.output_ranges(rank))
    }


def _missing(schedule: Schedule, held: Sequence[Held]) -> int:
    """Return how many cells of the result do not hold yet what they must."""
    wanted = _wanted(schedule).items()
    return sum(held[rank].get(address) != terms for (rank, _), (address, terms) in wanted)


def _held_grid(schedule: Schedule, held: Sequence[Held], sends: Sequence[ScheduledSend], title: str) -> Panel:
    """Draw what every rank holds; of an all-to-all, where nothing is overwritten, what it has received."""
    if schedule.primitive == "all_to_all":
        wanted = _wanted(schedule).items()
        cells = {cell: terms for cell, (address, terms) in wanted if address in held[cell[0]]}
    else:
        cells = {(rank, address): terms for rank, places in enumerate(held) for address, terms in places.items()}
    grid = _filled(schedule, cells, title)
    grid.frame(_arrived(schedule, sends))
    return grid.panel


def _arrived(schedule: Schedule, sends: Sequence[ScheduledSend]) -> list[tuple[int, int]]:
    """Return the cells that messages fill."""
    width = schedule.length if schedule.primitive == "all_to_all" else 0
    return [
        (send.destination, address // width if width else address)
        for send in sends
        for address in _addresses(send.ranges)
    ]


def _filled(schedule: Schedule, cells: dict[tuple[int, int], frozenset[int]], title: str) -> _Grid:
    # So wide that two grids and the circle of ranks stand side by side for any number of ranks.
    grid = _Grid(title, ranks=schedule.ranks, columns=schedule.ranks, widest_px=_WIDEST_PRIMITIVE)
    if schedule.primitive in SUMMING:
        grid.sums(cells)
    else:
        exchange = schedule.primitive == "all_to_all"
        grid.pieces({cell: (min(terms), cell[0] if exchange else cell[1]) for cell, terms in cells.items()})
    return grid


# All-reduces.

_ALL_REDUCES = {name: spoken(name) for name in ALGORITHMS["all_reduce"]} | {
    "flat": "one root",
    "double_binary_tree": "two trees",
}
_MOST_SEGMENTS = 4
_MOST_ROUNDS = 24  # of the two trees
_MACHINE: dict[str, Any] = {"latency_s": THE_70B.latency_s, "bandwidth_bytes_per_s": 0.8 * THE_70B.network_bytes_per_s}
_MOST_IN_GROUP = 1024
_LAYER_BYTES = 1_711_276_032  # weights of a layer of Llama 3 70B, in numbers of 2 bytes


@live_figure(
    title="In a ring, who ever waits? An all-reduce, step by step",
    caption="Rows are GPUs, columns are chunks of the vector that each brings. A small square is one GPU's part "
    "of a sum, in its colour, Σ the complete sum, and a frame marks what has just arrived. The bars are what each GPU "
    "has sent and received, dashed what it will have in the end. Play the ring, then one root: "
    "which fills all bars evenly? The last numbers are for GPUs and bytes of your own, over links of 40 GB/s, with "
    "5 µs for each message.",
    knobs=[
        Choice("algorithm", "Algorithm", _ALL_REDUCES, "ring"),
        Number("ranks", "GPUs drawn", 4, 2, _MOST_RANKS),
        Number("segments", "Blocks K", 2, 1, _MOST_SEGMENTS),
        Number("moment", "Steps done", 0, 0, _MOST_ROUNDS, play=True),
        Number("group", "Your GPUs R", 256, 2, _MOST_IN_GROUP, 2, "log"),
        Number("size_bytes", "Your bytes n", 10**10, 1, 10**12, 10, "log", "B"),
    ],
    named=[
        Named(
            "Ring, from the start",
            "In a ring all four GPUs send in every step. Press Play: for three steps each adds what it gets, for three "
            "more it copies finished sums.",
            {"moment": 0},
        ),
        Named(
            "One root",
            "Every message starts or ends at GPU 0, so 6 gradients pass through it one after another.",
            {"algorithm": "flat", "moment": 6},
        ),
        Named(
            "Halving–doubling, 8 GPUs",
            "The bars fill as evenly as a ring's, in only 6 steps, but with partners up to four places away.",
            {"algorithm": "halving_doubling", "ranks": 8, "moment": 6},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Full sharding uses one half at a time. Here the adding is done, with one finished chunk on each GPU. For "
            "a layer of 1.71 GB in one ring over the adapters a half takes 43.9 ms, of which 2.9% is latency.",
            {"ranks": 8, "moment": 7, "size_bytes": _LAYER_BYTES},
        ),
    ],
    opens="Ring, from the start",
)
def collective_stepper(
    *, algorithm: str, ranks: int, segments: int, moment: int, group: int, size_bytes: int
) -> Picture:
    """Draw a step's messages, what every rank holds after it, and the bytes so far; say what a group would take."""
    blocks = segments if algorithm in PIPELINED else 1
    columns = _columns(algorithm, ranks, blocks)
    schedule = build_collective("all_reduce", algorithm, ranks=ranks, length=columns, segments=blocks)
    steps = len(schedule.rounds)
    moment = min(moment, steps)
    held, sends = _at(schedule, moment)
    grid = _Grid(f"Held after step {moment}" if moment else "Held at first", ranks=ranks, columns=columns)
    grid.sums({(rank, address): terms for rank, places in enumerate(held) for address, terms in places.items()})
    grid.frame(_arrived(schedule, sends))

    def share(elements: int) -> str:
        return _share(Fraction(elements, columns))

    title = f"Step {moment} of {steps}" if moment else f"Before step 1 of {steps}"
    ring = _ring_of_ranks(title, _description(sends, share), sends, ranks=ranks)
    so_far, whole = (_gradients(schedule, moment), _gradients(schedule, steps))
    said = f"{_ALL_REDUCES[algorithm].capitalize()} on {ranks} GPUs: {moment} of {_plural(steps, 'step')} done. "
    if 0 < moment < steps:
        said += f"They take as long as sending {so_far} one after another, all {steps} as long as {whole}."
    else:
        said += f"{'They' if moment else 'All of them'} take as long as sending {whole} one after another."
    if CLOSED_FORMS["all_reduce", algorithm].ranks == "a power of two" and ranks > largest_power_of_two(ranks):
        folded = ranks - largest_power_of_two(ranks)
        said += f" {folded} of the GPUs give their gradients to others first and get the sum last."
    sizes: dict[str, Any] = {"ranks": group, "size_bytes": size_bytes, "element_bytes": 1}
    best = best_collective_segments("all_reduce", algorithm, **sizes, **_MACHINE) if algorithm in PIPELINED else 1
    asked = algorithm_cost("all_reduce", algorithm, **sizes, segments=best)
    time_s = asked.time_s(**_MACHINE)
    in_blocks = f", in {_plural(best, 'block')} a tree" if algorithm in PIPELINED else ""
    latency = asked.steps * _MACHINE["latency_s"] / time_s
    numbers = (
        f"{said} For {group:,} GPUs with {in_units(size_bytes, 'B')} each{in_blocks} it is {asked.steps:,} steps and "
        f"{in_units(time_s, 's')}, {f'{latency:.1%}' if latency >= 0.001 else 'hardly any'} of it latency."
    )
    if algorithm == "ring":
        numbers += f" Adding and copying take half of that each, {in_units(time_s / 2, 's')}."
    full = sum(len(terms) == ranks for places in held for terms in places.values())
    alt = (
        f"Three pictures. {ranks} ranks in a circle with {_plural(len(sends), 'arrow')}: "
        f"{', '.join(f'{send.source} to {send.destination}' for send in sends) or 'no messages'}. A grid of ranks and "
        f"chunks: {full} of {ranks * columns} cells hold the full sum. Bars of what each rank has sent and received."
    )
    idle = () if algorithm in PIPELINED else ("segments",)
    return Picture([ring, grid.panel, _bars(schedule, moment, blocks)], numbers, alt, {"moment": steps}, idle)


def _gradients(schedule: Schedule, moment: int) -> str:
    """Return how many whole vectors take as long, without latency, as the first rounds: their longest messages."""
    begun = replace(schedule, rounds=schedule.rounds[:moment])
    elements = price_schedule(begun, latency_s=0, bandwidth_bytes_per_s=1, element_bytes=1).terms.wire_bytes
    number = f"{elements / schedule.length:.3g}"
    return f"{number} gradient{'' if number == '1' else 's'}"


def _columns(algorithm: str, ranks: int, segments: int) -> int:
    """Return into how many pieces an algorithm cuts the vector."""
    if algorithm == "double_binary_tree":
        return 2 * segments
    return largest_power_of_two(ranks) if algorithm == "halving_doubling" else ranks


def _share(share: Fraction) -> str:
    """Return a multiple of n as text."""
    return f"{float(share):.3g} n" if share != 1 else "n"


def _bars(schedule: Schedule, moment: int, segments: int) -> Panel:
    """Draw what each rank has sent and received, and in outline what it will have in the end."""
    ranks = schedule.ranks
    size = {"size_bytes": schedule.length, "element_bytes": 1}
    final = collective_traffic("all_reduce", schedule.algorithm, ranks=ranks, **size, segments=segments)
    sent = _sent(schedule, moment)
    received = [
        sum(send.elements for sends in schedule.rounds[:moment] for send in sends if send.destination == rank)
        for rank in range(ranks)
    ]
    most = max(*final.sent_bytes, *final.received_bytes)
    width, gap = 58.0, 14.0
    panel = Panel(_LEFT + 2 * width + gap + 16, _height(ranks))  # 16: the heading "Received" is wider than its bars
    for part, (name, now, end) in enumerate(
        (("sent", sent, final.sent_bytes), ("received", received, final.received_bytes))
    ):
        left = _LEFT + part * (width + gap)
        panel.text(left, 14, name.capitalize(), bold=True)
        panel.text(left + width, 34, _share(Fraction(most, schedule.length)), anchor="end", colour="muted", size=12)
        panel.line(left, _TOP, left, _TOP + ranks * _ROW)
        rows = [_TOP + rank * _ROW + 5 for rank in range(ranks)]
        filled = [(left, y, width * amount / most, _ROW - 10) for y, amount in zip(rows, now, strict=True)]
        panel.rectangles([box for box in filled if box[2]], colour="communication", strength=0.45)
        for y, amount in zip(rows, end, strict=True):
            panel.rectangle(left, y, width * amount / most, _ROW - 10, colour="muted", strength=0, dashed=True)
    for rank in range(ranks):
        y = _TOP + (rank + 0.5) * _ROW
        panel.text(_LEFT - 7, y, str(rank), anchor="end", colour="muted", size=12, middle=True)
    return panel
