"""Empties the queue of the demo, and waits until nothing is in it any more."""

import json
import sys
import time
import urllib.request

tasks = sys.argv[1]
urllib.request.urlopen(urllib.request.Request(tasks, method="DELETE"), timeout=30).close()
deadline = time.monotonic() + 30
while True:
    with urllib.request.urlopen(f"{tasks}/stats", timeout=30) as answer:
        queued = json.load(answer)["queued"]
    if queued == 0:
        break
    if time.monotonic() > deadline:
        sys.exit(f"{queued} tasks are still queued after 30 s")
    time.sleep(0.2)
