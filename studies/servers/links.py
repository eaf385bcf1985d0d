"""Prints the links of an index page and of the pages below it, as CSV: links.py <address> <levels below it>.

Links that end with / are pages. A link to another host ends the study, and so does a redirect: it loads its own
services alone.
"""

import csv
import html
import os
import re
import sys
import urllib.request
from urllib.parse import urljoin, urlsplit

MOST_PAGES = 100


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for a failure."""

    def redirect_request(self, *_):
        """Follow none."""


start, depth = sys.argv[1], int(sys.argv[2])
own = {f"127.0.0.1:{port}" for name, port in os.environ.items() if name.startswith("STUDY_PORT_")}
opener = urllib.request.build_opener(NoRedirect)
links, pages, level = {}, {start}, [start]
for _ in range(depth + 1):
    below = []
    for page in level:
        with opener.open(page, timeout=30) as answer:
            text = answer.read().decode()
        for link in re.findall(r'href="([^"]+)"', text):
            address = urljoin(page, html.unescape(link))
            if urlsplit(address).netloc not in own:
                sys.exit(f"{page} has a link to another host: {address!r}")
            if not address.endswith("/"):
                links[address] = True
            elif address.startswith(start) and address not in pages and len(pages) < MOST_PAGES:
                pages.add(address)
                below.append(address)
    level = below
csv.writer(sys.stdout).writerows([link] for link in links)
