package dronemission

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// DeviceGroups have the devices of the organisation.
type DeviceGroups struct {
	caller   *caller
	channels *channels
}

const followingGroup = "Following a device group"

// List returns the device groups of the organisation, each with its devices. With State each device has its LastState:
// what it reported last.
func (g *DeviceGroups) List(ctx context.Context, include ...ListResourcesParamsInclude) ([]DeviceGroup, error) {
	query := url.Values{}
	for _, each := range include {
		query.Add("include", string(each))
	}
	reply, err := call[ListResourcesReply](ctx, g.caller, "GET /v3/resources", nil, nil, withQuery(query))
	return reply.Resources, err
}

// Follow returns the state of each device of a group, and every change of one. It ends when the group no longer exists.
func (g *DeviceGroups) Follow(ctx context.Context, deviceGroupID string, options FollowOptions) iter.Seq2[DeviceMessage, error] {
	return follow(ctx, g.channels, channel{
		path:    "/v3/devices/" + url.PathEscape(deviceGroupID) + "/status/ws",
		topic:   &topic{identifier: deviceGroupID, suffix: "/DEVICE/STATUS", state: g.stateOf(deviceGroupID), isGroup: true},
		kind:    "device.status",
		subject: followingGroup,
		isLast:  func(envelope) bool { return false },
	}, options, as[DeviceMessage])
}

// stateOf reads the devices whose status differs from that in the last message about them, as messages of the channel.
func (g *DeviceGroups) stateOf(deviceGroupID string) func(context.Context, *received) ([]any, error) {
	return func(ctx context.Context, received *received) ([]any, error) {
		groups, err := g.List(ctx)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(groups, func(group DeviceGroup) bool { return group.DeviceGroupId == deviceGroupID })
		if at < 0 {
			return nil, &APIError{Request: followingGroup, Status: http.StatusNotFound, Text: "Device group not found"}
		}
		var changes []any
		for _, device := range groups[at].Devices {
			last, isKnown := received.lastOf(device.DeviceId)
			if last.status == string(device.Status) {
				continue
			}
			var sequence int64
			if isKnown {
				// A change of the status has a sequence at least one higher.
				sequence = last.sequence + 1
			}
			changes = append(changes, DeviceMessage{Snapshot: true, DeviceEvent: DeviceEvent{
				Type: DeviceStatusChanged, DeviceId: device.DeviceId, DeviceGroupId: deviceGroupID,
				Status: device.Status, Sequence: sequence, Timestamp: time.Now().UTC(),
			}})
		}
		return changes, nil
	}
}
