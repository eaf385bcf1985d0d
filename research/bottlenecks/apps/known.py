"""Whether the one known limit of an app is lifted."""
import os

FIXED = os.environ.get("FIXED") == "1"
