"""Builds the package with the joined file; its description is in pyproject.toml."""

import os
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from loadflame_companion import join_modules  # noqa: E402


class BuildJoined(build_py):
    """Puts the joined file in the place of the one that joins."""

    def run(self):
        """Build."""
        super().run()
        with open(os.path.join(self.build_lib, "loadflame_companion.py"), "wb") as file:
            file.write(join_modules().encode())


setup(cmdclass={"build_py": BuildJoined})
