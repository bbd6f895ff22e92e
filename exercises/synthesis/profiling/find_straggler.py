"""Exercise: which rank makes the others wait, and what mending it saves."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def find_straggler(work_us: list[list[int]]) -> tuple[int, int]:
    """Return the rank whose mending saves most, and how much it saves.

    A step has several collectives. Between the end of one and its own call of
    the next, each rank works for a while, which a trace shows. A collective
    begins on all ranks once the last has called it. To mend a rank means that
    nobody has to wait for it any more; the others still wait for each other.

    Args:
        work_us: for each collective of the step what each rank works before
            it, in microseconds, at least 0. At least one collective and two
            ranks.

    Returns:
        The rank, from 0, of equal ones the first; and by how many
        microseconds the step becomes shorter.

    >>> find_straggler([[10, 50, 20], [10, 10, 40]])
    (1, 30)
    """
    ranks = range(len(work_us[0]))

    def saved(rank: int) -> int:
        total = 0
        for works in work_us:
            others = max(work for other, work in enumerate(works) if other != rank)
            total += max(0, works[rank] - others)
        return total

    best = max(ranks, key=saved)
    return best, saved(best)


def by_running(work_us: list[list[int]]) -> tuple[int, int]:
    """Run the step with all ranks, then without each in turn, on a clock."""

    def end(ranks: list[int]) -> int:
        now = 0
        for works in work_us:
            now = sorted(now + int(works[rank]) for rank in ranks)[-1]
        return now

    everybody = list(range(len(work_us[0])))
    ends = [end([rank for rank in everybody if rank != absent]) for absent in everybody]
    least = min(ends)
    return ends.index(least), end(everybody) - least


works_of = inputs_for(find_straggler)
OWN = works_of(
    [[4, 4, 30, 4, 4, 450, 4, 4], [540, 541, 540, 548, 540, 540, 540, 542], [405, 405, 406, 418, 405, 405, 405, 407]]
)


def taught() -> str:
    rank, saved = find_straggler(**OWN)
    late = [works.index(max(works)) for works in OWN["work_us"]]
    return (
        f"Rank {rank} saves {saved} µs, though it is last at one collective of three; rank {late[1]} is last at two of "
        "them, and saves 17. And the 450 µs that rank 5 takes aren't saved whole, because rank 2 needs 30."
    )


def _chosen(rank_of):  # type: ignore[no-untyped-def]
    """Return the mistake of one who picks a rank by another rule, and says rightly what it saves."""

    def choose(work_us):  # type: ignore[no-untyped-def]
        rank = rank_of(work_us)
        saved = sum(max(0, works[rank] - max(works[:rank] + works[rank + 1 :])) for works in work_us)
        return rank, saved

    return choose


EXERCISE = Exercise(
    find_straggler,
    number=3,
    level="medium",
    asked="the rank whose mending saves most, and what it saves",
    expected=by_running,
    examples=[
        works_of([[10, 50, 20], [10, 10, 40]]),
        works_of([[5, 5]]),
        works_of([[1, 9]]),
        works_of([[9, 9, 1], [0, 0, 5]]),
        works_of([[8, 7, 0], [8, 7, 0], [0, 0, 30]]),
        works_of([[30, 29, 0], [30, 29, 0], [0, 5, 20]]),
        works_of([[12, 0], [0, 9], [0, 8]]),
        OWN,
    ],
    inputs=lambda st: {
        "work_us": st.integers(2, 5).flatmap(
            lambda ranks: st.lists(st.lists(st.integers(0, 30), min_size=ranks, max_size=ranks), min_size=1, max_size=4)
        ),
    },
    draws=150,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_busiest",
            "You took the rank that works most in all. Beside others that are as late, it keeps nobody waiting.",
            _chosen(lambda work_us: max(range(len(work_us[0])), key=lambda r: sum(works[r] for works in work_us))),
        ),
        Mistake(
            "takes_who_is_last_most_often",
            "You counted how often a rank is last. How late it is counts too.",
            _chosen(
                lambda work_us: max(
                    range(len(work_us[0])), key=lambda r: sum(works[r] == max(works) for works in work_us)
                )
            ),
        ),
        Mistake(
            "takes_who_waits_most",
            "You took the rank that spends most time in its collectives. That one waits; the straggler waits least.",
            _chosen(
                lambda work_us: max(
                    range(len(work_us[0])), key=lambda r: sum(max(works) - works[r] for works in work_us)
                )
            ),
        ),
        Mistake(
            "takes_the_latest_once",
            "You took the rank of the longest single work. What counts is how far it is behind the second-last.",
            _chosen(lambda work_us: max(range(len(work_us[0])), key=lambda r: max(works[r] for works in work_us))),
        ),
        Mistake(
            "compares_with_the_first",
            "You compared with the earliest rank. With one rank mended the others still wait for the second-last.",
            {"max(work for other, work": "min(work for other, work"},
        ),
        Mistake(
            "counts_its_leads_too",
            "You took off what the rank is ahead at other collectives. There it just waits, and nobody gains or loses.",
            {"max(0, works[rank] - others)": "works[rank] - others"},
        ),
        Mistake(
            "looks_at_the_first_collective",
            "You looked at the first collective alone.",
            {"for works in work_us:": "for works in work_us[:1]:"},
        ),
        Mistake(
            "takes_the_last_of_equals",
            "Of ranks that save as much you took the last. Take the first.",
            {"best = max(ranks, key=saved)": "best = max(reversed(ranks), key=saved)"},
        ),
        Mistake(
            "gives_its_work",
            "You gave what the rank works, not what mending it saves.",
            {"total += max(0, works[rank] - others)": "total += works[rank] * (works[rank] > others)"},
        ),
        Mistake(
            "counts_from_one",
            "You counted the ranks from 1. They are counted from 0.",
            {"return best, saved(best)": "return best + 1, saved(best)"},
        ),
    ],
)
