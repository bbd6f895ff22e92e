# %% one_token_more
# Right: adds for each token what is still unread and chosen.
def experts_read(tokens, experts, per_token):
    read = 0.0
    for _ in range(tokens):
        read += (experts - read) * per_token / experts
    return read


# %% pairs_alone
# Wrong: takes off the overlap of pairs, and forgets that three may overlap.
def experts_read(tokens, experts, per_token):
    share = per_token / experts
    return experts * (tokens * share - tokens * (tokens - 1) / 2 * share * share)


# %% whole_experts
# Wrong: rounds the mean to whole experts.
def experts_read(tokens, experts, per_token):
    return float(round(experts * (1 - (1 - per_token / experts) ** tokens)))


# %% one_token_late
# Wrong: counts one token too few.
def experts_read(tokens, experts, per_token):
    return experts * (1 - (1 - per_token / experts) ** (tokens - 1))
