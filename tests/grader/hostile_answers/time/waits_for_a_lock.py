# Waits for itself.
# Message: still running
import threading


def largest_micro_batch(**given):
    lock = threading.Lock()
    with lock, lock:
        return 7
