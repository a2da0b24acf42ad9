"""Missions: lines of waypoints, which jobs fly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast, overload

from .._rest import Rest, items_of
from ..models import ListMissionsReply, Mission, MissionFeature

_KML = "application/vnd.google-earth.kml+xml"
# What is accepted for each format. An original may have any of these types; a KMZ is sent only to who accepts it first.
_ACCEPTED = {
    "kml": _KML,
    "original": ", ".join(["application/vnd.google-earth.kmz", _KML, "application/geo+json", "application/json"]),
}

MediaType = Literal[
    "application/geo+json",
    "application/vnd.google-earth.kml+xml",
    "application/vnd.google-earth.kmz",
    "application/json",
]


class Missions:
    """Missions: lines of waypoints, which jobs fly. Every method raises ApiError or ApiConnectionError."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    def create(self, file: str | bytes, *, media_type: MediaType, name: str | None = None) -> Mission:
        """Creates a mission from a file; an ApiError with status 400 says where the file is wrong.

        It is not sent again when its answer is lost, since each create makes a mission.

        Args:
            file: Its text or its bytes.
            media_type: What the file is: GeoJSON, KML, DJI WPML in a KMZ, or a QGroundControl plan
                (`application/json`).
            name: Name of the mission; by default that in the file.
        """
        reply = self._rest.call("POST /v3/missions", query={"name": name}, file=file, headers=_headers(media_type))
        return cast(Mission, reply["mission"])

    def list(self, *, limit: int | None = None) -> Iterator[Mission]:
        """Yields all missions of the organisation, newest first, page after page.

        Args:
            limit: Size of a page, 50 by default and at most 100.
        """
        return items_of(lambda next_token: self.page(limit=limit, next_token=next_token), "missions")

    def page(self, *, limit: int | None = None, next_token: str | None = None) -> ListMissionsReply:
        """Reads one page of missions; its `nextToken`, if it has one, is what to ask for the next page with."""
        query = {"limit": limit, "nextToken": next_token}
        return cast(ListMissionsReply, self._rest.call("GET /v3/missions", query=query))

    def get(self, mission_id: str) -> MissionFeature:
        """Reads a mission with its waypoints, in GeoJSON."""
        headers = {"Accept": "application/geo+json"}
        mission = self._rest.call("GET /v3/missions/{missionId}", path={"missionId": mission_id}, headers=headers)
        return cast(MissionFeature, mission)

    @overload
    def file(self, mission_id: str, *, file_format: Literal["kml"]) -> str: ...

    @overload
    def file(self, mission_id: str, *, file_format: Literal["original"]) -> bytes: ...

    def file(self, mission_id: str, *, file_format: Literal["kml", "original"]) -> str | bytes:
        """Reads a mission as a file.

        Args:
            mission_id: The mission.
            file_format: `kml` for the text of a KML file, whatever the mission was made from; `original` for the bytes
                of the file that was sent.
        """
        content = self._rest.content(
            "GET /v3/missions/{missionId}",
            path={"missionId": mission_id},
            query={"format": file_format},
            headers={"Accept": _ACCEPTED[file_format]},
        )
        return content.decode() if file_format == "kml" else content

    def replace(self, mission_id: str, file: str | bytes, *, media_type: MediaType, name: str | None = None) -> Mission:
        """Replaces the file of a mission, which becomes its next version; jobs that exist keep theirs.

        Args:
            mission_id: The mission.
            file: As for `create`.
            media_type: As for `create`.
            name: As for `create`.
        """
        reply = self._rest.call(
            "PUT /v3/missions/{missionId}",
            path={"missionId": mission_id},
            query={"name": name},
            file=file,
            headers=_headers(media_type),
        )
        return cast(Mission, reply["mission"])

    def delete(self, mission_id: str) -> None:
        """Deletes a mission; jobs that exist still fly it."""
        self._rest.call("DELETE /v3/missions/{missionId}", path={"missionId": mission_id})


def _headers(media_type: MediaType) -> dict[str, str]:
    return {"Content-Type": media_type}
