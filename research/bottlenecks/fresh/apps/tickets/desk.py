from . import db
from .register import NumberRegister


class TicketDesk:
    def __init__(self):
        self.register = NumberRegister()

    def open(self, queue):
        with db.pool.connection() as connection:
            agent = connection.execute("SELECT 1 + length(%s)", [queue]).fetchone()[0]
            number = self.register.next()
        return f"{queue}-{agent}-{number}"
