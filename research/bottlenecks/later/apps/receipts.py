"""Numbers of receipts without a gap: a file holds the last one, and flock keeps the workers apart."""
import contextlib
import fcntl
import os
import pathlib
import tempfile
import time

from flask import Flask

app = Flask(__name__)
FOLDER = pathlib.Path(tempfile.gettempdir()) / f"receipts-{os.getppid()}"
FOLDER.mkdir(exist_ok=True)


@contextlib.contextmanager
def series_of(till):
    name = till if os.environ.get("FIXED") else "all"
    with open(FOLDER / f"{name}.txt", "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def next_number(till):
    with series_of(till) as file:
        file.seek(0)
        number = int(file.read() or 0) + 1
        file.truncate(0)
        file.write(str(number))
        file.flush()
        time.sleep(0.02)
    return number


count = iter(range(10**9))


@app.get("/receipts")
def receipt():
    till = f"{os.getpid()}-{next(count) % 16}"
    return {"till": till, "number": next_number(till)}
