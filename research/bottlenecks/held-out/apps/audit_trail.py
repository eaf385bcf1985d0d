"""Access rights of employees; each question leaves an entry in the audit log."""
import logging
import os
from logging.handlers import BufferingHandler

import requests
from flask import Flask, jsonify, request

RIGHTS = {"finance": ["ledger", "payroll"], "it": ["servers"], "sales": ["crm"]}
BATCH = 500 if os.environ.get("FIXED") else 1


class CollectorHandler(BufferingHandler):
    """Sends records to the log collector, `capacity` of them at a time."""

    def __init__(self, url: str, capacity: int) -> None:
        super().__init__(capacity)
        self.url = url
        self.session = requests.Session()

    def flush(self) -> None:
        with self.lock:
            if self.buffer:
                lines = "\n".join(map(self.format, self.buffer))
                self.session.post(self.url, data=lines.encode(), timeout=10)
            self.buffer.clear()


audit = logging.getLogger("audit")
audit.setLevel(logging.INFO)
audit.propagate = False
collector = CollectorHandler(os.environ["OTHER"] + "audit", capacity=BATCH)
collector.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
audit.addHandler(collector)

app = Flask(__name__)


@app.get("/departments/<department>/rights/<right>")
def has_right(department: str, right: str):
    allowed = right in RIGHTS.get(department, [])
    audit.info("%s asks for %s: %s", request.remote_addr, right, allowed)
    return jsonify(department=department, right=right, allowed=allowed)
