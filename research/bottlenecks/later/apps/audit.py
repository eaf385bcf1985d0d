"""An audit log through a pipe: the program that reads it is slow, and the pipe is full."""
import json
import os
import subprocess
import sys

from flask import Flask

app = Flask(__name__)
PAUSE = 0 if os.environ.get("FIXED") else 0.01
READER = f"""
import os, time
while os.read(0, 4096):
    time.sleep({PAUSE})
"""
reader = subprocess.Popen([sys.executable, "-c", READER], stdin=subprocess.PIPE)
PIPE = reader.stdin.fileno()


def write_entry(entry):
    os.write(PIPE, json.dumps(entry).encode().ljust(4096))


@app.get("/accounts/<int:account>")
def account(account):
    write_entry({"account": account, "read": True})
    return {"account": account, "balance": account * 17}
