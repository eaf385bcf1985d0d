"""Thumbnails: a pool of two processes makes them, for twelve threads."""
import os
import time
from concurrent.futures import ProcessPoolExecutor

from flask import Flask

app = Flask(__name__)
SIZE = 12 if os.environ.get("FIXED") else 2
pool = ProcessPoolExecutor(SIZE)


def shrink(picture):
    time.sleep(0.04)
    return picture // 4


@app.get("/pictures/<int:picture>/small")
def thumbnail(picture):
    return {"picture": picture, "bytes": pool.submit(shrink, picture).result()}
