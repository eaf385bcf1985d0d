"""Events of a bucket: what was in the foreground, and for how long."""

import os

from flask import Flask, jsonify, request

FIXED = os.environ.get("FIXED") == "1"
app = Flask(__name__)
if not FIXED:
    app.json.compact = False  # CAUSE
APPS = ["Terminal", "Browser", "Editor", "Mail"]
EVENTS = [
    {
        "id": n,
        "timestamp": f"2026-11-{n % 28 + 1:02}T{n % 24:02}:{n % 60:02}:00+00:00",
        "duration": n * 1.25,
        "data": {"app": APPS[n % 4], "title": f"window {n}", "tags": ["work", str(n)]},
    }
    for n in range(2000)
]


@app.get("/api/0/buckets/<bucket>/events")
def events(bucket):
    start = int(request.args.get("start", 0))
    limit = int(request.args.get("limit", 300))
    found = [event | {"bucket": bucket} for event in EVENTS[start : start + limit]]
    return jsonify(found)  # CAUSE


@app.get("/api/0/info")
def info():
    return jsonify(hostname="desk", version="0.13", testing=False)
