"""Starts the companion in this process."""

import os

from .arrivals import call_back
from .calls.sources import follow_calls
from .remedies.apply import start_remedy
from .requests import SHARED
from .serve.pools import of_semaphores
from .serve.routers import follow_routers
from .serve.workers import install
from .settings import IS_ACTIVE, SETTING, write_line


if IS_ACTIVE:
    install()
    if os.environ.get("LOADFLAME_CALLS") != "0":
        follow_calls()  # first: it takes one who waits for modules for another copy of this file
    follow_routers()
    call_back({"threading": of_semaphores, "asyncio.locks": of_semaphores}, SHARED)
elif SETTING.lower() not in ("", "0", "false"):
    os.environ["LOADFLAME"] = "0"  # said once, not by each copy and each child
    write_line("loadflame: the companion is off: LOADFLAME is neither 1 nor a key of at least 16 visible characters")


if os.environ.get("LOADFLAME_REMEDY"):
    start_remedy(os.environ["LOADFLAME_REMEDY"])
