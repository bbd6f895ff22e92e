# Uses the network by a library that does it for others.
import urllib.request


def largest_micro_batch(**given):
    return len(urllib.request.urlopen("http://127.0.0.1:9", timeout=1).read())
