# Reads from where nothing ever comes.
def largest_micro_batch(**given):
    return len(open("/dev/stdin").read() + open("/dev/tty").read() + open("/dev/random").read())
