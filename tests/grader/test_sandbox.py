"""A function in another process: what it is called with and what comes back; and what it cannot do there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_exercises

from grader.answering import MOST_MODULES, modules_to_load
from grader.catalogue import chapter_of, find
from grader.confining import GRACE_S, Limits
from grader.errors import Stopped
from grader.exercise import Exercise
from grader.judging import judge
from grader.proxy import Allowance, AnswerProxy, CannotBeLoaded
from grader.sandbox import CHANGED, Sandbox, forked, judged
from grader.seeing import AnswerError, NotWritten
from grader.source import solution_of
from snippets.collectives.ring_and_tree.programs import run_programs
from snippets.memory.zero.programs import run_sharded_program
from snippets.simulation.machine import Exchange

LIMITS = Limits(time_s=2.0)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.fixture
def answer(sandbox: Sandbox) -> Iterator[Callable[[str], AnswerProxy]]:
    """Return what makes ``f`` of a text."""
    opened: list[AnswerProxy] = []

    def make(text: str) -> AnswerProxy:
        opened.append(sandbox.answer(text, "f"))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    home = small_exercises.make(tmp_path_factory.mktemp("sandbox"), "sandboxed")
    return chapter_of(home / "flow" / "pipes").exercises["bubble_share"]


# Calls.


def test_data_goes_there_and_comes_back(answer: Callable[[str], AnswerProxy]) -> None:
    f = answer("def f(*values, **named):\n    return values, named\n")
    inputs = [1, (2.5, Fraction(1, 3)), {"a": None}, np.arange(3), Exchange(1, [2], 3)]
    values, named = f(*inputs, x="é")
    assert repr((list(values), named)) == repr((inputs, {"x": "é"}))


def test_an_argument_that_is_changed_is_named(answer: Callable[[str], AnswerProxy]) -> None:
    f = answer("def f(a, b):\n    if b:\n        b.append(a)\n    return a\n")
    assert (f(a=1, b=[]), f.changed) == (1, "")
    assert (f(a=1, b=[2]), f.changed) == (1, "b")
    assert (f(1, [2]), f.changed) == (1, "argument 2")
    assert (f(a=1, b=[]), f.changed) == (1, "")


def test_whether_an_argument_is_changed_is_found_out_here(answer: Callable[[str], AnswerProxy]) -> None:
    """And not said by the answer's process, in which an answer can put something else into each module."""
    text = "import sys\ndef f(a):\n    sys._getframe(1).f_globals['_changed'] = lambda *all: ''\n    a[:] = []\n"
    f = answer(text)
    assert (f(a=[1, 2]), f.changed) == (None, "a")


def test_arguments_are_compared_by_what_is_in_them(answer: Callable[[str], AnswerProxy]) -> None:
    f = answer("def f(a, change):\n    if change:\n        a[-1] = change\n    return 1\n")
    for same in ([float("nan")], [{"b", "a", "c", "é"}], [(1, [2])], [Fraction(1, 3)], [len]):
        assert (f(a=list(same), change=None), f.changed) == (1, ""), same
    for before, after in ((1, 2), ((1,), [1]), ({1}, {2}), ([1], [1, 1]), (1.0, "1")):
        assert (f(a=[before], change=after), f.changed) == (1, "a"), before
    grown = answer("def f(a):\n    a += [0] * 2_000_000\n    return 1\n")
    assert (grown(a=[1]), grown.changed) == (1, "an argument")


def test_a_text_names_no_more_modules_than_there_are(answer: Callable[[str], AnswerProxy]) -> None:
    marks = "".join(f"# snippets.a{number}.{'b' * 300}\n" for number in range(20_000))
    assert answer(f"{marks}def f():\n    return 1\n")() == 1
    every = " ".join(f"snippets.{path.stem}" for path in Path("snippets").rglob("*.py"))
    assert len(modules_to_load(every)) <= MOST_MODULES


def test_a_function_among_the_arguments_is_computed_here(answer: Callable[[str], AnswerProxy]) -> None:
    f = answer("def f(g):\n    return g(1, more=g(2))\n")
    called = []

    def g(number: int, more: int = 0) -> int:
        called.append((number, more))
        if number > 5:
            raise ValueError("too large")
        return 10 * number + more

    assert f(g) == 30
    assert called == [(2, 0), (1, 20)]
    with pytest.raises(AnswerError, match="ValueError: too large"):
        answer("def f(g):\n    return g(9)\n")(g)
    assert (
        answer("def f(g):\n    try:\n        g(9)\n    except ValueError as e:\n        return str(e)\n")(g)
        == "too large"
    )


def test_what_is_raised_says_where(answer: Callable[[str], AnswerProxy]) -> None:
    with pytest.raises(AnswerError) as raised:
        answer("def g(x):\n    return 1 / x\n\n\ndef f():\n    return g(0)\n")()
    assert raised.value.text == "ZeroDivisionError: division by zero (line 2)"
    assert "line 6, in f\n    return g(0)" in raised.value.trace
    with pytest.raises(NotWritten):
        answer("def f():\n    raise NotImplementedError\n")()


def test_what_is_printed_is_kept_and_cut(answer: Callable[[str], AnswerProxy]) -> None:
    f = answer("print('here')\ndef f(n):\n    print('x' * n)\n    return n\n")
    assert (f(3), f.allowance.printed) == (3, "here\nxxx\n")
    f(9000)
    assert len(f.allowance.printed) == 4000


def test_a_program_is_stepped(answer: Callable[[str], AnswerProxy]) -> None:
    text = "def f(n):\n    total = 0\n    while n:\n        try:\n            got = yield n\n"
    text += "        except ValueError as e:\n            got = len(str(e))\n"
    f = answer(text + "        total += got\n        n -= 1\n    return total\n")
    program = f(3)
    assert isinstance(program, Generator)
    assert (next(program), program.send(10), program.throw(ValueError("four"))) == (3, 2, 1)
    with pytest.raises(StopIteration) as end:
        program.send(1)
    assert end.value.value == 15
    with pytest.raises(StopIteration):
        next(program)
    left = f(2)
    next(left)
    left.close()
    with pytest.raises(StopIteration):
        next(left)


def test_ranks_run_step_by_step(answer: Callable[[str], AnswerProxy]) -> None:
    text = "from snippets.simulation.machine import Exchange\n\n\ndef f(rank, ranks, numbers):\n"
    f = answer(text + "    got = yield Exchange((rank + 1) % ranks, numbers, (rank - 1) % ranks)\n    return got\n")

    def program(**inputs: Any) -> Any:
        return (yield from f(**inputs))

    assert run_programs(program, [[1], [2], [3]]).results == ([3], [1], [2])


def test_ranks_with_arrays_cost_what_they_cost_here(answer: Callable[[str], AnswerProxy]) -> None:
    _, exercise = find("zero1_step")
    source = solution_of(exercise)
    head = "from __future__ import annotations\nfrom snippets.simulation.machine import AllGather, ReduceScatter\n"
    f = answer(f"{head}\n\n{source}\n\nf = zero1_step\n")
    gradients = [[[1, 2, 3], [3, -2, 1]], [[0, 1, 0], [2, 2, 2]]]

    def run(function: Callable[..., Any]) -> Any:
        def program(rank: Any, step: int) -> Any:
            yield from function(rank=rank, step=step, learning_rate=0.1)

        done = run_sharded_program(program, [1, 2, 3], gradients)
        return [array.tolist() for array in done.parameters], done.first.tolist(), done.account

    assert run(f) == run(exercise.solution)


# What is loaded.

BROKEN = {
    "import no_such_module\n": "ModuleNotFoundError: No module named 'no_such_module' (line 1)",
    "def f(:\n": "f.py, line 1: invalid syntax",
    "import sys\nsys.exit(3)\n": "the program is ended by sys.exit (line 2): return a value instead",
    "f = 3\n": "f is no function",
    "raise NotImplementedError\n": "NotImplementedError when it is imported",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_text_that_cannot_be_loaded_says_why(sandbox: Sandbox, text: str) -> None:
    with pytest.raises(CannotBeLoaded) as raised:
        sandbox.answer(text, "f", "f.py")
    assert raised.value.got == BROKEN[text]


# What cannot be done: each of these is tried in a call, whose answer is then wrong, and the next one right.

REFUSED = {
    "import os\nos.fork()": "start processes",
    "import os\nos.system('true')": "start processes",
    "import subprocess\nsubprocess._fork_exec": "",
    "import _posixsubprocess\n_posixsubprocess.fork_exec()": "start processes",
    "import os\nos.kill(os.getppid(), 9)": "send signals",
    "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)": "send signals",
    "open('/tmp/answer', 'w')": "write or change files",
    "import os\nos.mkfifo('/tmp/answer')": "write or change files",
    "import os\nos.mknod('/tmp/answer')": "write or change files",
    "import os\nos.utime('/tmp')": "write or change files",
    "import os\nos.chown('/tmp', 0, 0)": "write or change files",
    "import os\nos.setxattr('/tmp', 'user.a', b'')": "write or change files",
    "import sqlite3\nsqlite3.connect('/tmp/answer')": "write or change files",
    "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)": "use the network",
    "import socket\nsocket.gethostbyname('localhost')": "use the network",
    "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_AS, (1, 1))": "change limits",
    "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)": "change limits",
    "import ctypes\nctypes.CDLL(None)": "load native code",
    "import exercises.memory": "import exercises",
    "import grader": "import grader",
    "open('README.md')": "read files",
    "open('/proc/self/environ')": "read files",
    "import os\nos.listdir('/')": "read files",
    "import gc\ngc.get_objects()": "look for other objects",
    "import sys\ndel sys.modules['posix']\nimport posix\nposix.mkfifo('/tmp/answer')": "not permitted",
}


@needs_fork
@pytest.mark.parametrize("attack", REFUSED)
def test_what_no_answer_needs_is_refused(answer: Callable[[str], AnswerProxy], attack: str) -> None:
    if "not permitted" in REFUSED[attack] and not sys.platform.startswith("linux"):
        pytest.skip("the kernel refuses it under Linux")
    body = "".join(f"    {line}\n" for line in attack.splitlines())
    f = answer(f"def f():\n{body}")
    if REFUSED[attack]:
        with pytest.raises(AnswerError, match=REFUSED[attack]):
            f()
    else:
        f()


def test_the_solution_cannot_be_read(answer: Callable[[str], AnswerProxy]) -> None:
    _, exercise = find("fewest_ranks")
    for text in (f"open({str(exercise.path)!r})", f"__import__('os').open({str(exercise.path)!r}, 0)"):
        with pytest.raises(AnswerError, match="read files"):
            answer(f"def f():\n    return {text}\n")()
    f = answer("import random\ndef f():\n    return open(random.__file__).readline()[:3]\n")
    assert f() == '"""'


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel refuses it under Linux")
def test_the_kernel_refuses_it_too(tmp_path: Path) -> None:
    """Without Python's hook, as native code would."""
    (tmp_path / "a").write_text("secret")
    program = f"""
import os, socket, sys, threading
from grader.system_calls import allow_reading, refuse_system_calls
print(refuse_system_calls())
def tried(call, *arguments):
    try:
        call(*arguments)
        print("done")
    except OSError as error:
        print(type(error).__name__)
tried(os.fork)
tried(os.kill, {os.getpid()}, 0)
tried(os.kill, os.getpid(), 0)
tried(os.open, {str(tmp_path / "b")!r}, os.O_WRONLY | os.O_CREAT)
tried(os.unlink, {str(tmp_path / "a")!r})
tried(socket.socket)
tried(open, {str(tmp_path / "a")!r})
thread = threading.Thread(target=print, args=("thread",))
thread.start()
thread.join()
if allow_reading(sys.path[1:]):
    tried(open, {str(tmp_path / "a")!r})
else:
    print("PermissionError")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    kernel, *rest = run.stdout.split()
    if kernel == "False":
        pytest.skip("this kernel has no seccomp for this processor")
    refused = "PermissionError"
    assert rest == [refused, refused, "done", refused, refused, refused, "done", "thread", refused], run


# Time, and what ends.

STOPPED = {
    "a loop": ("    while True:\n        pass\n", "still running (line "),
    "a loop that catches all": (
        "    while True:\n        try:\n            while True:\n                pass\n        except BaseException:\n"
        "            pass\n",
        "still running",
    ),
    "a loop of C": ("    sum(iter(int, 1))\n", "still running: it was stopped"),
    "a stopped process": ("    import os, signal\n    signal.raise_signal(signal.SIGSTOP)\n", "it was stopped"),
    "an exit": ("    import os\n    os._exit(3)\n", "the process ended before there was one (exit status 3)"),
    "a crash": ("    import os\n    os.abort()\n", "the process ended before there was one (killed by signal 6)"),
    "much print": ("    print('x' * 10**7)\n", "more is printed (line 2)"),
}


@pytest.mark.book
@needs_fork
@pytest.mark.parametrize("name", STOPPED)
def test_what_does_not_end_is_ended(answer: Callable[[str], AnswerProxy], name: str) -> None:
    body, said = STOPPED[name]
    f, began = answer(f"def f():\n{body}"), time.monotonic()
    for _ in range(2):  # the second time at once
        with pytest.raises(Stopped) as stopped:
            f()
        assert said in stopped.value.got
    assert time.monotonic() - began < LIMITS.time_s + GRACE_S + 30  # the rest is for a machine that is busy


@pytest.mark.book
def test_short_waits_add_up(answer: Callable[[str], AnswerProxy]) -> None:
    f = answer("import time\ndef f():\n    time.sleep(0.3)\n")

    def wait_often() -> None:
        for _ in range(20):
            f()

    with pytest.raises(Stopped, match="still running"):
        wait_often()


@pytest.mark.book
@pytest.mark.parametrize("fork", [True, False] if hasattr(os, "fork") else [False])
def test_an_exercise_is_judged_by_a_text(share: Exercise, fork: bool) -> None:
    with Sandbox(LIMITS, fork=fork) as sandbox:
        verdicts = [
            sandbox.judge(share, text, "bubble_share.py")
            for text in (small_exercises.RIGHT_SHARE, small_exercises.WRONG_SHARE, "", "import os\nos._exit(1)\n")
        ]
    assert [verdict.status for verdict in verdicts] == ["solved", "wrong", "open", "wrong"]
    assert verdicts[1].mistake == "counts_every_stage"
    assert verdicts[3].got == "the process ended before there was one (exit status 1)"


@pytest.mark.book
@needs_fork
def test_a_warm_process_that_is_killed_or_stopped_is_started_again(share: Exercise) -> None:
    with Sandbox(LIMITS) as sandbox:
        for number in (signal.SIGKILL, signal.SIGSTOP):
            assert sandbox.judge(share, small_exercises.RIGHT_SHARE, "a.py").status == "solved"
            assert sandbox._template
            sandbox._template._control.settimeout(0.5)
            os.kill(sandbox._template.process.pid, number)
        assert sandbox.judge(share, small_exercises.RIGHT_SHARE, "a.py").status == "solved"


@pytest.mark.book
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prlimit")
def test_a_limit_that_is_lowered_is_said_and_set_again(share: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an answer with native code could do it, if the kernel let it."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Sandbox(LIMITS) as sandbox:
        assert sandbox.judge(share, small_exercises.RIGHT_SHARE, "a.py").status == "solved"
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[0] - 1, before[1]))
        assert sandbox.judge(share, small_exercises.RIGHT_SHARE, "a.py").got == CHANGED
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
        assert sandbox._template
        resource.prlimit(sandbox._template.process.pid, resource.RLIMIT_AS, (2**40, 2**40))
        assert sandbox.judge(share, small_exercises.RIGHT_SHARE, "a.py").got == CHANGED
        assert sandbox.judge(share, small_exercises.RIGHT_SHARE, "a.py").status == "solved"


@pytest.mark.book
@needs_fork
def test_an_answer_ends_with_its_judge(tmp_path: Path) -> None:
    """Killed, a judge leaves no answer behind that runs on."""
    program = """
import os, sys
from grader.sandbox import Sandbox
with Sandbox() as sandbox:
    f = sandbox.answer("import os\\ndef f():\\n    return os.getpid()\\ndef g():\\n    while True: pass\\n", "f")
    print(f(), flush=True)
    sys.stdin.read()
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert run.stdout
    answers = int(run.stdout.readline())
    run.kill()
    run.communicate()
    until = time.monotonic() + 30
    while Path(f"/proc/{answers}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{answers}").exists()


@needs_fork
def test_a_function_of_this_process_is_judged_in_a_fork(share: Exercise) -> None:
    mine = [0]

    def function(*, stages: int, micro_batches: int) -> float:
        mine[0] += 1
        return (stages - 1) / (micro_batches + stages - 1)

    with forked(function, Allowance(LIMITS)) as answer:
        assert judged(share, answer, LIMITS).status == "solved"
    assert mine == [0]
    assert judge(share, function).status == "solved"


def test_what_the_judge_cannot_compare_is_wrong(share: Exercise) -> None:
    import dataclasses

    def fails(**_: Any) -> Any:
        raise RuntimeError("of the judge's own")

    broken = dataclasses.replace(share, mistakes=[dataclasses.replace(share.mistakes[0], wrong={"nowhere": ""})])
    verdict = judged(broken, lambda **_: 0.25, LIMITS)
    assert (verdict.status, verdict.expected) == ("wrong", "a result that can be compared")
