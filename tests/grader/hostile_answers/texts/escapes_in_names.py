# Controls of a terminal in the name of a class, a key and a text.
Escape = type("\x1b[2JValueError", (Exception,), {})


def largest_micro_batch(**given):
    if given["memory_bytes"] % 2:
        return "\x1b[2J"
    raise Escape("\x1b[2J")
