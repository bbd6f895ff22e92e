"""Exercise: the price at which a faster device costs what the old one does."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake
from snippets.foundations.economics.formulas import device_hours


def break_even_usd_per_hour(
    *,
    old_peak: float,
    old_mfu: float,
    old_usd_per_hour: float,
    new_peak: float,
    new_mfu: float,
    devices: int,
    fixed_usd_per_hour: float,
) -> float:
    """Return the price of a new device's hour at which a run costs the same.

    Args:
        old_peak: FLOPs a second of an old device at its peak.
        old_mfu: the share of it that the run reaches.
        old_usd_per_hour: price of an hour of one old device.
        new_peak: FLOPs a second of a new device at its peak.
        new_mfu: the share of it that the run reaches.
        devices: devices of the run, old or new.
        fixed_usd_per_hour: what an hour of the whole run costs besides, at
            least 0, with old devices and with new ones.

    Returns:
        Dollars for an hour of one new device; below 0 where even a device
        for nothing would cost more.

    >>> break_even_usd_per_hour(
    ...     old_peak=100.0, old_mfu=0.5, old_usd_per_hour=2.0,
    ...     new_peak=300.0, new_mfu=0.5, devices=10, fixed_usd_per_hour=5.0,
    ... )
    7.0
    """
    # The new run is shorter, so each of its hours may cost that many times as much; the fixed part is then taken off.
    faster = new_peak * new_mfu / (old_peak * old_mfu)
    hour = devices * old_usd_per_hour + fixed_usd_per_hour
    return (faster * hour - fixed_usd_per_hour) / devices


def found_by_halving(
    *,
    old_peak: float,
    old_mfu: float,
    old_usd_per_hour: float,
    new_peak: float,
    new_mfu: float,
    devices: int,
    fixed_usd_per_hour: float,
) -> float:
    """Price whole runs of 10²⁰ FLOPs, and halve a range of prices until the two cost the same."""

    def run_usd(peak: float, mfu: float, usd_per_hour: float) -> float:
        hours = device_hours(flops=1e20, peak_flops_per_s=peak, utilization=mfu) / devices
        return hours * devices * usd_per_hour + hours * fixed_usd_per_hour

    old = run_usd(old_peak, old_mfu, old_usd_per_hour)
    low, high = -1e7, 1e7
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if run_usd(new_peak, new_mfu, middle) < old else (low, middle)
    return (low + high) / 2


def swap(old: tuple[float, float, float], new: tuple[float, float], devices: int, fixed: float) -> Inputs:
    given = {"old_peak": old[0], "old_mfu": old[1], "old_usd_per_hour": old[2], "new_peak": new[0], "new_mfu": new[1]}
    return {**given, "devices": devices, "fixed_usd_per_hour": fixed}


def taught() -> str:
    own = {"old_peak": 989.4e12, "old_mfu": 0.4, "old_usd_per_hour": 2.0, "new_peak": 2250e12, "new_mfu": 0.35}
    usd, alone = (break_even_usd_per_hour(**own, devices=1000, fixed_usd_per_hour=fixed) for fixed in (500.0, 0.0))
    return (
        f"An hour of a B200 may cost {usd:.2f} dollars; without the fixed 500 it would be {alone:.2f}. A shorter run "
        "saves these too, so that the faster device may cost more than its speed alone is worth."
    )


EXERCISE = Exercise(
    break_even_usd_per_hour,
    number=3,
    asked="the price of a new device's hour at which the run costs what it costs now",
    expected=found_by_halving,
    examples=[
        swap((100.0, 0.5, 2.0), (300.0, 0.5), 10, 5.0),
        swap((100.0, 0.5, 2.0), (200.0, 0.25), 10, 5.0),
        swap((1e15, 0.4, 2.0), (1e15, 0.2), 8, 100.0),
        swap((312e12, 0.5, 1.25), (989.4e12, 0.4), 64, 0.0),
        swap((989.4e12, 0.4375, 2.0), (2250e12, 0.3815), 24, 12_500.0),
        swap((1e15, 0.4, 2.0), (1e15, 0.1), 8, 1000.0),
        swap((989.4e12, 0.4, 2.0), (2250e12, 0.35), 1000, 500.0),
    ],
    inputs=lambda st: st.builds(
        swap,
        st.tuples(st.sampled_from([1e14, 3e14, 1e15]), st.sampled_from([0.3, 0.4, 0.5]), st.sampled_from([1.0, 2.5])),
        st.tuples(st.sampled_from([4e14, 2e15, 5e15]), st.sampled_from([0.2, 0.35, 0.6])),
        st.integers(1, 2000),
        st.sampled_from([0.0, 50.0, 1000.0]),
    ),
    relative_tolerance=1e-7,
    units={"result": "dollars an hour"},
    taught=taught,
    mistakes=[
        Mistake(
            "compares_peaks",
            "You compared the peaks. What counts is what the run reaches: peak times MFU on both sides.",
            {"new_peak * new_mfu / (old_peak * old_mfu)": "new_peak / old_peak"},
        ),
        Mistake(
            "turns_the_ratio_over",
            "You turned the ratio over: the faster the new device, the more its hour may cost.",
            {"new_peak * new_mfu / (old_peak * old_mfu)": "old_peak * old_mfu / (new_peak * new_mfu)"},
        ),
        Mistake(
            "forgets_what_is_fixed",
            "A shorter run also saves the people and the storage of the hours that fall away.",
            {"(faster * hour - fixed_usd_per_hour) / devices": "faster * old_usd_per_hour"},
        ),
        Mistake(
            "fixed_part_falls_away",
            "The new run's hours have their fixed costs too: take them off once.",
            {"(faster * hour - fixed_usd_per_hour)": "faster * hour"},
        ),
        Mistake(
            "fixed_for_each_device",
            "The fixed dollars are for an hour of the whole run, not of each device.",
            {"devices * old_usd_per_hour + fixed_usd_per_hour": "devices * (old_usd_per_hour + fixed_usd_per_hour)"},
        ),
        Mistake(
            "fixed_on_one_device",
            "You put all the fixed dollars on one device. They are for the whole run, and its devices share them.",
            {
                "devices * old_usd_per_hour + fixed_usd_per_hour": "old_usd_per_hour + fixed_usd_per_hour",
                "- fixed_usd_per_hour) / devices": "- fixed_usd_per_hour)",
            },
        ),
        Mistake(
            "never_below_zero",
            "Below 0 is an answer too: there even a device for nothing would cost more.",
            {"return (faster * hour - fixed_usd_per_hour)": "return max(0.0, faster * hour - fixed_usd_per_hour)"},
        ),
        Mistake(
            "prices_the_whole_run",
            "This is the price of all devices together; asked is that of one.",
            {"- fixed_usd_per_hour) / devices": "- fixed_usd_per_hour)"},
        ),
    ],
)
