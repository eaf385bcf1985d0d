"""Writes the routes of a router: the map that HAProxy looks a request up in, and a list of hosts to ask for."""

import json
import sys

# HAProxy gives the list as one buffer of 16 KB.
LISTED = 200

folder, count = sys.argv[1], int(sys.argv[2])
hosts = [f"app-{number}.apps.test" for number in range(1, count + 1)]
with open(f"{folder}/routes.map", "w") as routes:
    for host in hosts:
        pattern = host.replace(".", "\\.")
        routes.write(f"^{pattern}\\.?(:[0-9]+)?(/.*)?$ apps\n")
with open(f"{folder}/routes.json", "w") as listing:
    # from all over the map: the first routes are found sooner than the last
    listed = hosts[:: max(1, -(-count // LISTED))]
    json.dump({"routes": [{"host": host} for host in listed]}, listing)
