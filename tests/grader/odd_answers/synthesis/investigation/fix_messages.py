# %% whole_numbers
# Right: in units of 1/(2 β).
def fix_messages(messages, message_bytes, latency_us, bytes_per_us, bucket_bytes):
    total, pay = messages * message_bytes, 2 * bytes_per_us * latency_us
    now = messages * pay + 2 * total
    buckets = (total + bucket_bytes - 1) // bucket_bytes * pay + 2 * total
    halved = messages * pay + total
    best = min(buckets, halved)
    if 10 * best > 9 * now:
        return "neither", now / (2 * bytes_per_us)
    return ("buckets" if buckets == best else "bytes"), best / (2 * bytes_per_us)


# %% by_the_ceiling
# Wrong: chooses by what takes more of the time, whatever the buckets' size.
def fix_messages(messages, message_bytes, latency_us, bytes_per_us, bucket_bytes):
    total = messages * message_bytes
    wire, late = total / bytes_per_us, messages * latency_us
    if late >= wire:
        name, after = "buckets", -(-total // bucket_bytes) * latency_us + wire
    else:
        name, after = "bytes", late + wire / 2
    if 10 * after > 9 * (late + wire):
        return "neither", late + wire
    return name, after


# %% buckets_of_whole_messages
# Wrong: fills buckets with whole messages.
def fix_messages(messages, message_bytes, latency_us, bytes_per_us, bucket_bytes):
    total = messages * message_bytes
    wire, late = total / bytes_per_us, messages * latency_us
    fit = max(1, bucket_bytes // message_bytes)
    buckets, halved = -(-messages // fit) * latency_us + wire, late + wire / 2
    best = min(buckets, halved)
    if 10 * best > 9 * (late + wire):
        return "neither", late + wire
    return ("buckets" if buckets <= halved else "bytes"), best


# %% a_tenth_of_afterwards
# Wrong: asks for a tenth of the time afterwards.
def fix_messages(messages, message_bytes, latency_us, bytes_per_us, bucket_bytes):
    total = messages * message_bytes
    wire, late = total / bytes_per_us, messages * latency_us
    buckets, halved = -(-total // bucket_bytes) * latency_us + wire, late + wire / 2
    best = min(buckets, halved)
    if 10 * (late + wire - best) < best:
        return "neither", late + wire
    return ("buckets" if buckets <= halved else "bytes"), best
