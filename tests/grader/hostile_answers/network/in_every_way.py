# Uses the network in every way that Python has.
# Message: done: []
import socket


def listening():
    server = socket.socket()
    server.listen()


def sending():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b"x"], [], 0, ("127.0.0.1", 9))


WAYS = {
    "connect": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    "bind": lambda: socket.create_server(("127.0.0.1", 0)),
    "listen": listening,
    "sendto": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "sendmsg": sending,
    "gethostbyname": lambda: socket.gethostbyname("localhost"),
    "getaddrinfo": lambda: socket.getaddrinfo("localhost", 80),
    "unix": lambda: socket.socket(socket.AF_UNIX).bind("\0made-by-an-answer"),
}


def largest_micro_batch(**given):
    done = []
    for name, use in WAYS.items():
        try:
            use()
            done.append(name)
        except PermissionError:
            pass
        except OSError:
            done.append(f"{name}, not refused")
    raise ValueError(f"done: {done}")
