# Wrong: the saving as a share.
def points_worth_usd(*, bill_usd, mfu, points):
    return 1 - mfu / (mfu + points / 100)
