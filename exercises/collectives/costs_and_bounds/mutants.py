"""Typical wrong answers to chapter 14's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

from collections.abc import Mapping

from exercises.grading import mutant

Terms = tuple[float, float]
Bandwidths = dict[int, tuple[float, float]]


def meeting(first: Terms, second: Terms, half_bandwidth_bytes: float) -> float | None:
    saved, wasted = second[0] - first[0], first[1] - second[1]
    return saved / wasted * half_bandwidth_bytes if saved * wasted > 0 else None


@mutant("crossover_bytes", says="The lines meet at a negative size here: one algorithm is never slower, so None.")
def returns_a_negative_size(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    saved, wasted = second[0] - first[0], first[1] - second[1]
    return saved / wasted * latency_s * bandwidth_bytes_per_s if wasted else None


@mutant("crossover_bytes", says="The algorithms may come in either order: the first need not have fewer steps.")
def needs_fewer_steps_first(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    return meeting(first, second, latency_s * bandwidth_bytes_per_s) if first[0] < second[0] else None


@mutant("crossover_bytes", says="It is steps saved over bytes wasted, not the other way round.")
def turns_the_quotient_over(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    found = meeting(first, second, 1.0)
    return latency_s * bandwidth_bytes_per_s / found if found else None


@mutant("crossover_bytes", says="Bytes wasted take time b·n/β: multiply by the bandwidth, do not divide by it.")
def divides_by_the_bandwidth(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    return meeting(first, second, latency_s / bandwidth_bytes_per_s)


@mutant("crossover_bytes", says="What counts is the difference of the bytes, not those of one algorithm.")
def ignores_the_other_bytes(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    found = meeting(first, second, latency_s * bandwidth_bytes_per_s)
    return found and abs(second[0] - first[0]) / max(first[1], second[1]) * latency_s * bandwidth_bytes_per_s


@mutant("crossover_bytes", says="These are bits; the size is asked in bytes.")
def counts_bits_at_the_crossover(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    return meeting(first, second, 8 * latency_s * bandwidth_bytes_per_s)


@mutant("crossover_bytes", says="Two algorithms that never cross have no size: return None, not 0.")
def returns_zero_for_none(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    return meeting(first, second, latency_s * bandwidth_bytes_per_s) or 0.0


@mutant("crossover_bytes", says="This is right for one input only: it does not look at the algorithms.")
def is_always_a_kilobyte(
    first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float
) -> float | None:
    return 1000.0


def three(ranks: int) -> dict[str, Terms]:
    """Steps and bytes of the three, for each byte of the vector."""
    log = ranks.bit_length() - 1
    fold = 2 if ranks > 2**log else 0
    return {
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (log + fold, log + fold),
        "halving_doubling": (2 * log + fold, 2 - 2 / 2**log + fold),
    }


def least(terms: Mapping[str, Terms], size_bytes: float, latency_s: float, bandwidth: float) -> tuple[str, float]:
    """The fastest name and its seconds."""
    times_s = {name: steps * latency_s + share * size_bytes / bandwidth for name, (steps, share) in terms.items()}
    best = min(times_s, key=times_s.__getitem__)
    return best, times_s[best]


@mutant("choose_all_reduce", says="A ring takes the fewest bytes, but small vectors are ruled by its steps.")
def always_takes_the_ring(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return least({"ring": three(ranks)["ring"]}, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="Recursive doubling takes the fewest steps, but it sends the whole vector in each.")
def always_takes_the_fewest_steps(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    only = {"recursive_doubling": three(ranks)["recursive_doubling"]}
    return least(only, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="Where N is no power of two, folding takes two more messages of the whole vector.")
def rounds_the_logarithm_up(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    log = (ranks - 1).bit_length()
    terms = {**three(ranks), "recursive_doubling": (log, log), "halving_doubling": (2 * log, 2 * (ranks - 1) / ranks)}
    return least(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="Folding is two messages: one before, and one after with the result.")
def folds_once(*, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> tuple[str, float]:
    terms = three(ranks)
    if ranks & (ranks - 1):
        terms = {name: (s, b) if name == "ring" else (s - 1, b - 1) for name, (s, b) in terms.items()}
    return least(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="This is half an all-reduce: after the reduce-scatter comes an all-gather.")
def forgets_the_all_gather(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    terms = three(ranks)
    log, fold = ranks.bit_length() - 1, 2 if ranks & (ranks - 1) else 0
    terms["ring"] = (ranks - 1, (ranks - 1) / ranks)
    terms["halving_doubling"] = (log + fold, 1 - 1 / 2**log + fold)
    return least(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="The bandwidth is in bytes per second: there is no factor of 8.")
def takes_bits(*, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> tuple[str, float]:
    return least(three(ranks), 8 * size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="A port sends while it receives: the bandwidth holds for each direction.")
def shares_the_port(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return least(three(ranks), 2 * size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="Every step waits α: this counts it once.")
def pays_latency_once(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    terms = {name: (1.0, share) for name, (_, share) in three(ranks).items()}
    return least(terms, size_bytes, latency_s, bandwidth_bytes_per_s)


@mutant("choose_all_reduce", says="This is right for one input only: it does not look at the size.")
def always_says_the_same(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    return "recursive_doubling", 2e-6


def factor(primitive: str, ranks: int) -> float:
    if primitive in ("broadcast", "reduce"):
        return 1.0
    return (2 if primitive == "all_reduce" else 1) * (ranks - 1) / ranks


def rows(text: str) -> list[list[str]]:
    lines = [line.split() for line in text.splitlines()]
    return [columns for columns in lines if columns and not columns[0].startswith("#")]


def read(text: str, share: float, *, column: int = 5, unit_s: float = 1e-6) -> Bandwidths:
    """Size over time, and the same times a share."""
    rates = {int(columns[0]): int(columns[0]) / (float(columns[column]) * unit_s) for columns in rows(text)}
    return {size: (rate, rate * share) for size, rate in rates.items()}


@mutant("read_benchmark", says="This is the in-place time, the second one of a line.")
def reads_the_time_in_place(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return read(text, factor(primitive, ranks), column=9)


@mutant("read_benchmark", says="The times are in microseconds, not milliseconds.")
def takes_milliseconds(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return read(text, factor(primitive, ranks), unit_s=1e-3)


@mutant(
    "read_benchmark", says="The printed bandwidth is rounded to hundredths of a GB/s: compute it from size and time."
)
def copies_the_printed_bandwidth(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    share = factor(primitive, ranks)
    return {int(line[0]): (float(line[6]) * 1e9, float(line[6]) * 1e9 * share) for line in rows(text)}


@mutant("read_benchmark", says="These are GB/s; bytes per second are asked.")
def returns_gigabytes(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    found = read(text, factor(primitive, ranks))
    return {size: (plain / 1e9, bus / 1e9) for size, (plain, bus) in found.items()}


@mutant("read_benchmark", says="The factor 2 belongs to the all-reduce alone; the others have one half of it, or 1.")
def takes_every_primitive_for_an_all_reduce(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return read(text, factor("all_reduce", ranks))


@mutant("read_benchmark", says="An all-reduce sends twice: its factor is 2(N − 1)/N.")
def forgets_the_factor_two(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return read(text, factor("all_gather" if primitive == "all_reduce" else primitive, ranks))


@mutant("read_benchmark", says="The bus bandwidth is the algorithm bandwidth times f(N), not divided by it.")
def divides_by_the_factor(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return read(text, 1 / factor(primitive, ranks))


@mutant("read_benchmark", says="The order is algorithm bandwidth, then bus bandwidth.")
def swaps_the_bandwidths(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return {size: (bus, plain) for size, (plain, bus) in read(text, factor(primitive, ranks)).items()}


@mutant("read_benchmark", says="This is right for one input only: it does not look at the text.")
def is_always_one_line(text: str, *, primitive: str, ranks: int) -> Bandwidths:
    return {8000: (2e9, 2e9)}


@mutant("possible", says="The ranks of an all-reduce send twice: the factor is 2(N − 1)/N.")
def lets_an_all_reduce_send_once(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    share = factor("all_gather" if primitive == "all_reduce" else primitive, ranks)
    return share * size_bytes <= time_s * bandwidth_bytes_per_s


@mutant("possible", says="This compares the algorithm bandwidth; the link carries f(N) times it.")
def compares_the_algorithm_bandwidth(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return size_bytes <= time_s * bandwidth_bytes_per_s


@mutant("possible", says="The factor 2 belongs to the all-reduce alone; the others have one half of it, or 1.")
def asks_an_all_reduce_of_all(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return factor("all_reduce", ranks) * size_bytes <= time_s * bandwidth_bytes_per_s


@mutant(
    "possible", says="A port carries the bandwidth each way; the two directions do not add up for what must be sent."
)
def adds_both_directions(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return factor(primitive, ranks) * size_bytes <= 2 * time_s * bandwidth_bytes_per_s


@mutant("possible", says="Size and bandwidth are both in bytes: there is no factor of 8.")
def takes_the_bandwidth_for_bits(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return 8 * factor(primitive, ranks) * size_bytes <= time_s * bandwidth_bytes_per_s


@mutant("possible", says="Turned round: what is slower than the floor is possible.")
def turns_the_answer_round(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return factor(primitive, ranks) * size_bytes > time_s * bandwidth_bytes_per_s


@mutant("possible", says="At the floor itself it is possible: a ring without latency meets it.")
def excludes_the_floor(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return factor(primitive, ranks) * size_bytes < time_s * bandwidth_bytes_per_s


@mutant("possible", says="The whole must get past the root: the factor of broadcast and reduce is 1.")
def gives_roots_a_share(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    share = (ranks - 1) / ranks * (2 if primitive == "all_reduce" else 1)
    return share * size_bytes <= time_s * bandwidth_bytes_per_s


@mutant("possible", says="This is right for one input only: it does not look at the time.")
def believes_everything(
    *, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    return True
