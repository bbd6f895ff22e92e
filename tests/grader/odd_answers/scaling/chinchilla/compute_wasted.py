# %% step_by_step
# Right: the two terms with numbers in them.
def compute_wasted(*, size_ratio, alpha, beta):
    x, y = beta, alpha
    above = x / size_ratio**alpha + y * size_ratio**beta
    falls = alpha * beta / (alpha + beta)
    needed = ((x + y) / above) ** (1 / falls)
    return 1 - needed

# %% exponents_exchanged
# Wrong: alpha and beta exchanged.
# Known mistake: More parameters make the parameters' term smaller, and leave fewer tokens. Here it is the other way round: the signs are wrong, or alpha and beta are exchanged.
def compute_wasted(*, size_ratio, alpha, beta):
    alpha, beta = beta, alpha
    above = (beta * size_ratio**-alpha + alpha * size_ratio**beta) / (alpha + beta)
    return 1 - above ** -((alpha + beta) / (alpha * beta))
