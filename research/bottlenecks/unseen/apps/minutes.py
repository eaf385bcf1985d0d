"""Minutes of meetings: fetched from an archive, then their words are counted, in eight threads of one process."""
import os

import requests
from bottle import Bottle

app = Bottle()
archive = requests.Session()
archive.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=16))
PHRASE = "the board agreed that the budget of the harbour is due in spring "


def fetch(meeting):
    values = archive.get(os.environ["OTHER"], params={"meeting": meeting}).json()["values"]
    return PHRASE * (400 * len(values))


def count_pairs(text):
    counts = {}
    before = None
    for word in text.split():
        key = (before, word)
        counts[key] = counts.get(key, 0) + 1
        before = word
    return counts


@app.get("/meetings/<meeting:int>/pairs")
def pairs(meeting):
    counts = count_pairs(fetch(meeting))
    top = sorted(counts.items(), key=lambda item: -item[1])[:3]
    return {"meeting": meeting, "pairs": [[list(pair), count] for pair, count in top]}
