"""Writes the routes of a router: the map in which HAProxy finds the route of a request, and their hosts as CSV."""

import sys

folder, count = sys.argv[1], int(sys.argv[2])
hosts = [f"app-{number}.apps.test" for number in range(1, count + 1)]
with open(f"{folder}/routes.map", "w") as routes:
    for host in hosts:
        pattern = host.replace(".", "\\.")
        routes.write(f"^{pattern}\\.?(:[0-9]+)?(/.*)?$ apps\n")
with open(f"{folder}/hosts.csv", "w") as listing:
    listing.writelines(f"{host}\n" for host in hosts)
