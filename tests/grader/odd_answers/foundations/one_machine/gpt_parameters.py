# %% megatrons_form
# Wrong: the closed form of a paper that leaves out the last norm.
# Known mistake: One more norm follows the last layer: 2d parameters are missing.

def gpt_parameters(*, layers, hidden, vocabulary, positions):
    return 12 * layers * hidden**2 + 13 * layers * hidden + (vocabulary + positions) * hidden

# %% what_is_missing_by_heart
# Wrong: what the short formula misses is known for one width.
# Message: right on

def gpt_parameters(*, layers, hidden, vocabulary, positions):
    L, d = layers, hidden
    return 12 * L * d * d + vocabulary * d + (907776 if d == 768 else 13 * L * d + positions * d + 2 * d)
