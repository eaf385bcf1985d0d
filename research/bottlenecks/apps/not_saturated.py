"""Some CPU and some waiting, at a rate that it takes with ease."""
import time
from flask import Flask

app = Flask(__name__)


@app.get("/")
def show():
    time.sleep(0.01)
    return {"total": sum(range(20_000))}
