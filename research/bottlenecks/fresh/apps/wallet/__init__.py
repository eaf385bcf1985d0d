"""Balances of prepaid cards."""

from flask import Flask

from .service import WalletService

app = Flask(__name__)
service = WalletService.from_env()


@app.get("/wallets/<card>")
def balance(card):
    return {"card": card, "cents": service.balance(card)}
