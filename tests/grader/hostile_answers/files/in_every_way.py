# Writes to, makes, moves and removes files in every way that Python has.
# Message: done: []
import os
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import snippets

ROOT = str(Path(snippets.__path__[0]).parent)
HERE = f"{ROOT}/made-by-an-answer"
KEPT = f"{ROOT}/README.md"

WAYS = {
    "open": lambda: open(HERE, "w"),
    "append": lambda: open(KEPT, "a"),
    "os.open": lambda: os.open(HERE, os.O_CREAT | os.O_WRONLY),
    "tmpfile": lambda: os.open(ROOT, os.O_TMPFILE | os.O_RDWR),
    "tempfile": lambda: tempfile.NamedTemporaryFile(),
    "mkdir": lambda: os.mkdir(HERE),
    "mkfifo": lambda: os.mkfifo(HERE),
    "mknod": lambda: os.mknod(HERE),
    "link": lambda: os.link(KEPT, HERE),
    "symlink": lambda: os.symlink(KEPT, HERE),
    "rename": lambda: os.rename(KEPT, HERE),
    "truncate": lambda: os.truncate(KEPT, 0),
    "utime": lambda: os.utime(KEPT),
    "chmod": lambda: os.chmod(KEPT, 0),
    "chown": lambda: os.chown(KEPT, os.getuid(), os.getgid()),
    "setxattr": lambda: os.setxattr(KEPT, "user.x", b"1"),
    "remove": lambda: os.remove(KEPT),
    "sqlite3": lambda: sqlite3.connect(HERE).execute("create table x (y)"),
    "numpy.save": lambda: np.save(HERE, np.ones(1)),
    "numpy.memmap": lambda: np.memmap(HERE, np.uint8, "w+", shape=1),
    "tofile": lambda: np.ones(1).tofile(HERE),
    "/dev/shm": lambda: open("/dev/shm/made-by-an-answer", "w"),
    "terminal": lambda: open("/dev/tty", "w"),
    "own file": lambda: open(__file__, "w"),
}


def largest_micro_batch(**given):
    done = []
    for name, write in WAYS.items():
        try:
            write()
            done.append(name)
        except BaseException:
            pass
    raise ValueError(f"done: {done}")
