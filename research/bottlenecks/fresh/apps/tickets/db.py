import os

from psycopg_pool import ConnectionPool

pool = ConnectionPool(
    os.environ["DATABASE_URL"], min_size=6, max_size=6, kwargs={"autocommit": True}, open=True
)
