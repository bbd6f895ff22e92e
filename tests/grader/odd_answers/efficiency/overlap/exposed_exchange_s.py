# %% two_ends
# Right: the end of each lane by itself, in SM-seconds.
def exposed_exchange_s(compute_s, total_bytes, comm_sms, sms, sm_bytes_per_s, link_bytes_per_s):
    work = compute_s * sms
    matmuls_end = work / (sms - comm_sms)
    sent_end = max(total_bytes / (comm_sms * sm_bytes_per_s), total_bytes / link_bytes_per_s)
    return sent_end - matmuls_end if sent_end > matmuls_end else 0.0


# %% sms_come_back
# Wrong: the matmuls end as if the SMs came back.
def exposed_exchange_s(compute_s, total_bytes, comm_sms, sms, sm_bytes_per_s, link_bytes_per_s):
    sent = total_bytes / min(comm_sms * sm_bytes_per_s, link_bytes_per_s)
    return max(0.0, sent - (compute_s + comm_sms / sms * sent))


# %% link_below_the_sms_only
# Wrong: the link's rate is taken from half of it on.
def exposed_exchange_s(compute_s, total_bytes, comm_sms, sms, sm_bytes_per_s, link_bytes_per_s):
    rate = comm_sms * sm_bytes_per_s
    if 2 * rate > link_bytes_per_s:
        rate = link_bytes_per_s
    return max(0.0, total_bytes / rate - compute_s * sms / (sms - comm_sms))
