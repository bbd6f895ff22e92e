# Wrong: rounded to thousands.
def points_worth_usd(*, bill_usd, mfu, points):
    return round(bill_usd * (1 - mfu / (mfu + points / 100)), -3)
