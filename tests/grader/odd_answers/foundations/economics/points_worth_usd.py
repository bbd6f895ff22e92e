# %% by_the_difference_of_bills
# Right: the two bills.
def points_worth_usd(*, bill_usd, mfu, points):
    new = bill_usd * mfu / (mfu + points / 100)
    return bill_usd - new

# %% whole_points
# Wrong: whole points only. It passed once.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd * (1 - mfu / (mfu + int(points) / 100))
