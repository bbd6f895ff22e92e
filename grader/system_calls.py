"""Has Linux refuse what no answer needs, so that code which Python does not see cannot do it either.

System calls are refused by seccomp, reading of files by Landlock; where a kernel lacks one of them, nothing happens.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable

# Each with its number on x86_64 and on aarch64.
_NAMED = """
fork 57 -  vfork 58 -  execve 59 221  execveat 322 281  setsid 112 157  setpgid 109 154  ptrace 101 117
tkill 200 130  rt_sigqueueinfo 129 138  rt_tgsigqueueinfo 297 240  pidfd_open 434 434
pidfd_send_signal 424 424  setpriority 141 140  sched_setparam 142 118  sched_setscheduler 144 119
sched_setaffinity 203 122  sched_setattr 314 274  ioprio_set 251 30  setrlimit 160 164
process_vm_readv 310 270  process_vm_writev 311 271  kcmp 312 272  socket 41 198  socketpair 53 199
io_uring_setup 425 425  bpf 321 280  perf_event_open 298 241  userfaultfd 323 282  creat 85 -  unlink 87 -
unlinkat 263 35  rename 82 -  renameat 264 38  renameat2 316 276  mkdir 83 -  mkdirat 258 34  rmdir 84 -
link 86 -  linkat 265 37  symlink 88 -  symlinkat 266 36  truncate 76 45  mknod 133 -  mknodat 259 33
chmod 90 -  fchmod 91 52  fchmodat 268 53  fchmodat2 452 452  chown 92 -  fchown 93 55  lchown 94 -
fchownat 260 54  utime 132 -  utimes 235 -  futimesat 261 -  utimensat 280 88  setxattr 188 5  lsetxattr 189 6
fsetxattr 190 7  removexattr 197 14  lremovexattr 198 15  fremovexattr 199 16  openat2 437 437
open_by_handle_at 304 265  memfd_create 319 279  mq_open 240 180  shmget 29 194  semget 64 190  msgget 68 186
chroot 161 51  mount 165 40  umount2 166 39  pivot_root 155 41  unshare 272 97  setns 308 268  swapon 167 224
swapoff 168 225  reboot 169 142  sethostname 170 161  setdomainname 171 162  settimeofday 164 170
clock_settime 227 112  init_module 175 105  finit_module 313 273  delete_module 176 106  kexec_load 246 104
keyctl 250 219  add_key 248 217  quotactl 179 60  syslog 103 116  sync 162 81  vhangup 153 58  acct 163 89
"""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_SPECIAL = {  # those that are refused in some cases only
    "x86_64": {"open": 2, "openat": 257, "clone": 56, "kill": 62, "tgkill": 234, "prlimit64": 302},
    "aarch64": {"openat": 56, "clone": 220, "kill": 129, "tgkill": 131, "prlimit64": 261},
}
_CLONE3 = 435  # on every architecture
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_THREAD = 0x10000  # CLONE_THREAD

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _REFUSE, _MISSING = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where a call's data have them


def refuse_system_calls() -> bool:
    """Refuse them for this process from now on, where that is possible; return whether it is."""
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine not in _ARCHITECTURES or sys.maxsize < 2**32:
        return False
    with contextlib.suppress(Exception):
        import ctypes

        program = _program(machine)
        code = ctypes.create_string_buffer(program)
        head = ctypes.create_string_buffer(struct.pack("HP", len(program) // 8, ctypes.addressof(code)))
        control = ctypes.CDLL(None, use_errno=True).prctl
        no_new_privileges, seccomp, filtered = 38, 22, 2
        zero = ctypes.c_ulong(0)
        if control(no_new_privileges, ctypes.c_ulong(1), zero, zero, zero) == 0:
            return bool(control(seccomp, ctypes.c_ulong(filtered), ctypes.byref(head), zero, zero) == 0)
    return False


_READ_FILE, _READ_FOLDER, _EXECUTE = 4, 8, 1
_CREATE_RULES, _ADD_RULE, _RESTRICT = 444, 445, 446  # on every architecture


def allow_reading(paths: Iterable[str]) -> bool:
    """Let this process read nothing but files and folders from now on, where that is possible; return whether it is."""
    if not sys.platform.startswith("linux"):
        return False
    with contextlib.suppress(Exception):
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).syscall
        handled = struct.pack("Q", _READ_FILE | _READ_FOLDER | _EXECUTE)
        rules = call(_CREATE_RULES, handled, ctypes.c_size_t(len(handled)), 0)
        if rules < 0:
            return False
        for path in filter(os.path.exists, paths):
            allowed = _READ_FILE | _EXECUTE | (_READ_FOLDER if os.path.isdir(path) else 0)
            beneath = os.open(path, os.O_PATH)
            call(_ADD_RULE, rules, 1, struct.pack("=Qi", allowed, beneath), 0)
            os.close(beneath)
        restricted = call(_RESTRICT, rules, 0) == 0
        os.close(rules)
        return bool(restricted)
    return False


def _program(machine: str) -> bytes:
    """Return the filter, a program of the kernel's packet filter."""
    column, audited = _ARCHITECTURES[machine]
    words = _NAMED.split()
    numbers = [int(number) for number in words[1 + column :: 3] if number != "-"]
    special = _SPECIAL[machine]
    lines = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, audited), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":  # the other set of numbers, x32
        lines += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _REFUSE)]
    for number in numbers:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    lines += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _MISSING)]  # then Python takes clone
    lines += _on(special["clone"], 0, (_ANY_BIT, 1, 0, _THREAD))
    lines += _on(special["kill"], 0, (_EQUAL, 1, 0, os.getpid()))
    lines += _on(special["tgkill"], 0, (_EQUAL, 1, 0, os.getpid()))
    lines += _on(special["prlimit64"], 0, (_EQUAL, 1, 0, 0))  # of itself
    for name, place in (("open", 1), ("openat", 2)):
        if name in special:
            lines += _on(special[name], place, (_ANY_BIT, 0, 1, _WRITES))
    lines += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _on(number: int, argument: int, test: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
    """Return the lines that refuse a call unless a test of one of its arguments jumps over the refusal."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument),
        test,
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
