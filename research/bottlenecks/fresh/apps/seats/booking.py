import os

from .database import pool

TAKE_SEAT = "UPDATE shows SET sold = sold + 1 WHERE id = %s RETURNING sold"
PRICE = 2500


class Booking:
    def __init__(self, payment):
        self.payment = payment

    def book(self, show):
        if os.environ.get("FIXED"):
            receipt = self.payment.charge(PRICE)
            with pool.connection() as connection:
                return self.take_seat(connection, show), receipt
        with pool.connection() as connection:
            seat = self.take_seat(connection, show)
            return seat, self.payment.charge(PRICE)

    def take_seat(self, connection, show):
        return connection.execute(TAKE_SEAT, [show]).fetchone()[0]
