"""Occurrences of species, each with what the user may do with it."""

import os
import sqlite3
from pathlib import Path

from fastapi import FastAPI, Request

FIXED = os.environ.get("FIXED") == "1"
FILE = Path(os.environ["FOLDER"]) / "occurrences.sqlite"
connection = sqlite3.connect(FILE, check_same_thread=False)
connection.executescript(
    "CREATE TABLE occurrence (id INTEGER PRIMARY KEY, species TEXT, project INTEGER);"
    "CREATE TABLE permission (project INTEGER, person TEXT, name TEXT);"
    "CREATE INDEX person_project ON permission (person, project);"
)
connection.executemany(
    "INSERT INTO occurrence (species, project) VALUES (?, ?)", [(f"species {n % 90}", n % 2) for n in range(600)]
)
connection.executemany(
    "INSERT INTO permission VALUES (?, ?, ?)",
    [(n % 4, f"person {n % 25}", name) for n in range(100) for name in ("view", "change", "identify", "delete")],
)
connection.commit()
app = FastAPI()


class Permissions:
    """What one person may do, by project."""

    def __init__(self, person):
        self.person = person
        self.known = {}

    def of(self, project):
        if not FIXED or project not in self.known:
            query = "SELECT name FROM permission WHERE person = ? AND project = ?"
            rows = connection.execute(query, (self.person, project)).fetchall()  # CAUSE
            self.known[project] = sorted(name for (name,) in rows)
        return self.known[project]


@app.get("/occurrences")
async def occurrences(request: Request, offset: int = 0):
    may = Permissions(request.headers.get("x-person", "person 1"))
    query = "SELECT id, species, project FROM occurrence ORDER BY id LIMIT 120 OFFSET ?"
    rows = connection.execute(query, (offset,)).fetchall()
    return [{"id": id, "species": species, "may": may.of(project)} for id, species, project in rows]


@app.get("/occurrences/{number}")
async def occurrence(number: int):
    row = connection.execute("SELECT species FROM occurrence WHERE id = ?", (number,)).fetchone()
    return {"id": number, "species": row and row[0]}
