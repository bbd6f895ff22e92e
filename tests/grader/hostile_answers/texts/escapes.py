# Controls of a terminal, in what is raised and printed.
def largest_micro_batch(**given):
    print("\x1b[2J\x1b]0;title\x07\x9b2J")
    raise ValueError("\x1b[2J\x1b[31mred\x07\r\x9b2J \u202egnp.exe")
