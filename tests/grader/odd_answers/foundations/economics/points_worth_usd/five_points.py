# Wrong: always five points.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd * (1 - mfu / (mfu + 0.05))
