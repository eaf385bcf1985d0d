"""Support tickets; their numbers come from a central register."""

from flask import Flask

from .desk import TicketDesk

app = Flask(__name__)
desk = TicketDesk()


@app.get("/tickets/<queue>/new")
def new_ticket(queue):
    return {"queue": queue, "number": desk.open(queue)}
