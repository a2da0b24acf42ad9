package dronemission

import (
	"context"
	"iter"
	"net/url"
)

// DeviceGroups have the devices of the organisation.
type DeviceGroups struct {
	caller   *caller
	channels *channels
}

// List returns the device groups of the organisation, each with its devices.
func (g *DeviceGroups) List(ctx context.Context) ([]DeviceGroup, error) {
	reply, err := call[ListResourcesReply](ctx, g.caller, "GET /v3/resources", nil, nil)
	return reply.Resources, err
}

// Follow returns the state of each device of a group, and every change of one. It ends when the group no longer exists.
func (g *DeviceGroups) Follow(ctx context.Context, deviceGroupID string, options FollowOptions) iter.Seq2[DeviceMessage, error] {
	return follow[DeviceMessage](ctx, g.channels, channel{
		path:    "/v3/devices/" + url.PathEscape(deviceGroupID) + "/status/ws",
		subject: "Following a device group",
		kind:    "device.status",
		isLast:  func(envelope) bool { return false },
	}, options)
}
