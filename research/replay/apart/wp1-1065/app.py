"""Ratings of articles: a reader asks for any article of a project."""

import os
import random
import sqlite3

from flask import Flask, jsonify

FIXED = os.environ.get("FIXED") == "1"
PATH = os.path.join(os.environ["FOLDER"], "ratings.sqlite")
QUALITIES = ["FA-Class", "B-Class", "C-Class", "Stub-Class"]
app = Flask(__name__)

with sqlite3.connect(PATH) as setup:
    setup.execute("CREATE TABLE ratings (project TEXT, article TEXT, quality TEXT, importance TEXT)")
    setup.executemany(
        "INSERT INTO ratings VALUES (?, ?, ?, ?)",
        [(f"project {n % 4}", f"Article {n}", QUALITIES[n % 3 + n % 2], "Mid-Class") for n in range(20000)],
    )
    setup.execute("CREATE INDEX by_project ON ratings (project)")
database = sqlite3.connect(PATH, check_same_thread=False)


def random_article(project):
    cursor = database.cursor()
    if FIXED:
        number = cursor.execute("SELECT COUNT(*) FROM ratings WHERE project = ?", (project,)).fetchone()[0]
        query = "SELECT article, quality FROM ratings WHERE project = ? LIMIT 1 OFFSET ?"
        return cursor.execute(query, (project, random.randrange(number))).fetchone()
    query = "SELECT article, quality FROM ratings WHERE project = ? ORDER BY RANDOM() LIMIT 1"
    return cursor.execute(query, (project,)).fetchone()  # CAUSE


@app.get("/v1/projects/<int:number>/articles/random")
def any_article(number):
    article, quality = random_article(f"project {number}")
    return jsonify(article=article, quality=quality)


@app.get("/v1/projects")
def projects():
    return jsonify(projects=[f"project {number}" for number in range(4)])
