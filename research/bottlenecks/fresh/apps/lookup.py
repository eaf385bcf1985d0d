"""Company data by VAT number."""

import os

import falcon
import urllib3

from lookup_vat import InvalidVat, normalize


class Registry:
    def __init__(self, url):
        self.url = url
        self.http = urllib3.PoolManager(maxsize=32)

    def company(self, vat):
        answer = self.http.request("GET", self.url, fields={"vat": vat})
        return {"vat": vat, "active": answer.json()["ok"]}


class CompanyResource:
    def __init__(self, registry):
        self.registry = registry

    def on_get(self, req, resp, vat):
        resp.media = self.registry.company(normalize(vat))


def invalid_vat(req, resp, error, params):
    raise falcon.HTTPBadRequest(title="not a VAT number", description=str(error))


app = falcon.App()
app.add_error_handler(InvalidVat, invalid_vat)
app.add_route("/companies/{vat}", CompanyResource(Registry(os.environ["OTHER"])))
