"""Prints what geopandas and fastkml find in files of a track, as JSON: a list of geometries for each reader and file."""

import json
import sys

import geopandas
from fastkml import KML
from fastkml.utils import find_all
from fastkml.features import Placemark
from shapely.geometry import mapping, shape

geojson, kml = sys.argv[1:]


def with_geopandas(path: str) -> list[dict]:
    return [mapping(geometry) for geometry in geopandas.read_file(path).geometry]


def with_fastkml(path: str) -> list[dict]:
    placemarks = find_all(KML.parse(path), of_type=Placemark)
    # shapely refuses what is no valid geometry.
    return [mapping(shape(placemark.geometry)) for placemark in placemarks]


print(
    json.dumps(
        {
            "geopandas, GeoJSON": with_geopandas(geojson),
            "geopandas, KML": with_geopandas(kml),
            "fastkml, KML": with_fastkml(kml),
        }
    )
)
