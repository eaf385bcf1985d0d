"""Brochures: one sync worker; each user waits in the listen queue of the kernel until it is free."""
import time

from flask import Flask

app = Flask(__name__)


def lay_out(brochure):
    time.sleep(0.03)
    return [brochure] * 3


@app.get("/brochures/<int:brochure>")
def show(brochure):
    return {"pages": lay_out(brochure)}
