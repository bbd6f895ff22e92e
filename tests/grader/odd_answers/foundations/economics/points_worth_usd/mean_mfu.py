# Wrong: the derivative in the middle of the step.
def points_worth_usd(*, bill_usd, mfu, points):
    middle = mfu + points / 200
    return bill_usd * mfu * points / 100 / middle**2
