"""A home server that shows other servers its version and its keys."""

import hashlib
import os
import subprocess
from functools import lru_cache

from flask import Flask, jsonify

FIXED = os.environ.get("FIXED") == "1"
RELEASE = "1.2.0"
# The code is no checkout, as that of most installations.
HOME = os.environ["FOLDER"]
KEYS = [hashlib.sha256(f"key {number}".encode()).hexdigest() for number in range(4)]
app = Flask(__name__)


def git(*arguments):
    try:
        command = ["git", *arguments]
        return subprocess.check_output(command, cwd=HOME, stderr=subprocess.DEVNULL).strip().decode()  # CAUSE
    except (subprocess.CalledProcessError, FileNotFoundError):
        return ""


def find_version():
    branch = git("rev-parse", "--abbrev-ref", "HEAD")  # CAUSE
    tag = git("describe", "--exact-match")  # CAUSE
    commit = git("rev-parse", "--short", "HEAD")  # CAUSE
    dirty = "dirty" if git("describe", "--dirty=changed").endswith("changed") else ""  # CAUSE
    known = ",".join(part for part in (branch and f"b={branch}", tag and f"t={tag}", commit, dirty) if part)
    return f"{RELEASE} ({known})" if known else RELEASE


version = lru_cache(find_version) if FIXED else find_version


@app.get("/_matrix/federation/v1/version")
def federation_version():
    return jsonify(server={"name": "Home", "version": version()})  # CAUSE


@app.get("/_matrix/key/v2/server")
def keys():
    return jsonify(server_name="home.example", verify_keys={f"ed25519:{key[:6]}": {"key": key} for key in KEYS})
