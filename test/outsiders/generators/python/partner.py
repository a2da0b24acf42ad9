"""Reads a page of the feed as a later service may send it.

It has an unknown type, an unknown value of an open list, and an unknown field.
"""

import sys

sys.path.insert(0, sys.argv[1])
from partner.models import DeviceEvent, ListEventsReply, UnknownEvent  # noqa: E402

common = {"cursor": "event-7k2m9qx4-00000000c5", "sequence": 3, "timestamp": "2026-11-27T10:30:15.123Z"}
device = {"type": "device.status", "deviceId": "d", "deviceGroupId": "g", "name": "n", "status": "online"}
events = [
    {**common, "type": "dock.status", "dockId": "k"},
    {**common, **device, "droneState": "AVOIDING", "mood": "good"},
]
page = ListEventsReply.from_dict({"success": True, "count": 2, "cursor": "c", "events": events})
unknown, known = page.events
if not isinstance(unknown, UnknownEvent) or unknown.type_ != "dock.status":
    raise AssertionError(unknown)
if not isinstance(known, DeviceEvent) or known.drone_state != "AVOIDING" or known.additional_properties != {"mood": "good"}:
    raise AssertionError(known)
