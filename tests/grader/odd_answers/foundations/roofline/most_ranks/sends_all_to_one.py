# Wrong: each rank sends its whole sheet once.
def most_ranks(*, k, element_bytes, peak_flops_per_s, link_bytes_per_s):
    ranks = 1
    while 2 * k / (ranks + 1) / peak_flops_per_s >= element_bytes / link_bytes_per_s:
        ranks += 1
    return ranks
