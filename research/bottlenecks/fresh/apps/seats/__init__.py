"""Sells seats of a theatre."""

from flask import Flask

from .booking import Booking
from .payment import Payment

app = Flask(__name__)
booking = Booking(Payment())


@app.get("/shows/<int:show>/book")
def book(show):
    seat, receipt = booking.book(show)
    return {"show": show, "seat": seat, "receipt": receipt}
