# Wrong: what counts is the time, not the bandwidth.
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    r=min(d,h,u)
    s=c if r==h else 2
    return -(-s*P//(4*r))
