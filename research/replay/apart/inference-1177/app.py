"""API in front of a manager of video pipelines: asks it over a socket, and passes the answer on."""

import json
import os
import socket
import threading

from fastapi import FastAPI

FIXED = os.environ.get("FIXED") == "1"
HEADER, BUFFER = 4, 4096
PATH = os.path.join(os.environ["FOLDER"], "manager.sock")
RESULTS = [{"pipeline": n % 8, "frame": n, "mask": "0123456789abcdef" * 60} for n in range(700)]
ANSWER = json.dumps({"status": "success", "results": RESULTS}).encode()


def manage(listening):
    """Stands for the manager: it gives the same answer to each command"""
    while True:
        connection, _ = listening.accept()
        with connection:
            connection.recv(HEADER)
            connection.sendall(len(ANSWER).to_bytes(HEADER, "big") + ANSWER)


listening = socket.socket(socket.AF_UNIX)
listening.bind(PATH)
listening.listen(64)
threading.Thread(target=manage, args=(listening,), daemon=True).start()


def receive(source):
    size = int.from_bytes(source.recv(HEADER), "big")
    if FIXED:
        received = bytearray()
        while len(received) < size:
            received.extend(source.recv(BUFFER))
        return received
    received = b""
    while len(received) < size:
        received += source.recv(BUFFER)  # CAUSE
    return received


def ask(command):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(PATH)
        connection.sendall(command.encode()[:HEADER])
        return receive(connection)


app = FastAPI()


@app.get("/pipelines/results")
def results():
    found = ask("list")
    return {"bytes": len(found), "start": found[:21].decode()}


@app.get("/health")
def health():
    return {"ready": True}
