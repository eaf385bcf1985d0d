"""Rules by tenant: each request loads their module again, so that edits count."""
import importlib
import os
import pathlib
import sys
import tempfile

from flask import Flask

app = Flask(__name__)
FOLDER = tempfile.mkdtemp()
sys.path.insert(0, FOLDER)
pathlib.Path(FOLDER, "tenant_rules.py").write_text("import time\ntime.sleep(0.03)\nrate = 19\n")
rules = importlib.import_module("tenant_rules")


def fresh_rules():
    return rules if os.environ.get("FIXED") else importlib.reload(rules)


@app.get("/tenants/<int:tenant>/price")
def price(tenant):
    return {"tenant": tenant, "rate": fresh_rules().rate}
