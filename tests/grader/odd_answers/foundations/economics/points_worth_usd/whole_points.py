# Wrong: whole points only.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd * (1 - mfu / (mfu + int(points) / 100))
