package dronemission

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Devices are told what to do while they fly.
type Devices struct{ caller *caller }

// A DeviceCommand is one of the types whose names end with Command, such as PauseCommand{} or GoToCommand{Position: …}.
// Their Name needs not be set, but that of OwnCommand does.
type DeviceCommand interface{ commandName() string }

func (PauseCommand) commandName() string          { return "PAUSE" }
func (ResumeCommand) commandName() string         { return "RESUME" }
func (ReturnHomeCommand) commandName() string     { return "RETURN_HOME" }
func (LandCommand) commandName() string           { return "LAND" }
func (GoToCommand) commandName() string           { return "GO_TO" }
func (OrbitCommand) commandName() string          { return "ORBIT" }
func (LookAtCommand) commandName() string         { return "LOOK_AT" }
func (GimbalCommand) commandName() string         { return "GIMBAL" }
func (TakePhotoCommand) commandName() string      { return "TAKE_PHOTO" }
func (StartRecordingCommand) commandName() string { return "START_RECORDING" }
func (StopRecordingCommand) commandName() string  { return "STOP_RECORDING" }
func (c OwnCommand) commandName() string          { return c.Name }

// A SentCommand was taken by the service, which does not mean that it is executed: wait for its Outcome.
type SentCommand struct {
	// Command as it was when it was sent.
	Command Command
	devices *Devices
}

const (
	commandsOf = "/v3/devices/{deviceId}/commands"
	controlOf  = "/v3/devices/{deviceId}/control"

	firstPause, longestPause = 250 * time.Millisecond, 2 * time.Second
	// outcomeMargin is how long after its end a command without an outcome may take to become TIMED_OUT.
	outcomeMargin = 90 * time.Second
)

// Command sends a command to a device in flight. It is sent again after a failure, for ten seconds and with the same
// key, so that it is executed once. A refusal with 409 says that the device can't be told that now; after a
// ConnectionError it may have been executed.
func (d *Devices) Command(ctx context.Context, deviceID string, command DeviceCommand, options ...CreateOptions) (SentCommand, error) {
	body, err := bodyOf(command)
	if err != nil {
		return SentCommand{}, err
	}
	reply, err := call[SendCommandReply](ctx, d.caller, "POST "+commandsOf, []string{deviceID}, body, keyOf(options))
	return SentCommand{reply.Command, d}, err
}

// bodyOf is a command with its name.
func bodyOf(command DeviceCommand) (map[string]any, error) {
	var body map[string]any
	content, err := json.Marshal(command)
	if err == nil {
		err = json.Unmarshal(content, &body)
	}
	if err != nil {
		return nil, fmt.Errorf("the command can't be sent: %w", err)
	}
	body["name"] = command.commandName()
	return body, nil
}

// Outcome waits until the command has ended: DONE, or REFUSED, FAILED, TIMED_OUT (nobody knows whether it was executed)
// or SUPERSEDED. A service that can't be reached for a while does not end that.
func (s SentCommand) Outcome(ctx context.Context) (Command, error) {
	found := s.Command
	// By the service's clock alone: that of this machine may be another.
	latest := time.Now().Add(found.EndBefore.Sub(found.RequestedAt) + outcomeMargin)
	err := fmt.Errorf("command %s has no outcome although its time is over: read it later", found.CommandId)
	for pause := firstPause; found.EndedAt == nil; pause = min(2*pause, longestPause) {
		if time.Now().After(latest) {
			return found, err
		}
		if err := sleep(ctx, pause); err != nil {
			return found, err
		}
		read, problem := s.devices.GetCommand(ctx, found.DeviceId, found.CommandId)
		switch {
		case problem == nil:
			found = read
		case ctx.Err() != nil || !isTemporary(problem):
			return found, problem
		default:
			err = problem
		}
	}
	return found, nil
}

// Commands returns all commands of a device, whoever sent them, newest first.
func (d *Devices) Commands(ctx context.Context, deviceID string) iter.Seq2[Command, error] {
	return itemsOf(func(next string) ([]Command, *string, error) {
		page, err := d.CommandsPage(ctx, deviceID, 0, next)
		return page.Commands, page.NextToken, err
	})
}

// CommandsPage returns one page of commands; limit is up to 100, and 50 when it is 0.
func (d *Devices) CommandsPage(ctx context.Context, deviceID string, limit int, nextToken string) (ListDeviceCommandsReply, error) {
	query := withQuery(queryOf("limit", numberOf(limit), "nextToken", nextToken))
	return call[ListDeviceCommandsReply](ctx, d.caller, "GET "+commandsOf, []string{deviceID}, nil, query)
}

// GetCommand returns a command as it is now.
func (d *Devices) GetCommand(ctx context.Context, deviceID, commandID string) (Command, error) {
	identifiers := []string{deviceID, commandID}
	reply, err := call[SendCommandReply](ctx, d.caller, "GET "+commandsOf+"/{commandId}", identifiers, nil)
	return reply.Command, err
}

// Capabilities returns the commands that a device obeys, and its range.
func (d *Devices) Capabilities(ctx context.Context, deviceID string) (DeviceCapabilities, error) {
	reply, err := call[GetCapabilitiesReply](ctx, d.caller, "GET /v3/devices/{deviceId}/capabilities", []string{deviceID}, nil)
	return reply.Capabilities, err
}

// Hold gives this client the control of a device for a minute: commands of others are refused, but for those that keep
// it from harm. Call it again before Until to go on holding it.
func (d *Devices) Hold(ctx context.Context, deviceID string) (DeviceControl, error) {
	reply, err := call[HoldControlReply](ctx, d.caller, "PUT "+controlOf, []string{deviceID}, nil)
	return reply.Control, err
}

// Release ends what this client or a viewer holds.
func (d *Devices) Release(ctx context.Context, deviceID string) error {
	_, err := d.caller.read(ctx, "DELETE "+controlOf, []string{deviceID}, nil)
	return err
}

// Control says who holds the control of a device; without a holder it has the DeviceId only.
func (d *Devices) Control(ctx context.Context, deviceID string) (DeviceControl, error) {
	reply, err := call[HoldControlReply](ctx, d.caller, "GET "+controlOf, []string{deviceID}, nil)
	return reply.Control, err
}

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
