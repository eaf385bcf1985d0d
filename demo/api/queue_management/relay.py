"""A mail server that takes a while before it accepts a message, and forgets it then.

``python -m aiosmtpd --nosetuid --listen 127.0.0.1:2525 --class queue_management.relay.Relay 250``
"""

import asyncio
from argparse import ArgumentParser


class Relay:
    """Accepts every message, so many milliseconds after its last line."""

    def __init__(self, delay_ms: int):
        self._delay_s = delay_ms / 1000

    @classmethod
    def from_cli(cls, parser: ArgumentParser, *args: str) -> "Relay":
        """What aiosmtpd's command line makes of the words after the class."""
        if len(args) != 1 or not args[0].isdecimal():
            parser.error("give the milliseconds that a message takes")
        return cls(int(args[0]))

    async def handle_DATA(self, _server, _session, _envelope) -> str:
        """Answer as a relay does that looks for spam and has written the message to its disk."""
        await asyncio.sleep(self._delay_s)
        return "250 OK"
