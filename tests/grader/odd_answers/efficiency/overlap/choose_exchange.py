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
