import os

from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

QUERY = """
    SELECT warehouse, amount
    FROM (VALUES ('north', 4), ('south', 11)) AS level (warehouse, amount),
         pg_sleep(0.025)
"""
MAX_CONNECTIONS = 16 if os.environ.get("FIXED") else 2

pool = ConnectionPool(
    os.environ["DATABASE_URL"],
    min_size=MAX_CONNECTIONS,
    max_size=MAX_CONNECTIONS,
    kwargs={"row_factory": dict_row, "autocommit": True},
    open=True,
)


class StockStore:
    def levels(self, sku):
        with pool.connection(timeout=30) as connection:
            rows = connection.execute(QUERY).fetchall()
        return {row["warehouse"]: row["amount"] for row in rows}
