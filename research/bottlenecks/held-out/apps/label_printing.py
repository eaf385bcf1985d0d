"""Prints parcel labels: requests put jobs on a queue, threads send them to the print server."""
import os
import queue
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field

import requests
from flask import Flask, jsonify

PRINT_SERVER = os.environ["OTHER"]
PRINTER_THREADS = 16 if os.environ.get("FIXED") else 2

app = Flask(__name__)
jobs: "queue.Queue[PrintJob]" = queue.Queue()


@dataclass
class PrintJob:
    parcel: int
    done: Future = field(default_factory=Future)


def render_label(parcel: int) -> str:
    return "\n".join(["^XA", f"^FO50,50^ADN,36,20^FDPARCEL {parcel:09}^FS", "^XZ"])


def print_labels() -> None:
    session = requests.Session()
    while True:
        job = jobs.get()
        try:
            response = session.post(
                f"{PRINT_SERVER}print", data=render_label(job.parcel), timeout=10
            )
            job.done.set_result(response.json()["status"])
        except Exception as error:
            job.done.set_exception(error)
        finally:
            jobs.task_done()


for number in range(PRINTER_THREADS):
    threading.Thread(target=print_labels, name=f"printer-{number}", daemon=True).start()


@app.get("/parcels/<int:parcel>/label")
def print_label(parcel: int):
    job = PrintJob(parcel)
    jobs.put(job)
    return jsonify(parcel=parcel, status=job.done.result(timeout=60))
