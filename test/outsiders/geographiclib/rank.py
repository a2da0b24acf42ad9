"""Ranks the fleets of a file by distance, and compares the order and the metres with those in the file."""

import json
import sys

from geographiclib.geodesic import Geodesic

# A micrometre: two devices nearer to each other than that have no order.
TOLERANCE_M = 1e-6

with open(sys.argv[1], encoding="utf-8") as file:
    fleets = json.load(file)

findings = []
for number, fleet in enumerate(fleets):
    longitude, latitude = fleet["to"]
    metres = {
        device["deviceId"]: Geodesic.WGS84.Inverse(
            device["place"][1], device["place"][0], latitude, longitude, Geodesic.DISTANCE
        )["s12"]
        for device in fleet["devices"]
    }
    ranked = [one["deviceId"] for one in fleet["ranked"]]
    in_order = all(metres[one] <= metres[other] + TOLERANCE_M for one, other in zip(ranked, ranked[1:]))
    as_far = all(abs(metres[one["deviceId"]] - one["metres"]) <= TOLERANCE_M for one in fleet["ranked"])
    if sorted(ranked) != sorted(metres) or not in_order or not as_far:
        findings.append(number)
print(json.dumps({"fleets": len(fleets), "findings": findings}))
