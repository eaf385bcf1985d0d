"""Stock levels per warehouse."""

import falcon

from stock_store import StockStore


class JsonErrors:
    def process_response(self, req, resp, resource, req_succeeded):
        resp.set_header("Cache-Control", "no-store")
        if not req_succeeded and resp.media is None:
            resp.media = {"error": resp.status}


class LevelResource:
    def __init__(self, store):
        self.store = store

    def on_get(self, req, resp, sku):
        levels = self.store.levels(sku)
        if not levels:
            raise falcon.HTTPNotFound()
        resp.media = {"sku": sku, "levels": levels}


app = falcon.App(middleware=[JsonErrors()])
app.add_route("/stock/{sku}", LevelResource(StockStore()))
