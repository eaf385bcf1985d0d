"""Asks a credit agency whether a customer may borrow."""
import os
from dataclasses import asdict, dataclass

import requests
from flask import Flask, jsonify

AGENCY = os.environ["OTHER"]

app = Flask(__name__)


@dataclass(frozen=True)
class Decision:
    customer: int
    score: int
    limit_euro: int
    approved: bool


def fetch_score(customer: int) -> int:
    response = requests.get(f"{AGENCY}scores/{customer}", timeout=15)
    response.raise_for_status()
    return response.json()["value"]


def decide(customer: int) -> Decision:
    score = fetch_score(customer)
    return Decision(customer, score, limit_euro=250 * score, approved=score >= 40)


@app.get("/customers/<int:customer>/loan")
def loan(customer: int):
    return jsonify(asdict(decide(customer)))
