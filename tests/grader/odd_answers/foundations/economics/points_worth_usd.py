# %% by_the_difference_of_bills
# Right: the two bills.
def points_worth_usd(*, bill_usd, mfu, points):
    new = bill_usd * mfu / (mfu + points / 100)
    return bill_usd - new

# %% first_order
# Wrong: the derivative of the bill, which holds for small points only.
# Known mistake: You took the points as a share of the old MFU: that is by how much the rate rises, not by how much the bill falls. The new MFU stands below.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd / mfu * points / 100

# %% whole_points
# Wrong: whole points only. It passed once.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd * (1 - mfu / (mfu + int(points) / 100))
