"""The companion in a clone: its modules, joined into the one file that `loadflame companion` copies and the wheel holds.

The modules are in loadflame/, in the order of modules.txt: each imports only from those before it. Frames have the name
of this file and the lines of the joined one.
"""

import linecache
import os
import re


def join_modules():
    """Return the text of the joined file; lib/cli/commands/companion.js makes the same one."""
    folder = os.path.dirname(os.path.abspath(__file__))

    def read(*path):
        with open(os.path.join(folder, *path), encoding="utf-8") as file:
            return file.read()

    text = "\n\n".join([read("loadflame", name + ".py") for name in read("modules.txt").split()])
    imports = sorted(set(re.findall(r"^(?:import|from \w).*\n", text, re.MULTILINE)))
    first, *rest = re.split(r"(?:^(?:import|from) .*\n+)+", text, flags=re.MULTILINE)
    return "%s%s\n%s" % (first, "".join(imports), "\n".join(rest))


JOINED = join_modules()
linecache.cache[__file__] = len(JOINED), None, JOINED.splitlines(True), __file__  # what tracebacks show
exec(compile(JOINED, __file__, "exec"))
