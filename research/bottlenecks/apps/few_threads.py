"""Two threads, and requests that wait 50 ms for what has no limit; the server's command is the fix."""
import time
from flask import Flask

app = Flask(__name__)


@app.get("/")
def wait():
    time.sleep(0.05)
    return {"ok": True}
