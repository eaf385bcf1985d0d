"""An index of files: pages of 75 rows, each with links to its details, its group, its owner and its download."""

import os
from functools import lru_cache

from flask import Flask, render_template, request, url_for
from jinja2 import DictLoader

FIXED = os.environ.get("FIXED") == "1"
GROUPS = ["anime", "audio", "literature", "pictures", "software"]
FILES = [
    {"id": number, "name": f"Release {number}", "group": number % 5, "owner": f"user{number % 12}", "size": number * 37 % 900}
    for number in range(600)
]
PAGE = """<!doctype html><title>Files</title><table>
{% for row in rows %}<tr>
<td><a href="{{ row.group_url }}">{{ row.group }}</a>
<td><a href="{{ row.view }}">{{ row.name }}</a> <td><a href="{{ row.owner_url }}">{{ row.owner }}</a>
<td><a href="{{ row.download }}">torrent</a> <td>{{ row.size }} MiB
{% endfor %}</table>"""

VIEW = "<!doctype html><h1>{{ file.name }}</h1>{{ file.size }} MiB"

app = Flask(__name__)
app.jinja_loader = DictLoader({"page": PAGE, "view": VIEW})
link = lru_cache(maxsize=4096)(url_for) if FIXED else url_for


def with_links(file):
    return {
        "name": file["name"],
        "group": GROUPS[file["group"]],
        "owner": file["owner"],
        "size": file["size"],
        "view": link("view", number=file["id"]),  # CAUSE
        "download": link("download", number=file["id"]),  # CAUSE
        "group_url": link("home", c=f"{file['group']}_0"),  # CAUSE
        "owner_url": link("user", name=file["owner"]),  # CAUSE
    }


@app.get("/")
def home():
    group, page = request.args.get("c"), request.args.get("p", 1, int)
    files = [file for file in FILES if group is None or f"{file['group']}_0" == group]
    return render_template("page", rows=[with_links(file) for file in files[75 * (page - 1) : 75 * page]])


@app.get("/view/<int:number>")
def view(number):
    return render_template("view", file=FILES[number])


@app.get("/view/<int:number>/torrent")
def download(number):
    return FILES[number]["name"].encode()


@app.get("/user/<name>")
def user(name):
    return {"name": name, "files": sum(file["owner"] == name for file in FILES)}
