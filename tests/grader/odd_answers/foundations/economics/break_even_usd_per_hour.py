# %% another_order
# Right: the fixed part saved is added.
def break_even_usd_per_hour(
    *, old_peak, old_mfu, old_usd_per_hour, new_peak, new_mfu, devices, fixed_usd_per_hour
):
    r = (new_peak * new_mfu) / (old_peak * old_mfu)
    return r * old_usd_per_hour + (r - 1) * fixed_usd_per_hour / devices
