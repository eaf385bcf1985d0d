"""Explain the most expensive SELECT statements of a run. Their values are unknown.

python -I -B explain.py load/calls.ndjson [analyze]; EXPLAIN_DATABASE_URL has the address of the database. Prints one
line of JSON per statement (`Plan` in lib/facts/calls.d.ts). Writes nothing to the database: each statement runs in its
own read-only transaction, for at most five seconds. Needs Python 3.8 or newer and the app's driver or psql.
"""

import json
import os
import re
import subprocess
import sys
from urllib.parse import parse_qsl, unquote, urlsplit

MOST_STATEMENTS = 5
TIMEOUT_MS = 5000
# rows, as the database estimates them; a full scan of a smaller table is as fast as an index
LARGE_TABLE = 10_000
# the first version with plan_cache_mode
LEAST_POSTGRESQL = 120000
# the companion cuts statements at this length
LONGEST = 1000
MOST_STEPS = 60
SYSTEMS = {"postgres": "postgresql", "postgresql": "postgresql", "sqlite": "sqlite"}
# (column = …), (t.column >= …), ((column)::text = …), (column = ANY …), but not lower(column) = …
COMPARED = re.compile(
    r'(?<![\w.(:])\(*(?:"?(\w+)"?\.)?"?(\w+)"?\)*(?:::[\w ]+?)?\)* *(=|<=|>=|<|>|\bIN\b|\bBETWEEN\b)', re.IGNORECASE
)


class Refused(Exception):
    """Why a statement has no plan: an id in lib/text, and the message of the database."""

    def __init__(self, why, reason=""):
        super().__init__(why)
        self.why, self.reason = why, str(reason).strip()[:500]


def read_statements(file, system):
    """Return names and milliseconds of the statements that took the most time."""
    names, spent = {}, {}
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            try:
                record = json.loads(line)
                if record["kind"] == "call-named":
                    names[record["id"]] = record["call"]
                elif record["kind"] == "calls":
                    for call in record["calls"]:
                        spent[call[0]] = spent.get(call[0], 0) + call[3]
            except (ValueError, KeyError, TypeError, IndexError):
                continue  # an incomplete line
    chosen = [
        {"id": id, "ms": us / 1000, **{key: names[id].get(key) for key in ("text", "file", "line", "function")}}
        for id, us in sorted(spent.items(), key=lambda entry: -entry[1])
        if is_select(names.get(id), system)
    ]
    return chosen[:MOST_STATEMENTS]


def is_select(call, system):
    if not call or call.get("kind") != "sql" or call.get("system") not in (system, None):
        return False
    return re.match(r"\(*\s*(?:SELECT|WITH)\b", call.get("text") or "", re.IGNORECASE) is not None


def is_plain(text):
    """A response header can hold any text. One without values needs neither strings nor a second statement."""
    return re.search(r"[;'$\\\0]|/\*|--", text) is None


def is_cut(text):
    return text.endswith("...") or len(text) >= LONGEST


class Sqlite:
    def __init__(self, url):
        import sqlite3

        # sqlite:///relative.db, sqlite:////absolute.db
        path = unquote(re.sub(r"^\w+(?:\+\w+)?:/{2,3}", "", url).split("?")[0])
        if not os.path.isfile(path):
            raise Refused("connect", "there is no such file")
        self.connection = sqlite3.connect("file:%s?mode=ro" % os.path.abspath(path), uri=True, timeout=TIMEOUT_MS / 1000)

    def explain(self, text, analyze):
        rows = self.connection.execute("EXPLAIN QUERY PLAN " + text, [None] * text.count("?")).fetchall()
        depth = {0: -1}
        steps = []
        for id, parent, _, step in rows:
            depth[id] = depth.get(parent, -1) + 1
            steps.append("  " * depth[id] + step)
        scans = [self.describe(step.split()[1], text) for *_, step in rows if is_whole_scan(step)]
        return {"steps": steps, "scans": [scan for scan in scans if scan], "ran": False}

    def describe(self, name, text):
        """`name` may be the table's alias."""
        known = [table for (table,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        named = r'"?\b(%s)\b"? +(?:AS +)?"?%s\b' % ("|".join(map(re.escape, known)), re.escape(name))
        alias = re.search(named, text, re.IGNORECASE)
        table = name if name in known else alias and alias[1]
        where = re.search(r"\bWHERE\b(.*?)(?:\b(?:GROUP|ORDER|LIMIT)\b|$)", text, re.IGNORECASE)
        if not table or not where:
            return None
        (rows,) = self.connection.execute('SELECT max(rowid) FROM "%s"' % table).fetchone()
        own = [row[1] for row in self.connection.execute('PRAGMA table_info("%s")' % table)]
        compared = find_columns(where[1], own, {name, table})
        return describe_scan(table, rows or 0, where[1].strip(), compared, self.list_indexed(table))

    def list_indexed(self, table):
        indexes = [row[1] for row in self.connection.execute('PRAGMA index_list("%s")' % table)]
        firsts = [self.connection.execute('PRAGMA index_info("%s")' % index).fetchone() for index in indexes]
        return {first[2] for first in firsts if first}


def is_whole_scan(step):
    return re.match(r"SCAN (?!SUBQUERY|CONSTANT|\()\S+", step) is not None and " INDEX " not in step


class Postgresql:
    def __init__(self, url):
        self.run, self.count = find_client(url), 0
        (version,) = self.run("SHOW server_version_num")[0]
        if int(version) < LEAST_POSTGRESQL:
            raise Refused("old", "PostgreSQL %d" % (int(version) // 10000))

    def explain(self, text, analyze):
        self.count += 1
        numbers = ["$%d" % (at + 1) for at in range(text.count("?"))]
        name = "loadflame_%d" % self.count
        prepare = "PREPARE %s AS %s" % (name, "%s".join(text.replace("%", "%%").split("?")) % tuple(numbers))
        # Running a statement needs values. A generic plan is the same for all values, so NULL will do.
        runs = analyze and not numbers
        values = "(%s)" % ", ".join(["NULL"] * len(numbers)) if numbers else ""
        options = "VERBOSE, FORMAT JSON" + (", ANALYZE" if runs else "")
        (found,) = self.run("EXPLAIN (%s) EXECUTE %s%s" % (options, name, values), prepare)[0]
        plan = json.loads(found) if isinstance(found, str) else found
        steps, scans = [], []
        self.walk(plan[0]["Plan"], 0, steps, scans)
        return {"steps": steps[:MOST_STEPS], "scans": scans, "ran": runs}

    def walk(self, node, depth, steps, scans):
        at = node.get("Relation Name") or node.get("Index Name") or ""
        name = "%s%s" % (node["Node Type"], " on %s" % at if at else "")
        index = " with %s" % node["Index Name"] if at and node.get("Index Name") not in (None, at) else ""
        took = ", %s ms" % node["Actual Total Time"] if "Actual Total Time" in node else ""
        rows = node.get("Actual Rows", node["Plan Rows"])
        steps.append("%s%s%s: %d rows, cost %.0f%s" % ("  " * depth, name, index, rows, node["Total Cost"], took))
        conditions = [node[key] for key in ("Index Cond", "Hash Cond", "Merge Cond", "Filter") if key in node]
        steps.extend("  " * depth + "  " + condition for condition in conditions)
        if node["Node Type"] == "Seq Scan" and "Filter" in node:
            scans.extend(self.describe(node))
        for inner in node.get("Plans", []):
            self.walk(inner, depth + 1, steps, scans)

    def describe(self, node):
        table = "%s.%s" % (quote(node.get("Schema", "public")), quote(node["Relation Name"]))
        oid = "'%s'::regclass" % table.replace("'", "''")
        ((rows,),) = self.run("SELECT reltuples::bigint FROM pg_class WHERE oid = %s" % oid)
        own = self.run("SELECT attname FROM pg_attribute WHERE attrelid = %s AND attnum > 0" % oid)
        first = self.run(
            "SELECT a.attname FROM pg_index i JOIN pg_attribute a"
            " ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indrelid = %s" % oid
        )
        names = {node["Relation Name"], node.get("Alias")}
        compared = find_columns(node["Filter"], [name for (name,) in own], names)
        scan = describe_scan(node["Relation Name"], int(rows), node["Filter"], compared, {name for (name,) in first})
        return [scan] if scan else []


def quote(name):
    return '"%s"' % name.replace('"', '""')


def find_client(url):
    """Return a function that runs a statement, optionally after another, and returns its rows: app's driver or psql."""
    settings = "-c statement_timeout=%d -c default_transaction_read_only=on" % TIMEOUT_MS
    settings += " -c plan_cache_mode=force_generic_plan"
    for module in ("psycopg", "psycopg2"):
        try:
            driver = __import__(module)
        except ImportError:
            continue
        try:
            connection = driver.connect(url, options=settings, connect_timeout=TIMEOUT_MS // 1000)
        except Exception as error:
            raise Refused("connect", error)

        def run(statement, before=None):
            try:
                cursor = connection.cursor()
                if before:
                    cursor.execute(before)
                cursor.execute(statement)
                return cursor.fetchall()
            finally:
                connection.rollback()

        return run
    return find_psql(url, settings)


def find_psql(url, settings):
    parts = urlsplit(url)
    given = {
        **{"PGHOST": parts.hostname, "PGPORT": parts.port, "PGDATABASE": parts.path.lstrip("/")},
        **{"PGUSER": parts.username, "PGPASSWORD": parts.password},
        **{"PG" + name.upper(): value for name, value in parse_qsl(parts.query) if name in ("host", "port", "sslmode")},
    }
    env = {name: unquote(str(value)) for name, value in given.items() if value}
    env.update(PATH=os.environ.get("PATH", ""), PGOPTIONS=settings, PGCONNECT_TIMEOUT=str(TIMEOUT_MS // 1000))

    def run(statement, before=None):
        # rows as JSON, so that no text can be mistaken for two columns
        plain = statement.startswith(("EXPLAIN", "SHOW"))
        asked = statement if plain else "SELECT json_agg(t) FROM (%s) t" % statement
        asked = "%s;\n%s" % (before, asked) if before else asked
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-"]
        try:
            done = subprocess.run(command, input=asked, env=env, timeout=30, capture_output=True, text=True)
        except FileNotFoundError:
            raise Refused("driver")
        except subprocess.TimeoutExpired:
            raise Refused("connect", "no reply within 30 s")
        if done.returncode != 0:
            raise Refused("connect" if done.returncode == 2 else "failed", done.stderr)
        if plain:
            return [(done.stdout.strip(),)]
        return [tuple(row.values()) for row in json.loads(done.stdout.strip() or "[]")]

    return run


def find_columns(condition, own, names):
    """Return the columns of a table that a condition compares: equality first, as in a good index."""
    found = [
        (operator.upper() not in ("=", "IN"), column)
        for qualifier, column, operator in COMPARED.findall(condition)
        if column in own and qualifier in ("", *names)
    ]
    return list(dict.fromkeys(column for _, column in sorted(found, key=lambda entry: entry[0])))


def describe_scan(table, rows, condition, compared, indexed):
    if rows < LARGE_TABLE:
        return None
    has_index = bool(compared) and compared[0] in indexed
    return {"table": table, "rows": rows, "condition": condition[:300], "columns": compared[:3], "isIndexed": has_index}


def explain_all(file, url, analyze):
    scheme = url.split(":")[0].split("+")[0].lower()
    system = SYSTEMS.get(scheme)
    if system is None:
        raise Refused("system", scheme[:20])
    statements = read_statements(file, system) if os.path.exists(file) else []
    if not statements:
        raise Refused("none")
    plain = re.sub(r"^\w+(?:\+\w+)?:", system + ":", url)
    database = {"sqlite": Sqlite, "postgresql": Postgresql}[system](plain)
    for statement in statements:
        try:
            if is_cut(statement["text"]):
                raise Refused("cut")
            if not is_plain(statement["text"]):
                raise Refused("text")
            yield {**statement, **database.explain(statement["text"], analyze)}
        except Refused as refused:
            yield {**statement, "refused": {"why": refused.why, "reason": refused.reason}}
        except Exception as error:
            yield {**statement, "refused": {"why": "failed", "reason": str(error).strip()[:500]}}


def main():
    file, *analyze = sys.argv[1:]
    try:
        for plan in explain_all(file, os.environ["EXPLAIN_DATABASE_URL"], analyze == ["analyze"]):
            print(json.dumps(plan), flush=True)
    except Refused as refused:
        print(json.dumps({"refused": {"why": refused.why, "reason": refused.reason}}))
    except Exception as error:
        print(json.dumps({"refused": {"why": "connect", "reason": str(error).strip()[:500]}}))


main()
