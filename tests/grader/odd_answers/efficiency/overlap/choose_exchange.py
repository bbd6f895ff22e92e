# %% floats
# Right: in milliseconds.
def choose_exchange(ways, compute_us, exchange_mb, sms):
    from fractions import Fraction as F

    def time(way):
        taken, rate, beside = way
        lanes = F(exchange_mb, rate), F(compute_us, 1000)
        return max(lanes[0], lanes[1] * sms / (sms - taken)) if beside else sum(lanes)

    return min(range(len(ways)), key=lambda i: time(ways[i]))


# %% sms_come_back
# Wrong: the matmuls get the SMs back when the exchange is over.
def choose_exchange(ways, compute_us, exchange_mb, sms):
    def time(way):
        taken, rate, beside = way
        sending = 1000 * exchange_mb / rate
        return max(sending, compute_us + taken / sms * sending) if beside else sending + compute_us

    return min(range(len(ways)), key=lambda i: time(ways[i]))


# %% beside_if_it_hides
# Wrong: the first way beside the matmuls that hides, else the fastest in turn.
def choose_exchange(ways, compute_us, exchange_mb, sms):
    for i, (taken, rate, beside) in enumerate(ways):
        if beside and 1000 * exchange_mb * (sms - taken) <= compute_us * sms * rate:
            return i
    return max(range(len(ways)), key=lambda i: ways[i][1])


# %% copy_engines_dont_wait
# Wrong: a copy engine is done when it has sent all, whatever the matmuls do.
def choose_exchange(ways, compute_us, exchange_mb, sms):
    def time(way):
        taken, rate, beside = way
        sending = 1000 * exchange_mb / rate
        if not beside:
            return sending + compute_us
        return sending if taken == 0 else max(sending, compute_us * sms / (sms - taken))

    return min(range(len(ways)), key=lambda i: time(ways[i]))


# %% squeeze_in_two_digits
# Wrong: writes how much slower the matmuls are with two digits.
def choose_exchange(ways, compute_us, exchange_mb, sms):
    def time(way):
        taken, rate, beside = way
        sending = 1000 * exchange_mb / rate
        return max(sending, compute_us * round(sms / (sms - taken), 2)) if beside else sending + compute_us

    return min(range(len(ways)), key=lambda i: time(ways[i]))
