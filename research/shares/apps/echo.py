"""Round trips over a socket to a process beside (SHARES_ECHO_PORT), and a loop."""

import os
import socket

PARTS = ["ask_echo", "loop"]
_free = []


def _connect():
    connection = socket.create_connection(("127.0.0.1", int(os.environ["SHARES_ECHO_PORT"])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ask_echo():
    connection = _free.pop() if _free else _connect()
    for _ in range(25):
        connection.sendall(b"0123456789" * 10)
        got = 0
        while got < 100:
            got += len(connection.recv(200))
    _free.append(connection)


def loop():
    n = 0
    for i in range(20_000):
        n += i * i
    return n


def request():
    ask_echo()
    loop()
