"""As cpu_sync, with eight threads in one process: the GIL lets one of them run."""
from flask import Flask
from known import FIXED

app = Flask(__name__)


def calculate():
    total = 0
    for number in range(150_000 if FIXED else 300_000):
        total += number * number
    return total


@app.get("/")
def show():
    return {"total": calculate()}
