"""Assignments that both of their readers take, and those that both refuse: the terminal's and the page's."""

from __future__ import annotations

TAKEN = {
    "one": "fewest_ranks\n",
    "weights": "# week 3\nring_all_reduce 3\nzero/owners .5  # half\n\nfewest_ranks 2.\r\n",
    "deadline": "deadline 2026-12-01T18:00+01:00\nmemory/zero/owners\n",
    "utc": "owners\ndeadline 2026-12-01 17:00:00Z",
    "mark": "\ufefffewest_ranks",
}
# What each says, without the file's name and what is said after "got".
REFUSED = {
    "nothing": ("# nothing\n", "names no exercise"),
    "unknown": ("fewest_ranks\nfewest\n", "2: no exercises are called fewest"),
    "chapter": ("ring_and_tree/owners", "1: no exercises are called ring_and_tree/owners"),
    "weight": ("owners x", "1: a weight must be a number of at least 0, got"),
    "negative": ("owners -1", "1: a weight must be a number of at least 0, got"),
    "more": ("owners 1 2", "1: a line must have an exercise and at most its weight, got"),
    "no time": ("owners\ndeadline", "2: a deadline must be a time with its offset"),
    "no offset": ("deadline 2026-12-01T18:00\nowners", "1: a deadline must be a time with its offset"),
    "day": ("deadline 2026-12-01\nowners", "1: a deadline must be a time with its offset"),
    "month": ("deadline 2026-13-01T18:00Z\nowners", "1: a deadline must be a time with its offset"),
    "twice": ("deadline 2026-12-01T18:00Z\n" * 2, "2: a deadline must stand there once, got"),
}
