package dronemission

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// callsOf has a call of a method for each operation of the API. Identifiers are named as in the paths.
var callsOf = map[string]func(context.Context, *Client) error{
	"issueToken": func(ctx context.Context, c *Client) error { return errorOf(c.AccessToken(ctx)) },
	"getLimits":  func(ctx context.Context, c *Client) error { return errorOf(c.Limits(ctx)) },

	"createJob":   func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Create(ctx, CreateJobRequest{})) },
	"dispatchJob": func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Dispatch(ctx, DispatchJobRequest{})) },
	"checkJob":    func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Check(ctx, CreateJobRequest{})) },
	"listJobs":    func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Page(ctx, JobFilter{})) },
	"getJob":      func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Get(ctx, "jobId")) },
	"updateJob": func(ctx context.Context, c *Client) error {
		return errorOf(c.Jobs.Update(ctx, "jobId", UpdateJobRequest{}, 0))
	},
	"deleteJob":       func(ctx context.Context, c *Client) error { return c.Jobs.Delete(ctx, "jobId") },
	"getJobTrack":     func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Track(ctx, "jobId")) },
	"cancelJob":       func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Cancel(ctx, "jobId")) },
	"listJobCommands": func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Commands(ctx, "jobId")) },
	"listJobEvents":   func(ctx context.Context, c *Client) error { return errorOf(c.Jobs.Events(ctx, "jobId")) },

	"sendCommand": func(ctx context.Context, c *Client) error {
		return errorOf(c.Devices.Command(ctx, "deviceId", PauseCommand{}))
	},
	"listDeviceCommands": func(ctx context.Context, c *Client) error {
		return errorOf(c.Devices.CommandsPage(ctx, "deviceId", 0, ""))
	},
	"getCommand": func(ctx context.Context, c *Client) error {
		return errorOf(c.Devices.GetCommand(ctx, "deviceId", "commandId"))
	},
	"getCapabilities": func(ctx context.Context, c *Client) error { return errorOf(c.Devices.Capabilities(ctx, "deviceId")) },
	"holdControl":     func(ctx context.Context, c *Client) error { return errorOf(c.Devices.Hold(ctx, "deviceId")) },
	"getControl":      func(ctx context.Context, c *Client) error { return errorOf(c.Devices.Control(ctx, "deviceId")) },
	"releaseControl":  func(ctx context.Context, c *Client) error { return c.Devices.Release(ctx, "deviceId") },
	"listResources":   func(ctx context.Context, c *Client) error { return errorOf(c.DeviceGroups.List(ctx)) },

	"createMission": func(ctx context.Context, c *Client) error { return errorOf(c.Missions.Create(ctx, MissionFile{})) },
	"listMissions":  func(ctx context.Context, c *Client) error { return errorOf(c.Missions.Page(ctx, 0, "")) },
	"getMission":    func(ctx context.Context, c *Client) error { return errorOf(c.Missions.Get(ctx, "missionId")) },
	"replaceMission": func(ctx context.Context, c *Client) error {
		return errorOf(c.Missions.Replace(ctx, "missionId", MissionFile{}))
	},
	"deleteMission": func(ctx context.Context, c *Client) error { return c.Missions.Delete(ctx, "missionId") },

	"createShare":        func(ctx context.Context, c *Client) error { return errorOf(c.Shares.Create(ctx, CreateShareRequest{})) },
	"listShares":         func(ctx context.Context, c *Client) error { return errorOf(c.Shares.Page(ctx, 0, "")) },
	"getShare":           func(ctx context.Context, c *Client) error { return errorOf(c.Shares.Get(ctx, "shareCode")) },
	"revokeShare":        func(ctx context.Context, c *Client) error { return c.Shares.Revoke(ctx, "shareCode") },
	"listShareResources": func(ctx context.Context, c *Client) error { return errorOf(c.Shares.Resources(ctx, "shareCode")) },

	"listEvents": func(ctx context.Context, c *Client) error { return errorOf(c.Events.List(ctx, "", 0, 0)) },
}

// secondPaths are the same operations as others.
var secondPaths = []string{"listStreamShares", "getStreamShare", "revokeStreamShare"}

func errorOf(_ any, err error) error { return err }

// operations of the API have their method and path by their id.
func operations(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for path, methods := range document.Paths {
		for method, described := range methods {
			var operation struct {
				OperationID string `json:"operationId"`
			}
			// What all operations of a path share has no id.
			if json.Unmarshal(described, &operation) == nil && operation.OperationID != "" {
				found[operation.OperationID] = strings.ToUpper(method) + " " + path
			}
		}
	}
	return found
}

func TestEveryEndpointHasAMethod(t *testing.T) {
	documented := operations(t)
	for id, endpoint := range documented {
		if callsOf[id] == nil && !slices.Contains(secondPaths, id) {
			t.Errorf("no method calls %s (%s)", endpoint, id)
		}
	}
	for _, id := range secondPaths {
		if documented[id] == "" {
			t.Errorf("the API has no %s", id)
		}
	}
	for id, call := range callsOf {
		t.Run(id, func(t *testing.T) {
			service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				writeJSON(w, http.StatusOK, map[string]any{})
			})
			if err := call(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			asked := "POST " + tokenPath
			if requests, _ := service.asked(); len(requests) > 0 {
				asked = requests[0].Method + " " + requests[0].URL.Path
			}
			if want := strings.NewReplacer("{", "", "}", "").Replace(documented[id]); asked != want {
				t.Errorf("asked %s for %s", asked, want)
			}
		})
	}
}

func TestTheReadmeListsEverythingThatTheClientOffers(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	name := regexp.MustCompile("`(\\w+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` +\\|(.*)\\|$").FindAllStringSubmatch(string(readme), -1) {
		methods := []string{}
		for _, found := range name.FindAllStringSubmatch(row[2], -1) {
			methods = append(methods, found[1])
		}
		slices.Sort(methods)
		listed[row[1]] = methods
	}
	client := reflect.TypeOf(&Client{})
	offered := map[string][]string{}
	for _, method := range methodsOf(client) {
		offered[method] = []string{}
	}
	for index := range client.Elem().NumField() {
		if field := client.Elem().Field(index); field.IsExported() {
			offered[field.Name] = methodsOf(field.Type)
		}
	}
	if !reflect.DeepEqual(listed, offered) {
		t.Errorf("the README lists %v, and the client offers %v", listed, offered)
	}
}

func TestTheReadmeNamesWhatAViewerMayDo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range methodsOf(reflect.TypeOf(&ShareView{})) {
		if !regexp.MustCompile("`" + method + "`|view\\." + method + "\\(").Match(readme) {
			t.Errorf("the README does not name %s", method)
		}
	}
}

func methodsOf(of reflect.Type) []string {
	var names []string
	for index := range of.NumMethod() {
		names = append(names, of.Method(index).Name)
	}
	return names
}
