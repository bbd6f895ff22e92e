# %% integer_division
# Right: another way to round up.
def steps_between_syncs(size_bytes, sites, bandwidth_bytes_per_s, latency_s, step_s, wait_share):
    sync = (sites - 1) * 2 * (size_bytes / (sites * bandwidth_bytes_per_s) + latency_s)
    return int(max(1, -(-(sync / wait_share - sync) // step_s)))


# %% strictly_less
# Wrong: a share that is met exactly isn't taken.
# Known mistake: You went one step beyond a number that is enough already.
def steps_between_syncs(size_bytes, sites, bandwidth_bytes_per_s, latency_s, step_s, wait_share):
    sync = 2 * (sites - 1) * (size_bytes / sites / bandwidth_bytes_per_s + latency_s)
    return int(sync * (1 - wait_share) / wait_share / step_s) + 1


# %% nearest
# Wrong: rounded to the nearest.
def steps_between_syncs(size_bytes, sites, bandwidth_bytes_per_s, latency_s, step_s, wait_share):
    sync = 2 * (sites - 1) * (size_bytes / sites / bandwidth_bytes_per_s + latency_s)
    return max(1, round(sync * (1 - wait_share) / wait_share / step_s))


# %% two_sites
# Wrong: as if there were two sites.
def steps_between_syncs(size_bytes, sites, bandwidth_bytes_per_s, latency_s, step_s, wait_share):
    import math

    if sites == 1:
        return 1
    sync = 2 * latency_s + size_bytes / bandwidth_bytes_per_s
    return max(1, math.ceil(sync * (1 - wait_share) / wait_share / step_s))


# %% some_slack
# Wrong: forgives a thousandth of a step, more than rounding explains.
def steps_between_syncs(size_bytes, sites, bandwidth_bytes_per_s, latency_s, step_s, wait_share):
    import math

    sync = 2 * (sites - 1) * (size_bytes / sites / bandwidth_bytes_per_s + latency_s)
    return max(1, math.ceil(sync * (1 - wait_share) / wait_share / step_s - 1e-3))


# %% forgives_rounding
# Right: forgives what floats round.
def steps_between_syncs(size_bytes, sites, bandwidth_bytes_per_s, latency_s, step_s, wait_share):
    import math

    sync = 2 * (sites - 1) * (size_bytes / sites / bandwidth_bytes_per_s + latency_s)
    return max(1, math.ceil(sync * (1 - wait_share) / wait_share / step_s - 1e-9))
