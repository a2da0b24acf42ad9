// Command steer is what a partner writes to steer a drone: it dispatches a job, pauses the drone, lets it go on, and
// calls it home. It ends with 1 unless the drone obeys.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	partner "drone-mission-api/outsiders/generators"
)

// How long everything may take together, on a busy machine.
const patience = 90 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := steer(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func steer(ctx context.Context) error {
	client, err := connect(ctx)
	if err != nil {
		return err
	}
	device, err := dispatch(ctx, client)
	if err != nil {
		return err
	}
	// Before the drone is in the air, a pause is refused.
	if err := untilFlying(ctx, client, device); err != nil {
		return err
	}
	var pause, resume, home partner.SendCommandRequest
	if err := pause.FromPauseCommand(partner.PauseCommand{Name: partner.PauseName}); err != nil {
		return err
	}
	if err := resume.FromResumeCommand(partner.ResumeCommand{Name: partner.ResumeName}); err != nil {
		return err
	}
	if err := home.FromReturnHomeCommand(partner.ReturnHomeCommand{Name: partner.ReturnHomeName}); err != nil {
		return err
	}
	for _, command := range []partner.SendCommandRequest{pause, resume, home} {
		if err := tell(ctx, client, device, command); err != nil {
			return err
		}
	}
	return nil
}

// Gets a token, and a client that sends it.
func connect(ctx context.Context) (*partner.ClientWithResponses, error) {
	url, key := os.Getenv("BASE_URL"), os.Getenv("API_KEY")
	id, secret := os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")
	with := func(name, value string) partner.RequestEditorFn {
		return func(_ context.Context, request *http.Request) error {
			request.Header.Set(name, value)
			return nil
		}
	}
	anonymous, err := partner.NewClientWithResponses(url)
	if err != nil {
		return nil, err
	}
	body := partner.TokenRequest{GrantType: partner.ClientCredentials, ClientId: &id, ClientSecret: &secret}
	token, err := anonymous.IssueTokenWithResponse(ctx, body, with("x-api-key", key))
	if err != nil {
		return nil, err
	}
	if token.JSON200 == nil {
		return nil, fmt.Errorf("no token: %s %s", token.Status(), token.Body)
	}
	bearer := with("authorization", "Bearer "+token.JSON200.AccessToken)
	return partner.NewClientWithResponses(url, partner.WithRequestEditorFn(bearer))
}

// Finds the state of each device that has reported one.
func states(ctx context.Context, client *partner.ClientWithResponses) (map[string]partner.ListedState, error) {
	include := partner.State
	reply, err := client.ListResourcesWithResponse(ctx, &partner.ListResourcesParams{Include: &include})
	if err != nil {
		return nil, err
	}
	if reply.JSON200 == nil {
		return nil, fmt.Errorf("no resources: %s %s", reply.Status(), reply.Body)
	}
	found := map[string]partner.ListedState{}
	for _, group := range reply.JSON200.Resources {
		for _, device := range group.Devices {
			if device.LastState != nil {
				found[device.DeviceId] = *device.LastState
			}
		}
	}
	return found, nil
}

// Sends a drone 200 metres north of a dock, as soon as one stands there; returns its device.
func dispatch(ctx context.Context, client *partner.ClientWithResponses) (string, error) {
	hold := int32(900)
	for {
		known, err := states(ctx, client)
		if err != nil {
			return "", err
		}
		for _, state := range known {
			if state.DroneState == nil || *state.DroneState != "DOCKED" || state.Navigation == nil || state.Navigation.Position == nil {
				continue
			}
			at := state.Navigation.Position.Coordinates
			place := partner.DesiredLocation{Type: "Point", Coordinates: []float64{at[0], at[1] + 0.0018}}
			reply, err := client.DispatchJobWithResponse(ctx, nil, partner.DispatchJobRequest{
				Name: "Alarm at the gate", DesiredLocation: &place, Flight: &partner.DesiredFlight{HoldSeconds: &hold},
			})
			if err != nil {
				return "", err
			}
			if reply.JSON201 == nil || reply.JSON201.Job.DeviceId == nil {
				return "", fmt.Errorf("not dispatched: %s %s", reply.Status(), reply.Body)
			}
			return *reply.JSON201.Job.DeviceId, nil
		}
		if err := wait(ctx, "a drone in its dock"); err != nil {
			return "", err
		}
	}
}

// Waits until a drone is on its way, or there.
func untilFlying(ctx context.Context, client *partner.ClientWithResponses, device string) error {
	for {
		known, err := states(ctx, client)
		if err != nil {
			return err
		}
		if state := known[device]; state.DroneState != nil && (*state.DroneState == "WAYPOINT" || *state.DroneState == "HOVER") {
			return nil
		}
		if err := wait(ctx, device+" in the air"); err != nil {
			return err
		}
	}
}

// Sends a command, and waits until it is done.
func tell(ctx context.Context, client *partner.ClientWithResponses, device string, command partner.SendCommandRequest) error {
	sent, err := client.SendCommandWithResponse(ctx, device, nil, command)
	if err != nil {
		return err
	}
	if sent.JSON202 == nil {
		return fmt.Errorf("not taken: %s %s", sent.Status(), sent.Body)
	}
	name, id := sent.JSON202.Command.Name, sent.JSON202.Command.CommandId
	for {
		reply, err := client.GetCommandWithResponse(ctx, device, id)
		if err != nil {
			return err
		}
		if reply.JSON200 == nil {
			return fmt.Errorf("%s can't be read: %s %s", name, reply.Status(), reply.Body)
		}
		if now := reply.JSON200.Command; now.EndedAt != nil {
			if now.Status != partner.CommandStatusDONE {
				return fmt.Errorf("%s has ended as %s: %s", name, now.Status, reply.Body)
			}
			fmt.Println(name, now.Status)
			return nil
		}
		if err := wait(ctx, "the end of "+name); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, what string) error {
	select {
	case <-time.After(200 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s took too long", what)
	}
}
