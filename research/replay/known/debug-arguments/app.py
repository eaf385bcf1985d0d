"""Balances of a portfolio, with a log of the responses of the chain."""

import json
import logging
import os

from flask import Flask, jsonify

GUARDED = os.environ.get("FIXED") == "1"
logging.basicConfig(level=logging.INFO)
log = logging.getLogger("portfolio")
app = Flask(__name__)
TOKENS = [
    {"address": f"0x{number:040x}", "symbol": f"T{number}", "decimals": 18, "balance": str(10**18 * number)}
    for number in range(600)
]


class Chain:
    """Reads balances from a node."""

    def query(self, account):
        result = {"account": account, "tokens": TOKENS}
        if GUARDED:
            if log.isEnabledFor(logging.DEBUG):
                log.debug("the node returned %s", json.dumps(result, indent=1))
        else:
            log.debug("the node returned %s", json.dumps(result, indent=1))  # CAUSE
        return result


chain = Chain()


@app.get("/balances/<account>")
def show_balances(account):
    tokens = chain.query(account)["tokens"]
    largest = sorted(tokens, key=lambda token: int(token["balance"]), reverse=True)[:20]
    return jsonify(account=account, largest=largest)
