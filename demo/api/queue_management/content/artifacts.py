"""What the artifacts hold. A real server would send them from storage of their own."""

import hashlib

_LINES = 32


def make_artifact(path: str) -> bytes:
    """Some hundred bytes that are the same every time."""
    return f"{path}\n".encode() * _LINES


def digest(artifact: bytes) -> str:
    """How an artifact is known."""
    return hashlib.sha256(artifact).hexdigest()
