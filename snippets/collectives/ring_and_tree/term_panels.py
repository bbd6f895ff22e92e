"""Drawings: whose terms stand where after each step of a schedule that may be wrong, for whoever wrote it."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.domain import each, flag, nonnegative_integer, positive_integer
from snippets.drawing import Panel
from snippets.palette import RANKS
from snippets.palette import rank as rank_colour

Message = tuple[int, int, int, int, bool]
MOST_ENTRIES = 8
MOST_STEPS = 14

_LETTERS = "ABCDEFGH"
_LEFT, _TOP, _ROW = 20.0, 26.0, 26.0


def term_panels(rounds: Sequence[Sequence[Message]], *, ranks: int, length: int) -> tuple[Panel, ...]:
    """Draw what every rank holds at the start of an all-reduce and after each step of a list of messages.

    Args:
        rounds: for each step its messages (source, destination, start, stop, adds): entries ``start`` to ``stop``
            (excluded) are added by the destination to its own, or overwrite them. They may be wrong.
        ranks: number of ranks, at most 8.
        length: number of entries, from 1 to 8.

    Returns:
        A picture for each moment: rows are ranks, columns entries. A cell lists the ranks whose terms it sums, A for
        rank 0, each as often as it is in the sum, and is tinted most if it has each once. In the last picture the cells
        that have not are framed.

    Raises:
        ValueError: there is more than fits, or a message names a rank or an entry that there is not.

    Example:
        >>> start, end = term_panels([[(0, 1, 0, 1, True), (1, 0, 0, 1, True)]], ranks=2, length=1)
        >>> end.svg().count("AB")
        2
    """
    ranks, length = positive_integer("ranks", ranks), positive_integer("length", length)
    if ranks > RANKS:
        raise ValueError(f"ranks must be at most {RANKS}, got {ranks}")
    if length > MOST_ENTRIES:
        raise ValueError(f"length must be at most {MOST_ENTRIES}, got {length}")
    steps = each("rounds", rounds, lambda name, messages: each(name, messages, _message))
    if len(steps) > MOST_STEPS:
        raise ValueError(f"rounds must be at most {MOST_STEPS}, got {len(steps)}")
    moments = [[[_LETTERS[rank]] * length for rank in range(ranks)]]
    for messages in steps:
        moments.append(_after(moments[-1], messages))
    last = len(moments) - 1
    return tuple(_panel(held, moment, last) for moment, held in enumerate(moments))


def _message(name: str, value: Message) -> Message:
    if not isinstance(value, Sequence) or len(value) != 5:
        raise ValueError(f"{name} must hold messages (source, destination, start, stop, adds), got {value!r:.60}")
    *places, adds = value
    source, destination, start, stop = (nonnegative_integer(name, place) for place in places)
    return source, destination, start, stop, flag(name, adds)


def _after(before: list[list[str]], messages: Sequence[Message]) -> list[list[str]]:
    """Return what is held when all messages of a step, which read what was there before it, have come."""
    after = [list(row) for row in before]
    for source, destination, start, stop, adds in messages:
        if not (0 <= source < len(before) and 0 <= destination < len(before) and 0 <= start <= stop <= len(before[0])):
            raise ValueError(
                f"rounds must name ranks and entries that there are, got {(source, destination, start, stop)}"
            )
        for entry in range(start, stop):
            kept = after[destination][entry] if adds else ""
            after[destination][entry] = "".join(sorted(kept + before[source][entry]))
    return after


def _panel(held: list[list[str]], moment: int, last: int) -> Panel:
    whole = _LETTERS[: len(held)]
    width = 14 + 8.5 * max(len(whole), 2)
    panel = Panel(max(_LEFT + len(held[0]) * width + 4, 150), _TOP + len(held) * _ROW + (24 if moment == last else 6))
    title = f"after step {moment}" if moment else "at the start"
    panel.text(_LEFT, 15, title, bold=True)
    wrong = False
    for rank, row in enumerate(held):
        y = _TOP + rank * _ROW
        panel.text(_LEFT - 6, y + _ROW / 2, str(rank), anchor="end", colour="muted", middle=True)
        for entry, terms in enumerate(row):
            x = _LEFT + entry * width
            label = terms if len(terms) <= len(whole) + 1 else f"{terms[: len(whole)]}…"
            colour = rank_colour(entry % RANKS)
            panel.rectangle(x, y, width, _ROW, colour=colour, label=label, strength=0.42 if terms == whole else 0.08)
            if moment == last and terms != whole:
                wrong = True
                panel.rectangles(
                    [(x + d, y + d, width - 2 * d, _ROW - 2 * d) for d in (1.5, 2.5)], colour="ink", strength=0
                )
    if moment == last:
        note = f"framed: not {whole} once each" if wrong else "every cell is right"
        panel.text(_LEFT, _TOP + len(held) * _ROW + 17, note, colour="muted", size=12)
    return panel
