# Wrong: a float that says that it equals everything.
class Any(float):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = float.__hash__


def perplexity_of_text(token_probabilities):
    return Any(1.0)
