"""Writes the routes of a router: the map that HAProxy looks a request up in, and the list of their hosts."""

import json
import sys

folder, count = sys.argv[1], int(sys.argv[2])
hosts = [f"app-{number}.apps.test" for number in range(1, count + 1)]
with open(f"{folder}/routes.map", "w") as routes:
    for host in hosts:
        pattern = host.replace(".", "\\.")
        routes.write(f"^{pattern}\\.?(:[0-9]+)?(/.*)?$ apps\n")
with open(f"{folder}/routes.json", "w") as listing:
    json.dump({"routes": [{"host": host} for host in hosts]}, listing)
