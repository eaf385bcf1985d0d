"""Spelling suggestions for search terms."""

import os

from flask import Flask, abort, request

from suggest_words import WORDS

app = Flask(__name__)


def trigrams(word):
    padded = f"  {word} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def similarity(left, right):
    union = len(left | right)
    return len(left & right) / union if union else 0.0


class Suggester:
    def __init__(self, words):
        self.words = words
        self.index = {}
        if os.environ.get("FIXED"):
            for word in words:
                for gram in trigrams(word):
                    self.index.setdefault(gram, set()).add(word)

    def candidates(self, grams):
        if not self.index:
            return self.words
        return set().union(*(self.index.get(gram, ()) for gram in grams))

    def best(self, term, count=5):
        grams = trigrams(term)
        scored = [(similarity(grams, trigrams(word)), word) for word in self.candidates(grams)]
        return [word for _, word in sorted(scored, reverse=True)[:count]]


suggester = Suggester(WORDS)


@app.get("/suggest")
def suggest():
    term = request.args.get("q", "").lower() or abort(400)
    return {"q": term, "suggestions": suggester.best(term)}
