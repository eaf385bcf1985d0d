"""Two connections of urllib3 to another service, which would take many at once."""
import os
import urllib3
from flask import Flask
from known import FIXED

app = Flask(__name__)
pool = urllib3.PoolManager(maxsize=16 if FIXED else 2, block=True)


@app.get("/")
def show():
    return {"length": len(pool.request("GET", os.environ["OTHER"]).data)}
