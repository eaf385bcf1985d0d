"""Exports of reports: a thread makes each file, and the request looks four times a second whether it is ready."""
import os
import threading
import time
import uuid

from flask import Flask

app = Flask(__name__)
ready = {}


def make_report(job):
    time.sleep(0.04)
    ready[job].set()


def wait_for_job(job):
    if os.environ.get("FIXED"):
        ready[job].wait(5)
    while not ready[job].is_set():
        time.sleep(0.25)


@app.get("/exports")
def export():
    job = uuid.uuid4().hex
    ready[job] = threading.Event()
    threading.Thread(target=make_report, args=[job]).start()
    wait_for_job(job)
    del ready[job]
    return {"job": job}
