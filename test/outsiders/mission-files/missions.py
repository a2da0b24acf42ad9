"""Measures the missions of a folder, and writes each as WPML.

It measures by their GeoJSON and their KML, and by what ogr2ogr reads in both.
"""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

from djikmz import DroneTask
from pyproj import Geod
from shapely.geometry import shape

KML = "{http://www.opengis.net/kml/2.2}"
# A millimetre: the geodesics of both are of one author, and exact to nanometres.
TOLERANCE_M = 1e-3

folder = Path(sys.argv[1])
missions = json.loads((folder / "missions.json").read_text(encoding="utf-8"))
geod = Geod(ellps="WGS84")


def metres(coordinates):
    longitudes, latitudes, *_ = zip(*coordinates)
    return geod.line_length(longitudes, latitudes)


def coordinates_in(kml):
    (line,) = ElementTree.fromstring(kml.encode()).iter(f"{KML}LineString")
    return [[float(number) for number in each.split(",")] for each in line.find(f"{KML}coordinates").text.split()]


findings = []
for number, mission in enumerate(missions):
    coordinates = mission["geoJson"]["geometry"]["coordinates"]
    measured = {
        "GeoJSON": geod.geometry_length(shape(mission["geoJson"]["geometry"])),
        "KML": metres(coordinates_in(mission["kml"])),
        **{f"ogr2ogr ({name})": geod.geometry_length(shape(one)) for name, one in mission.get("byOgr", {}).items()},
    }
    for name, found in measured.items():
        if abs(found - mission["metres"]) > TOLERANCE_M:
            findings.append(f"mission {number} is {found} m by its {name}, not {mission['metres']} m")
    task = DroneTask("M3E", "Pilot").name(f"mission {number}").speed(5).altitude(50)
    for longitude, latitude, height in coordinates:
        waypoint = task.fly_to(latitude, longitude, height)
    waypoint.to_kmz(str(folder / f"{number}.kmz"))
print(json.dumps({"missions": len(missions), "findings": findings}))
