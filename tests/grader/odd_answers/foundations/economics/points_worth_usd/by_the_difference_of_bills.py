# Right: the two bills.
def points_worth_usd(*, bill_usd, mfu, points):
    new = bill_usd * mfu / (mfu + points / 100)
    return bill_usd - new
