# Starts a process in every way that Python has.
# Message: started: []
import multiprocessing
import os
import pty
import subprocess

import _posixsubprocess


def by_fork_exec():
    pipe = os.pipe()
    none = (-1,) * 6
    _posixsubprocess.fork_exec(
        [b"/bin/sleep", b"600"], [b"/bin/sleep"], True, (pipe[1],), None, None, *none, *pipe, False, False, -1, None, None, None, -1, None, False
    )


WAYS = {
    "Popen": lambda: subprocess.Popen(["/bin/sleep", "600"]),
    "system": lambda: os.system("sleep 600 &"),
    "popen": lambda: os.popen("sleep 600"),
    "spawn": lambda: os.spawnv(os.P_NOWAIT, "/bin/sleep", ["sleep", "600"]),
    "posix_spawn": lambda: os.posix_spawn("/bin/sleep", ["sleep", "600"], {}),
    "forkpty": pty.fork,
    "fork_exec": by_fork_exec,
    "multiprocessing": lambda: multiprocessing.get_context("fork").Process(target=__import__("time").sleep, args=(600,)).start(),
    "exec": lambda: os.execv("/bin/sleep", ["sleep", "600"]),
}


def largest_micro_batch(**given):
    done = []
    for name, start in WAYS.items():
        try:
            start()
            done.append(name)
        except BaseException:
            pass
    raise ValueError(f"started: {done}")
