# Wrong: the derivative of the bill, which holds for small points only.
# Known mistake: You took the points as a share of the old MFU: that is by how much the rate rises, not by how much the bill falls. The new MFU stands below.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd / mfu * points / 100
