# Ignores every signal that can be ignored, and goes on for ever.
# Message: still running
import signal

for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
signal.setitimer(signal.ITIMER_REAL, 0)


def largest_micro_batch(**given):
    while True:
        pass
