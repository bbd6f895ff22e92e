"""Formulas: how often a run of many ranks fails, what checkpoints, spares and checks of it cost, and what they save."""

from __future__ import annotations

import math

from snippets.domain import (
    as_float,
    at_most,
    nonnegative_integer,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
    probability,
)
from snippets.foundations.economics.formulas import goodput_share
from snippets.recipes import model_state_bytes

_MOST_NODES = 2**20


def failure_probability(*, time_s: float, mtbf_s: float) -> float:
    """Return how likely a failure is within a time, if failures have no memory.

    Formula: $1 - \\exp(-T / \\tau)$
    Symbols: T = time_s; \\tau = mtbf_s
    Chapter: 28

    Args:
        time_s: how long, at least 0.
        mtbf_s: mean time between failures of what may fail, one device or all.

    Returns:
        A probability.

    Source: the exponential distribution: what is to come doesn't depend on what has been.
    Convention: at least one failure.
    Leaves out: new machines that fail early and old ones that wear out.

    Example:
        >>> round(failure_probability(time_s=86_400, mtbf_s=11_135), 4)
        0.9996
    """
    T, τ = nonnegative_number("time_s", time_s), positive_number("mtbf_s", mtbf_s)
    return -math.expm1(-T / τ)


def gang_failure_probability(*, rank_failure_probability: float, ranks: int) -> float:
    """Return how likely it is that at least one of many ranks fails, where all are needed.

    Also: gang loss, gang scheduling
    Formula: $1 - (1 - \\varepsilon)^R$
    Symbols: \\varepsilon = rank_failure_probability; R = ranks
    Chapter: 28

    Args:
        rank_failure_probability: of one rank in the time that is asked about, at least 0.
        ranks: ranks of which none may fail.

    Returns:
        A probability.

    Source: independent ranks all survive with the product of their probabilities.
    Convention: the ranks fail independently.
    Leaves out: what takes several ranks at once: a node, a switch, a power line.

    Example:
        >>> round(gang_failure_probability(rank_failure_probability=0.001, ranks=1000), 3)
        0.632
    """
    ε = probability("rank_failure_probability", rank_failure_probability)
    R = positive_integer("ranks", ranks)
    if ε == 1:
        return 1.0
    return -math.expm1(as_float("ranks", R) * math.log1p(-ε))


def least_failure_overhead_share(*, checkpoint_s: float, restart_s: float, mtbf_s: float) -> float:
    """Return what checkpoints and failures add to a run's time at Young's interval, to first order.

    Also: Young's overhead
    Formula: $\\omega^* = \\sqrt{2 \\delta / \\tau_R} + \\tau_\\text{back} / \\tau_R$
    Symbols: \\omega* = the result; \\delta = checkpoint_s; τ_back = restart_s; τ_R = mtbf_s
    Chapter: 28

    Args:
        checkpoint_s: for how long a checkpoint stops the run, at least 0.
        restart_s: from a failure until the run goes on, at least 0.
        mtbf_s: mean time between failures of all ranks together.

    Returns:
        A share of the useful time, at least 0.

    Source: Young 1974: half of the root is checkpoints, the other half repeated work.
    Convention: overhead on the useful time, not a share of the total.
    Leaves out: second order, which ``goodput_share`` at ``exact_checkpoint_interval_s`` has.

    Example:
        >>> round(least_failure_overhead_share(checkpoint_s=50, restart_s=600, mtbf_s=10_000), 6)
        0.16
    """
    δ, back = nonnegative_number("checkpoint_s", checkpoint_s), nonnegative_number("restart_s", restart_s)
    τ = positive_number("mtbf_s", mtbf_s)
    return as_float("checkpoint_s, restart_s and mtbf_s", math.sqrt(2 * (δ / τ)) + back / τ)


def daly_checkpoint_interval_s(*, checkpoint_s: float, mtbf_s: float) -> float:
    """Return Daly's estimate of the best interval between checkpoints.

    Also: Daly's interval, higher-order interval
    Formula: $\\tau_\\text{save}^* \\approx \\sqrt{2 \\delta \\tau_R}
        \\left(1 + \\tfrac13 \\sqrt{\\tfrac{\\delta}{2 \\tau_R}}
        + \\tfrac19 \\tfrac{\\delta}{2 \\tau_R}\\right) - \\delta$
    Symbols: τ_save* = the result in seconds; \\delta = checkpoint_s; τ_R = mtbf_s
    Chapter: 28

    Args:
        checkpoint_s: for how long a checkpoint stops the run.
        mtbf_s: mean time between failures of all ranks together.

    Returns:
        Seconds of useful work between two checkpoints; the MTBF itself where a checkpoint takes twice that or more.

    Source: Daly 2006, equation 37.
    Convention: an interval is useful work, without the checkpoint at its end.
    Leaves out: terms of higher order still.

    Example:
        >>> round(daly_checkpoint_interval_s(checkpoint_s=300, mtbf_s=86_400), 2)
        7001.39
    """
    δ, τ = positive_number("checkpoint_s", checkpoint_s), positive_number("mtbf_s", mtbf_s)
    if δ >= 2 * τ:
        return τ
    half = δ / τ / 2
    best = 2 * (τ * math.sqrt(half)) * (1 + math.sqrt(half) / 3 + half / 9) - δ
    return as_float("checkpoint_s and mtbf_s", best)


def exact_checkpoint_interval_s(*, checkpoint_s: float, mtbf_s: float) -> float:
    """Return the interval between checkpoints at which ``goodput_share`` is greatest.

    Formula: $1 - \\tau_\\text{save}^*/\\tau_R = \\exp\\left(-(\\tau_\\text{save}^* + \\delta)/\\tau_R\\right)$
    Symbols: τ_save* = the result in seconds; \\delta = checkpoint_s; τ_R = mtbf_s
    Chapter: 28

    Args:
        checkpoint_s: for how long a checkpoint stops the run.
        mtbf_s: mean time between failures of all ranks together.

    Returns:
        Seconds of useful work between two checkpoints, below the MTBF.

    Source: the derivative of Daly 2006's expected time, set to 0; with Lambert's function,
        τ_R (1 + W(−exp(−1 − δ/τ_R))).
    Convention: failures without memory; the restart changes nothing, because it comes as a factor.
    Leaves out: what ``goodput_share`` leaves out.

    Example:
        >>> round(exact_checkpoint_interval_s(checkpoint_s=300, mtbf_s=86_400))
        7001
    """
    δ, τ = positive_number("checkpoint_s", checkpoint_s), positive_number("mtbf_s", mtbf_s)
    a = δ / τ
    x = min(1.0, math.sqrt(2 * a))
    for _ in range(60):  # Newton; the function is convex and rises, so that from the right it only comes closer
        slope = -math.expm1(-(x + a))
        if slope <= 0:
            break
        better = x - (x + math.expm1(-(x + a))) / slope
        if abs(better - x) <= 1e-15 * x:
            break
        x = better
    return x * τ


def checkpoint_bytes(parameters: float, *, recipe: str = "mixed-adam") -> int:
    """Return the bytes of a checkpoint that a run can go on from: weights and optimizer state.

    Also: checkpoint size
    Formula: $n = (w_\\text{p} + w_\\text{o}) N$
    Symbols: n = the result; N = parameters
    Chapter: 28

    Args:
        parameters: parameters of the model.
        recipe: what is kept for a parameter, as ``snippets.recipes.RECIPES`` names it.

    Returns:
        Bytes, of all ranks together.

    Source: Rajbhandari et al. 2020 (ZeRO), section 3.1, without the gradients, which the next step makes anew.
    Convention: each parameter once, however many replicas hold it.
    Leaves out: the step, the place in the data, the random numbers' state: kilobytes. Weights that the optimizer's
        wider copy could give back are saved all the same.

    Example:
        >>> f"{checkpoint_bytes(70e9) / 1e9:.0f} GB"
        '980 GB'
    """
    state = model_state_bytes(positive_integer("parameters", parameters), recipe=recipe)
    return state.parameters + state.optimizer


def checkpoint_write_s(
    *, size_bytes: float, ranks: int, adapter_bytes_per_s: float, storage_bytes_per_s: float
) -> float:
    """Return how long it takes to write a checkpoint of which each rank writes an equal part.

    Formula: $\\max\\left(\\frac{n}{R\\,\\beta_\\text{net}}, \\frac{n}{\\beta_\\text{store}}\\right)$
    Symbols: n = size_bytes; R = ranks; β_net = adapter_bytes_per_s; β_store = storage_bytes_per_s
    Chapter: 28

    Args:
        size_bytes: of the whole checkpoint.
        ranks: ranks that write at once; 1 if one gathers everything and writes it.
        adapter_bytes_per_s: what one rank sends away through its adapter.
        storage_bytes_per_s: what the storage takes from all.

    Returns:
        Seconds.

    Source: the slower of two pipes.
    Convention: rates that are reached, not those of a data sheet.
    Leaves out: opening files, the metadata, and other jobs at the same storage.

    Example:
        >>> checkpoint_write_s(size_bytes=1e12, ranks=256, adapter_bytes_per_s=1e10, storage_bytes_per_s=1e11)
        10.0
    """
    n, R = positive_number("size_bytes", size_bytes), positive_integer("ranks", ranks)
    β = positive_number("adapter_bytes_per_s", adapter_bytes_per_s)
    store = positive_number("storage_bytes_per_s", storage_bytes_per_s)
    return as_float("size_bytes, adapter_bytes_per_s and storage_bytes_per_s", max(n / R / β, n / store))


def asynchronous_goodput_share(
    *, interval_s: float, stop_s: float, write_s: float, restart_s: float, mtbf_s: float
) -> float:
    """Return the goodput of a run that copies its state, goes on, and writes the copy behind the next steps.

    Also: asynchronous checkpoint goodput
    Formula: $\\rho = \\frac{\\tau_\\text{save}}{\\tau_R \\exp((\\tau_\\text{back} + \\tau_\\text{write})/\\tau_R)
        \\left(\\exp\\frac{\\tau_\\text{save} + \\delta}{\\tau_R} - 1\\right)}$
    Symbols: ρ = the result; τ_save = interval_s; \\delta = stop_s; τ_write = write_s; τ_back = restart_s; τ_R = mtbf_s
    Chapter: 28

    Args:
        interval_s: useful work between two copies.
        stop_s: for how long the run stops while it copies, at least 0.
        write_s: from the end of the copy until the checkpoint is safe, at least 0.
        restart_s: from a failure until the run goes on, at least 0.
        mtbf_s: mean time between failures of all ranks together.

    Returns:
        A share from 0 to 1.

    Raises:
        ValueError: if a write takes longer than an interval with its stop, so that two would overlap.

    Source: in a life of exponential length, copy k is safe after k(τ_save + δ) + τ_write; add up the chances.
    Convention: useful time over elapsed time; a checkpoint that isn't finished when a failure comes is lost.
    Leaves out: steps that are slower while a write goes on.

    Example:
        >>> round(asynchronous_goodput_share(interval_s=600, stop_s=0, write_s=60, restart_s=600, mtbf_s=11_135), 4)
        0.9173
    """
    τ, δ = positive_number("interval_s", interval_s), nonnegative_number("stop_s", stop_s)
    write, back = nonnegative_number("write_s", write_s), nonnegative_number("restart_s", restart_s)
    if write > (τ + δ) * (1 + 1e-9):
        raise ValueError(f"write_s must be at most interval_s + stop_s = {τ + δ:g}, got {write_s!r}")
    mean = positive_number("mtbf_s", mtbf_s)
    try:
        return goodput_share(interval_s=τ, checkpoint_s=δ, restart_s=back + write, mtbf_s=mean)
    except ValueError:  # all is checked but the size of the result
        raise ValueError(
            "interval_s, stop_s, write_s, restart_s and mtbf_s must be such that the run's time fits a float, "
            "got a time above 1.8e308"
        ) from None


def spare_nodes_needed(*, nodes: int, node_mtbf_s: float, repair_s: float, risk: float) -> int:
    """Return the fewest spare nodes with which a run rarely waits for a repair.

    Also: spares, hot spares
    Formula: $\\min\\left\\{\\chi : 1 - \\sum_{i=0}^{\\chi} \\exp(-\\nu)\\, \\nu^i / i!
        \\le \\varepsilon\\right\\},\\ \\nu = \\text{nodes} \\cdot \\tau_\\text{repair} / \\tau_\\text{node}$
    Symbols: \\chi = the result; τ_node = node_mtbf_s; τ_repair = repair_s; \\varepsilon = risk
    Chapter: 28

    Args:
        nodes: nodes that the run needs at all times, at most 2²⁰.
        node_mtbf_s: mean time between failures of one node.
        repair_s: mean time until a broken node is back.
        risk: the share of the time in which more nodes may be broken than there are spares; above 0 and below 1.

    Returns:
        Spare nodes.

    Raises:
        ValueError: if more than 10,000 nodes were broken on average.

    Source: broken nodes are a queue with a server for each, M/G/∞: their number is Poisson with mean ν, whatever the
        distribution of repairs.
    Convention: spares don't fail while they wait; each broken node is replaced at once.
    Leaves out: failures of whole racks.

    Example:
        >>> spare_nodes_needed(nodes=32, node_mtbf_s=264 * 86_400, repair_s=86_400, risk=0.01)
        1
    """
    count = at_most("nodes", positive_integer("nodes", nodes), _MOST_NODES)
    τ, repair = positive_number("node_mtbf_s", node_mtbf_s), positive_number("repair_s", repair_s)
    ε = number_between("risk", risk, low=0, high=1)
    if not 0 < ε < 1:
        raise ValueError(f"risk must be above 0 and below 1, got {risk!r}")
    ν = count * (repair / τ)
    if ν > 1e4:
        raise ValueError(f"nodes times repair_s must be at most 10,000 times node_mtbf_s, got {ν:g} times")
    spares, more = 0, -math.expm1(-ν)
    while more > ε:
        spares += 1
        more = _poisson_above(ν, spares)
    return spares


def _poisson_above(mean: float, count: int) -> float:
    """Return the probability that a Poisson number is above ``count``, from its tail where that is the smaller part."""
    term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))  # of exactly so many
    if count < mean:
        terms = []
        for i in range(count, -1, -1):
            terms.append(term)
            term *= i / mean
        return max(0.0, 1.0 - math.fsum(terms))
    terms, i = [], count
    while True:
        i += 1
        term *= mean / i
        if term <= 1e-18 * (terms[0] if terms else 1.0):
            return math.fsum(terms)
        terms.append(term)


def resharded_share(*, ranks: int, rank: int) -> float:
    """Return the share of a state that has to move when one rank is lost and the others deal it out evenly again.

    Formula: $\\frac12 - \\frac{r (R - 1 - r)}{R (R - 1)}$
    Symbols: R = ranks; r = rank
    Chapter: 28

    Args:
        ranks: ranks before the loss, at least 2; each has an equal stretch of the state, in the order of the ranks.
        rank: the one that is lost, counted from 0; those behind it move up by one.

    Returns:
        A share of the whole state, that of the lost rank included.

    Source: what stays is where a rank's old and new stretch overlap; added up over the ranks that are left.
    Convention: stretches are cut evenly, and ranks keep their order.
    Leaves out: other assignments, which could move a 1/R alone, but in many pieces.

    Example:
        >>> resharded_share(ranks=4, rank=3), resharded_share(ranks=5, rank=2)
        (0.5, 0.3)
    """
    R = positive_integer("ranks", ranks)
    if R < 2:
        raise ValueError(f"ranks must be at least 2, got {ranks!r}")
    r = nonnegative_integer("rank", rank)
    if r >= R:
        raise ValueError(f"rank must be a whole number from 0 to {R - 1}, got {rank!r}")
    return 0.5 - r * (R - 1 - r) / (R * (R - 1))


def neighbour_loss_probability(*, nodes: int, failed: int) -> float:
    """Return how likely it is that nodes that fail together take a state with them of which each has a pair's copy.

    Also: in-memory checkpoint loss
    Formula: $1 - 2^i \\binom{\\text{nodes}/2}{i} \\Big/ \\binom{\\text{nodes}}{i}$
    Symbols: i = failed
    Chapter: 28

    Args:
        nodes: nodes, an even number: they are pairs, and each of a pair keeps the other's state too.
        failed: nodes that fail at once, drawn without preference.

    Returns:
        The probability that both of some pair are among them.

    Source: Wang et al. 2023 (Gemini), whose groups of two these are; counted anew: choose pairs, then one of each.
    Convention: two copies in all, one's own and the neighbour's.
    Leaves out: nodes that share a rack or a power line fail together more often. Place pairs apart.

    Example:
        >>> round(neighbour_loss_probability(nodes=4, failed=2), 6)
        0.333333
    """
    count, i = positive_integer("nodes", nodes), positive_integer("failed", failed)
    at_most("nodes", count, _MOST_NODES)
    if count % 2:
        raise ValueError(f"nodes must be an even number, got {nodes!r}")
    if i > count:
        raise ValueError(f"failed must be at most nodes = {count}, got {failed!r}")
    if i > count // 2:
        return 1.0
    # each next node must miss the partners of those before: (count − 2j) of (count − j)
    return -math.expm1(math.fsum(math.log1p(-j / (count - j)) for j in range(i)))


def corruption_check_interval_s(*, check_s: float, corruption_mtbf_s: float) -> float:
    """Return how much work to do between two checks for silent corruption, to first order.

    Also: silent data corruption, SDC
    Formula: $\\sqrt{\\delta_\\text{check}\\, \\tau_\\text{silent}}$
    Symbols: δ_check = check_s; τ_silent = corruption_mtbf_s
    Chapter: 28

    Args:
        check_s: for how long a check stops the run.
        corruption_mtbf_s: mean time between corruptions of all ranks together.

    Returns:
        Seconds of useful work between two checks.

    Source: a check costs δ_check for each interval, a corruption a whole interval, because the check at its end says
        no more than that the one before was right; the derivative of the sum, set to 0.
    Convention: a check finds each corruption, and the state that it has passed is kept.
    Leaves out: second order; corruptions that don't last until the check, as a single wrong gradient, which leaves
        all copies alike.

    Example:
        >>> corruption_check_interval_s(check_s=4, corruption_mtbf_s=10_000)
        200.0
    """
    δ, τ = positive_number("check_s", check_s), positive_number("corruption_mtbf_s", corruption_mtbf_s)
    return math.sqrt(δ) * math.sqrt(τ)
