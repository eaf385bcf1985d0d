import os

from psycopg_pool import ConnectionPool

SCHEMA = """
    CREATE TABLE IF NOT EXISTS shows (id int PRIMARY KEY, sold int NOT NULL);
    INSERT INTO shows VALUES (1, 0), (2, 0) ON CONFLICT DO NOTHING;
"""


def configure(connection):
    connection.execute("SET synchronous_commit TO off")
    connection.commit()


pool = ConnectionPool(
    os.environ["DATABASE_URL"], min_size=16, max_size=16, configure=configure, open=True
)
with pool.connection() as first:
    first.execute(SCHEMA)
