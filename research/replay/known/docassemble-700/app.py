"""A guided interview: its text asks for variables by name, which are looked up in the code that calls."""

import inspect
import os
import sys

from flask import Flask, jsonify, render_template_string, request

FIXED = os.environ.get("FIXED") == "1"
PAGE = """
<h1>{{ title }}</h1>
{% for line in lines %}<p>{{ line }}</p>{% endfor %}
"""
QUESTIONS = ["name", "street", "town", "rent", "landlord", "notice", "reason", "hearing"]

app = Flask(__name__)


def caller():
    if FIXED:
        return sys._getframe(2)
    return inspect.stack()[2][0]  # CAUSE


def defined(name):
    frame = caller()
    while frame:
        if name in frame.f_locals.get("answers", {}):
            return True
        frame = frame.f_back
    return False


def value(name):
    frame = caller()
    while frame:
        if name in frame.f_locals.get("answers", {}):
            return frame.f_locals["answers"][name]
        frame = frame.f_back
    return None


def lines_for(answers):
    for question in QUESTIONS[:4]:
        yield f"{question}: {value(question)}" if defined(question) else f"What is your {question}?"


@app.get("/interview")
def interview():
    answers = dict(request.args)
    return render_template_string(PAGE, title="Eviction", lines=list(lines_for(answers)))


@app.get("/api/session/question")
def question():
    answers = dict(request.args)
    missing = [name for name in QUESTIONS[:3] if not defined(name)]
    return jsonify(question=missing[0] if missing else None, answered=len(answers))
