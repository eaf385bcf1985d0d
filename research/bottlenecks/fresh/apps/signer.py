"""Signs documents with a key that is derived per document."""

import base64
import contextlib
import functools
import hashlib
import hmac
import os
import threading

from flask import Blueprint, Flask

ROUNDS = 30_000
documents = Blueprint("documents", __name__, url_prefix="/documents")


def synchronized(method):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        with self.monitor:
            return method(self, *args, **kwargs)

    return wrapper


class Keyring:
    def __init__(self, secret):
        self.secret = secret
        self.monitor = contextlib.nullcontext() if os.environ.get("FIXED") else threading.RLock()

    @synchronized
    def derive(self, document_id):
        salt = f"doc-{document_id}".encode()
        return hashlib.pbkdf2_hmac("sha256", self.secret, salt, ROUNDS)

    @synchronized
    def sign(self, document_id, body):
        key = self.derive(document_id)
        return base64.b64encode(hmac.digest(key, body, "sha256")).decode()


keyring = Keyring(b"correct horse battery staple")


@documents.get("/<int:document_id>/signature")
def signature(document_id):
    body = b"%PDF-1.7 " + b"x" * 4096
    return {"id": document_id, "signature": keyring.sign(document_id, body)}


def create_app():
    flask_app = Flask(__name__)
    flask_app.register_blueprint(documents)
    return flask_app


app = create_app()
