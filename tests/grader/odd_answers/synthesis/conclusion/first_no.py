# %% shares
# Right: as shares, in fractions, from a table of questions.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    from fractions import Fraction as F

    step = work_ms + again_ms + bubble_ms + exposed_ms
    most = F(tolerated_percent, 100)
    questions = {
        "memory": F(held_mb, limit_mb) > 1,
        "compute": F(again_ms + bubble_ms, step) > most,
        "communication": F(exposed_ms, step) > most,
    }
    return next((name for name, no in questions.items() if no), "none")


# %% compares_what_is_left
# Wrong: tolerates the loss as a share of the work, not of the step.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    if held_mb > limit_mb:
        return "memory"
    if 100 * (again_ms + bubble_ms) > tolerated_percent * (work_ms + again_ms + bubble_ms):
        return "compute"
    if 100 * exposed_ms > tolerated_percent * (work_ms + again_ms + bubble_ms + exposed_ms):
        return "communication"
    return "none"


# %% each_loss_alone
# Wrong: what is made again and the bubble are compared one by one.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    step = work_ms + again_ms + bubble_ms + exposed_ms
    if held_mb > limit_mb:
        return "memory"
    if 100 * max(again_ms, bubble_ms) > tolerated_percent * step:
        return "compute"
    return "communication" if 100 * exposed_ms > tolerated_percent * step else "none"


# %% whole_percent
# Wrong: rounds a loss to a whole percent.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    step = work_ms + again_ms + bubble_ms + exposed_ms
    if held_mb > limit_mb:
        return "memory"
    if round(100 * (again_ms + bubble_ms) / step) > tolerated_percent:
        return "compute"
    return "communication" if round(100 * exposed_ms / step) > tolerated_percent else "none"


# %% floors_the_waiting
# Wrong: whole percents of waiting, rounded down.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    step = work_ms + again_ms + bubble_ms + exposed_ms
    if held_mb > limit_mb:
        return "memory"
    if 100 * (again_ms + bubble_ms) > tolerated_percent * step:
        return "compute"
    return "communication" if 100 * exposed_ms // step > tolerated_percent else "none"


# %% zero_is_ten
# Wrong: takes 0 percent as not given.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    step = work_ms + again_ms + bubble_ms + exposed_ms
    if held_mb > limit_mb:
        return "memory"
    most = (tolerated_percent or 10) * step
    if 100 * (again_ms + bubble_ms) > most:
        return "compute"
    return "communication" if 100 * exposed_ms > most else "none"


# %% floats
# Wrong: 7 of 100 are a little more than 7 percent as floats.
def first_no(held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent):
    step = work_ms + again_ms + bubble_ms + exposed_ms
    if held_mb > limit_mb:
        return "memory"
    if (again_ms + bubble_ms) / step * 100 > tolerated_percent:
        return "compute"
    return "communication" if exposed_ms / step * 100 > tolerated_percent else "none"
