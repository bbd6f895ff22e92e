# %% by_fractions
# Right: with what each GPU holds, as a fraction.
def check_claim(parameters, element_bytes, cache_bytes, reserve_bytes, capacity_bytes, claimed_gpus, most_gpus):
    from fractions import Fraction as F

    def good(gpus):
        return F(parameters * element_bytes + cache_bytes, gpus) + reserve_bytes <= capacity_bytes

    powers = (2**i for i in range(most_gpus.bit_length()) if 2**i <= most_gpus)
    return good(claimed_gpus), next((g for g in powers if good(g)), 0)


# %% the_claim_is_a_power
# Wrong: calls a claim false that is no power of two.
def check_claim(parameters, element_bytes, cache_bytes, reserve_bytes, capacity_bytes, claimed_gpus, most_gpus):
    total, room = parameters * element_bytes + cache_bytes, capacity_bytes - reserve_bytes
    powers = [2**i for i in range(most_gpus.bit_length()) if 2**i <= most_gpus]
    good = [g for g in powers if total <= g * room]
    return claimed_gpus in good, min(good, default=0)


# %% whole_bytes
# Wrong: rounds a GPU's part down to whole bytes.
def check_claim(parameters, element_bytes, cache_bytes, reserve_bytes, capacity_bytes, claimed_gpus, most_gpus):
    total, room = parameters * element_bytes + cache_bytes, capacity_bytes - reserve_bytes
    powers = [2**i for i in range(most_gpus.bit_length()) if 2**i <= most_gpus]
    return total // claimed_gpus <= room, min((g for g in powers if total // g <= room), default=0)


# %% up_to_64
# Wrong: tries no more than 64 GPUs.
def check_claim(parameters, element_bytes, cache_bytes, reserve_bytes, capacity_bytes, claimed_gpus, most_gpus):
    total, room = parameters * element_bytes + cache_bytes, capacity_bytes - reserve_bytes
    good = [g for g in (1, 2, 4, 8, 16, 32, 64) if g <= most_gpus and total <= g * room]
    return total <= claimed_gpus * room, min(good, default=0)
