"""Building permits: a resource of Falcon that asks the land register; waitress gives it threads."""
import http.client
import json
import os
from urllib.parse import urlsplit

import falcon


class LandRegister:
    def __init__(self, url):
        self.address = urlsplit(url).netloc

    def owners(self, plot):
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request("GET", f"/?plot={plot}")
            return json.loads(connection.getresponse().read())["values"]
        finally:
            connection.close()


class Permit:
    def __init__(self, register):
        self.register = register

    def on_get(self, req, resp, plot):
        resp.media = {"plot": plot, "owners": self.register.owners(plot)}


app = falcon.App()
app.add_route("/plots/{plot:int}/permit", Permit(LandRegister(os.environ["OTHER"])))
