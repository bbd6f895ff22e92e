"""Formulas: what a training run costs: device hours, money, energy, carbon, failures, stragglers, owned devices.

Money is in US dollars. Hours, kWh and kg are the units of bills, so they are taken and returned as such; all other
times are in seconds.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from snippets.domain import as_float, nonnegative_number, number_between, positive_integer, positive_number

HOUR_S = 3600.0
_STEPS = 400  # of the integral over the slowest of several normal times
_FAR = 9.0  # standard deviations beyond which a normal time adds nothing


def device_hours(*, flops: float, peak_flops_per_s: float, utilization: float) -> float:
    """Return how many hours of one device a run takes, all devices added up.

    Also: GPU hours, accelerator hours
    Formula: $H = \\frac{F}{3600\\, P\\, u}$
    Symbols: H = the result in hours; F = flops; P = peak_flops_per_s; u = utilization
    Chapter: 6

    Args:
        flops: operations that the model needs.
        peak_flops_per_s: dense peak of one device.
        utilization: the share of it that the run reaches, MFU, above 0 and at most 1.

    Returns:
        Device hours. How many devices share them does not matter.

    Source: definition of the MFU: Chowdhery et al. 2022 (PaLM), section 4.1.
    Convention: model FLOPs with MFU, or hardware FLOPs with HFU; never one with the other.
    Leaves out: failures, restarts, evaluation.

    Example:
        >>> round(device_hours(flops=1.2e20, peak_flops_per_s=989.4e12, utilization=0.4), 1)
        84.2
    """
    F, P = positive_number("flops", flops), positive_number("peak_flops_per_s", peak_flops_per_s)
    u = _share("utilization", utilization)
    return as_float("flops, peak_flops_per_s and utilization", F / P / u / HOUR_S)


def training_bill_usd(
    *, flops: float, peak_flops_per_s: float, utilization: float, usd_per_device_hour: float, goodput: float = 1.0
) -> float:
    """Return what a training run costs in dollars.

    Also: training cost, cost of training
    Formula: $q_\\text{run} = \\frac{F}{P\\, u\\, \\rho} \\cdot \\frac{q_\\text{hour}}{3600}$
    Symbols: q_run = the result in dollars; F = flops; P = peak_flops_per_s; u = utilization; ρ = goodput;
        q_hour = usd_per_device_hour
    Chapter: 6

    Args:
        flops: operations that the model needs.
        peak_flops_per_s: dense peak of one device.
        utilization: the share of it that the run reaches while it runs, MFU, above 0 and at most 1.
        usd_per_device_hour: price of an hour of one device.
        goodput: the share of the paid hours that the run moves on, above 0 and at most 1.

    Returns:
        Dollars.

    Source: price times ``device_hours``, over the goodput.
    Convention: a device that waits costs what one that works does.
    Leaves out: storage, network and people, where the hour's price does not hold them.

    Example:
        >>> bill = training_bill_usd(
        ...     flops=1.2e20, peak_flops_per_s=989.4e12, utilization=0.4, usd_per_device_hour=2.0
        ... )
        >>> round(bill)
        168
    """
    hours = device_hours(flops=flops, peak_flops_per_s=peak_flops_per_s, utilization=utilization)
    p, g = positive_number("usd_per_device_hour", usd_per_device_hour), _share("goodput", goodput)
    return as_float("flops, usd_per_device_hour and goodput", hours * p / g)


def run_energy_kwh(*, device_hours: float, device_watts: float, pue: float) -> float:
    """Return the electricity that a run takes at the meter of its data centre.

    Also: energy of training, training energy
    Formula: $J = \\frac{H\\, G\\, \\kappa}{1000}$
    Symbols: J = the result in kWh; H = device_hours; G = device_watts; \\kappa = pue
    Chapter: 6

    Args:
        device_hours: hours of all devices together.
        device_watts: power of one device, with its share of the server or without, as the source has it.
        pue: power usage effectiveness, what the data centre takes over what its computers take, at least 1.

    Returns:
        Kilowatt hours.

    Source: Touvron et al. 2023 (LLaMA), section 6; PUE: The Green Grid.
    Convention: the device draws ``device_watts`` all the time; LLaMA and Llama 3.1 put the printed limit of the GPU.
    Leaves out: processors, network and storage, where ``device_watts`` does not hold them; making the devices.

    Example:
        >>> round(run_energy_kwh(device_hours=82432, device_watts=400, pue=1.1) / 1000)
        36
    """
    h, w = positive_number("device_hours", device_hours), positive_number("device_watts", device_watts)
    κ = number_between("pue", pue, low=1, high=1e6)
    return as_float("device_hours and device_watts", h * w * κ / 1000)


def emissions_kg(*, energy_kwh: float, kg_per_kwh: float) -> float:
    """Return the carbon dioxide that a run's electricity stands for.

    Also: carbon footprint, CO2
    Formula: $y = J\\, \\kappa_\\text{grid}$
    Symbols: y = the result in kg; J = energy_kwh; κ_grid = kg_per_kwh
    Chapter: 6

    Args:
        energy_kwh: electricity at the meter.
        kg_per_kwh: kg of CO₂ equivalent for a kWh of the grid, at least 0.

    Returns:
        Kilograms of CO₂ equivalent.

    Source: Touvron et al. 2023 (LLaMA), section 6, with 0.385 kg a kWh, the average of the United States.
    Convention: by location; by market, bought certificates are taken off.
    Leaves out: making the devices and the building.

    Example:
        >>> round(emissions_kg(energy_kwh=36_270, kg_per_kwh=0.385) / 1000)
        14
    """
    E, c = positive_number("energy_kwh", energy_kwh), nonnegative_number("kg_per_kwh", kg_per_kwh)
    return as_float("energy_kwh and kg_per_kwh", E * c)


def cluster_mtbf_s(*, device_mtbf_s: float, devices: int) -> float:
    """Return the mean time between failures of many devices of which none may fail.

    Also: MTTF, MTBF, mean time to failure, mean time between failures
    Formula: $\\tau_R = \\tau_1 / R$
    Symbols: τ_R = the result in seconds; τ_1 = device_mtbf_s; R = devices
    Chapter: 6

    Args:
        device_mtbf_s: mean time between failures of one device, with what fails beside it.
        devices: devices of the run.

    Returns:
        Seconds.

    Source: the minimum of N independent exponential times is exponential, with N times the rate.
    Convention: any failure stops the whole run.
    Leaves out: failures that come together, and those of what all devices share.

    Example:
        >>> cluster_mtbf_s(device_mtbf_s=5.0e7, devices=10_000)
        5000.0
    """
    m, N = positive_number("device_mtbf_s", device_mtbf_s), positive_integer("devices", devices)
    return as_float("device_mtbf_s and devices", m / N)


def failure_overhead_share(*, interval_s: float, checkpoint_s: float, restart_s: float, mtbf_s: float) -> float:
    """Return what checkpoints and failures add to a run's time, to first order, as a share of the useful time.

    Also: checkpoint overhead
    Formula: $\\omega = \\frac{\\delta}{\\tau_\\text{save}}
        + \\frac{\\tau_\\text{save}/2 + \\tau_\\text{back}}{\\tau_R}$
    Symbols: \\omega = the result; \\delta = checkpoint_s; τ_save = interval_s; τ_back = restart_s; τ_R = mtbf_s
    Chapter: 6

    Args:
        interval_s: useful work between two checkpoints.
        checkpoint_s: for how long a checkpoint stops the run, at least 0.
        restart_s: from a failure until the run goes on from its last checkpoint, at least 0.
        mtbf_s: mean time between failures of the whole cluster.

    Returns:
        A share of the useful time, at least 0.

    Source: Young 1974.
    Convention: overhead on the useful time, not a share of the total.
    Leaves out: all that is of second order in the interval over the MTBF; ``expected_run_s`` has it.

    Example:
        >>> round(failure_overhead_share(interval_s=600, checkpoint_s=6, restart_s=300, mtbf_s=10_000), 4)
        0.07
    """
    τ, δ = positive_number("interval_s", interval_s), nonnegative_number("checkpoint_s", checkpoint_s)
    R, M = nonnegative_number("restart_s", restart_s), positive_number("mtbf_s", mtbf_s)
    return as_float("interval_s, checkpoint_s, restart_s and mtbf_s", δ / τ + (τ / 2 + R) / M)


def best_checkpoint_interval_s(*, checkpoint_s: float, mtbf_s: float) -> float:
    """Return the interval between checkpoints at which ``failure_overhead_share`` is least.

    Also: Young's interval, Young-Daly interval, checkpoint interval, optimal checkpoint interval
    Formula: $\\tau_\\text{save}^* = \\sqrt{2 \\delta \\tau_R}$
    Symbols: τ_save* = the result in seconds; \\delta = checkpoint_s; τ_R = mtbf_s
    Chapter: 6

    Args:
        checkpoint_s: for how long a checkpoint stops the run.
        mtbf_s: mean time between failures of the whole cluster.

    Returns:
        Seconds of useful work between two checkpoints.

    Source: Young 1974.
    Convention: first order; the restart does not matter.
    Leaves out: terms of higher order, which shorten it (Daly 2006).

    Example:
        >>> round(best_checkpoint_interval_s(checkpoint_s=300, mtbf_s=86_400), 6)
        7200.0
    """
    δ, M = positive_number("checkpoint_s", checkpoint_s), positive_number("mtbf_s", mtbf_s)
    return as_float("checkpoint_s and mtbf_s", math.sqrt(2 * δ) * math.sqrt(M))


def expected_run_s(*, work_s: float, interval_s: float, checkpoint_s: float, restart_s: float, mtbf_s: float) -> float:
    """Return the mean time of a run whose failures come at an even rate, exactly.

    Formula: $T = \\frac{T_\\text{work}}{\\tau_\\text{save}}\\, \\tau_R \\exp(\\tau_\\text{back}/\\tau_R)
        \\left(\\exp\\frac{\\tau_\\text{save} + \\delta}{\\tau_R} - 1\\right)$
    Symbols: T = the result in seconds; T_work = work_s; τ_save = interval_s; \\delta = checkpoint_s;
        τ_back = restart_s; τ_R = mtbf_s
    Chapter: 6

    Args:
        work_s: useful time of the run, a whole number of intervals for the formula to be exact.
        interval_s: useful work between two checkpoints.
        checkpoint_s: for how long a checkpoint stops the run, at least 0.
        restart_s: from a failure until the run goes on from its last checkpoint, at least 0.
        mtbf_s: mean time between failures of the whole cluster.

    Returns:
        Seconds.

    Raises:
        ValueError: if an interval and a restart are so much longer than the MTBF that the time is beyond a float.

    Source: Daly 2006, section 2.
    Convention: exponential failures, which also strike checkpoints and restarts; work since the last checkpoint is
        lost.
    Leaves out: failures that are noticed late; spare devices that run out.

    Example:
        >>> round(expected_run_s(work_s=86_400, interval_s=600, checkpoint_s=10, restart_s=600, mtbf_s=11_135))
        95289
    """
    W, τ = positive_number("work_s", work_s), positive_number("interval_s", interval_s)
    δ, R = nonnegative_number("checkpoint_s", checkpoint_s), nonnegative_number("restart_s", restart_s)
    M = positive_number("mtbf_s", mtbf_s)
    try:
        spent = M * math.exp(R / M) * math.expm1((τ + δ) / M)
    except OverflowError:
        spent = math.inf
    return as_float("work_s, interval_s, checkpoint_s, restart_s and mtbf_s", W / τ * spent)


def goodput_share(*, interval_s: float, checkpoint_s: float, restart_s: float, mtbf_s: float) -> float:
    """Return the share of its time for which a run with checkpoints and failures moves on.

    Also: goodput, effective training time ratio, ETTR
    Formula: $\\rho = \\frac{\\tau_\\text{save}}{\\tau_R \\exp(\\tau_\\text{back}/\\tau_R)
        \\left(\\exp\\frac{\\tau_\\text{save} + \\delta}{\\tau_R} - 1\\right)}$
    Symbols: ρ = the result; τ_save = interval_s; \\delta = checkpoint_s; τ_back = restart_s; τ_R = mtbf_s
    Chapter: 6

    Args:
        interval_s: useful work between two checkpoints.
        checkpoint_s: for how long a checkpoint stops the run, at least 0.
        restart_s: from a failure until the run goes on from its last checkpoint, at least 0.
        mtbf_s: mean time between failures of the whole cluster.

    Returns:
        A share from 0 to 1.

    Source: Daly 2006, section 2, turned over.
    Convention: useful time over elapsed time.
    Leaves out: what ``expected_run_s`` leaves out.

    Example:
        >>> round(goodput_share(interval_s=600, checkpoint_s=10, restart_s=600, mtbf_s=11_135), 3)
        0.907
    """
    τ = positive_number("interval_s", interval_s)
    spent = expected_run_s(work_s=τ, interval_s=τ, checkpoint_s=checkpoint_s, restart_s=restart_s, mtbf_s=mtbf_s)
    return min(1.0, τ / spent)


def failure_bill_usd(*, interval_s: float, restart_s: float, devices: int, usd_per_device_hour: float) -> float:
    """Return what one failure costs, to first order.

    Formula: $q_\\text{failure} = R\\, q_\\text{hour}\\, \\frac{\\tau_\\text{save}/2 + \\tau_\\text{back}}{3600}$
    Symbols: q_failure = the result in dollars; R = devices; q_hour = usd_per_device_hour; τ_save = interval_s;
        τ_back = restart_s
    Chapter: 6

    Args:
        interval_s: useful work between two checkpoints.
        restart_s: from a failure until the run goes on, at least 0.
        devices: devices that all wait.
        usd_per_device_hour: price of an hour of one device.

    Returns:
        Dollars.

    Source: half of an interval is lost on average, then all devices wait for the restart.
    Convention: every device is paid for while it waits.
    Leaves out: the repair.

    Example:
        >>> failure_bill_usd(interval_s=600, restart_s=600, devices=16_384, usd_per_device_hour=2.0)
        8192.0
    """
    τ, R = positive_number("interval_s", interval_s), nonnegative_number("restart_s", restart_s)
    N, p = positive_integer("devices", devices), positive_number("usd_per_device_hour", usd_per_device_hour)
    return as_float("interval_s, restart_s, devices and usd_per_device_hour", N * p * (τ / 2 + R) / HOUR_S)


def slowest_exponential_s(*, fastest_s: float, excess_s: float, ranks: int) -> float:
    """Return the mean time of the slowest of N ranks, each of which takes a fixed time and an exponential excess.

    Formula: $y + z \\sum_{r=1}^{R} \\frac{1}{r}$
    Symbols: y = fastest_s; z = excess_s; R = ranks
    Chapter: 6

    Args:
        fastest_s: what a step takes at least, at least 0.
        excess_s: mean of what comes on top, at least 0; it is its standard deviation too.
        ranks: ranks that wait for one another, at most 2²⁰.

    Returns:
        Seconds.

    Source: the gaps between the ordered times are exponential with means b/N, b/(N−1), …, b (Rényi 1953).
    Convention: independent times.
    Leaves out: ranks that are slow for good.

    Example:
        >>> round(slowest_exponential_s(fastest_s=0.95, excess_s=0.05, ranks=4), 4)
        1.0542
    """
    a, b = nonnegative_number("fastest_s", fastest_s), nonnegative_number("excess_s", excess_s)
    N = _counted("ranks", ranks)
    return as_float("fastest_s and excess_s", a + b * math.fsum(1 / k for k in range(1, N + 1)))


def slowest_normal_s(*, mean_s: float, deviation_s: float, ranks: int) -> float:
    """Return the mean time of the slowest of N ranks whose times are normal.

    Also: straggler, expected maximum
    Formula: $\\mu + \\sigma \\int_{-\\infty}^{\\infty} o\\, R\\, \\Phi(o)^{R-1} \\varphi(o)\\, do$
    Symbols: \\mu = mean_s; \\sigma = deviation_s; R = ranks; \\varphi and \\Phi = the standard normal density and its
        integral
    Chapter: 6

    Args:
        mean_s: mean time of a rank, at least 0.
        deviation_s: its standard deviation, at least 0.
        ranks: ranks that wait for one another, at most 2²⁰.

    Returns:
        Seconds; about √(2 ln N) standard deviations above the mean for many ranks, a little less.

    Source: the density of the largest of N independent values; integrated by the trapezoidal rule.
    Convention: independent times.
    Leaves out: ranks that are slow for good.

    Example:
        >>> round(slowest_normal_s(mean_s=1.0, deviation_s=0.05, ranks=4), 4)
        1.0515
    """
    μ, σ = nonnegative_number("mean_s", mean_s), nonnegative_number("deviation_s", deviation_s)
    N, normal = _counted("ranks", ranks), NormalDist()
    places = [-_FAR + 2 * _FAR * k / _STEPS for k in range(_STEPS + 1)]
    density = [N * normal.cdf(x) ** (N - 1) * normal.pdf(x) for x in places]
    above = math.fsum(x * value for x, value in zip(places, density, strict=True)) * 2 * _FAR / _STEPS
    return as_float("mean_s and deviation_s", μ + σ * above)


def owned_hour_usd(
    *,
    purchase_usd: float,
    life_hours: float,
    used_share: float,
    device_watts: float,
    pue: float,
    usd_per_kwh: float,
) -> float:
    """Return what an hour of use of an owned device costs.

    Formula: $\\frac{q_\\text{own}}{Z o} + \\frac{G\\, \\kappa\\, q_\\text{kWh}}{1000}$
    Symbols: q_own = purchase_usd; Z = life_hours; o = used_share; G = device_watts; \\kappa = pue; q_kWh = usd_per_kwh
    Chapter: 6

    Args:
        purchase_usd: price of the device with its share of server, network and building.
        life_hours: hours until it is written off; 35,064 are four years.
        used_share: the share of them in which it is used, above 0 and at most 1.
        device_watts: power while it is used.
        pue: power usage effectiveness, at least 1.
        usd_per_kwh: price of electricity, at least 0.

    Returns:
        Dollars for each hour of use.

    Source: straight-line depreciation and electricity.
    Convention: an idle device draws nothing.
    Leaves out: interest, people, what the device is sold for.

    Example:
        >>> hour = owned_hour_usd(
        ...     purchase_usd=35_064, life_hours=35_064, used_share=0.5, device_watts=1000, pue=1.2, usd_per_kwh=0.1
        ... )
        >>> round(hour, 2)
        2.12
    """
    K, L = positive_number("purchase_usd", purchase_usd), positive_number("life_hours", life_hours)
    power = run_energy_kwh(device_hours=1, device_watts=device_watts, pue=pue)
    e, x = nonnegative_number("usd_per_kwh", usd_per_kwh), _share("used_share", used_share)
    return as_float("purchase_usd, life_hours, used_share, device_watts and usd_per_kwh", K / L / x + power * e)


def _share(name: str, value: float) -> float:
    """Return a share above 0 and at most 1, or raise ``ValueError``."""
    share = positive_number(name, value)
    if share > 1:
        raise ValueError(f"{name} must be a number above 0 and at most 1, got {value!r}")
    return share


def _counted(name: str, value: int) -> int:
    """Return a number of ranks that can be gone through one by one, or raise ``ValueError``."""
    count = positive_integer(name, value)
    if count > 2**20:
        raise ValueError(f"{name} must be an integer from 1 to 2**20, got {value!r}")
    return count
