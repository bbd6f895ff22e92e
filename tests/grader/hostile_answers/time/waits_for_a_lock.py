# Message: still running
# Waits for itself.
import threading


def largest_micro_batch(**given):
    lock = threading.Lock()
    with lock, lock:
        return 7
