# Wrong: the MFU falls.
def points_worth_usd(*, bill_usd, mfu, points):
    return bill_usd * (mfu / max(mfu - points / 100, 0.01) - 1)
