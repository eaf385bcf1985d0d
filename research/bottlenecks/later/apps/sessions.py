"""Sessions with cycles: somebody collects the garbage in each request, and the heap is large."""
import gc
import os

from flask import Flask

app = Flask(__name__)
history = [{"user": number, "pages": [number]} for number in range(150_000)]


def forget(session):
    session["self"] = session
    if not os.environ.get("FIXED"):
        gc.collect()


@app.get("/sessions/<int:user>")
def session(user):
    session = {"user": user, "pages": history[user]["pages"]}
    answer = {"user": user, "pages": list(session["pages"])}
    forget(session)
    return answer
