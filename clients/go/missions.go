package dronemission

import (
	"context"
	"iter"
)

// Missions are made of files: GeoJSON, KML, WPML in KMZ, or a plan of QGroundControl.
type Missions struct{ caller *caller }

// A MissionFile is what a mission is made of.
type MissionFile struct {
	Content []byte
	// MediaType such as application/vnd.google-earth.kmz.
	MediaType string
	// Name of the mission, instead of that in the file.
	Name string
}

const missionsPath, missionPath = "/v3/missions", "/v3/missions/{missionId}"

func (f MissionFile) options() []option {
	return []option{withBody(f.Content, f.MediaType), withQuery(queryOf("name", f.Name))}
}

// Create makes a mission of a file. It has no idempotency key: after a ConnectionError look at Page first.
func (m *Missions) Create(ctx context.Context, file MissionFile) (Mission, error) {
	reply, err := call[CreateMissionReply](ctx, m.caller, "POST "+missionsPath, nil, nil, file.options()...)
	return reply.Mission, err
}

// Replace makes the next version of a mission; jobs that exist keep theirs.
func (m *Missions) Replace(ctx context.Context, missionID string, file MissionFile) (Mission, error) {
	reply, err := call[CreateMissionReply](ctx, m.caller, "PUT "+missionPath, []string{missionID}, nil, file.options()...)
	return reply.Mission, err
}

// List returns all missions of the organisation, newest first.
func (m *Missions) List(ctx context.Context) iter.Seq2[Mission, error] {
	return itemsOf(func(next string) ([]Mission, *string, error) {
		page, err := m.Page(ctx, 0, next)
		return page.Missions, page.NextToken, err
	})
}

// Page returns one page of missions; limit is up to 100, and 50 when it is 0.
func (m *Missions) Page(ctx context.Context, limit int, nextToken string) (ListMissionsReply, error) {
	query := withQuery(queryOf("limit", numberOf(limit), "nextToken", nextToken))
	return call[ListMissionsReply](ctx, m.caller, "GET "+missionsPath, nil, nil, query)
}

// Get returns a mission with its waypoints.
func (m *Missions) Get(ctx context.Context, missionID string) (MissionFeature, error) {
	accept := withHeader("Accept", "application/geo+json")
	return call[MissionFeature](ctx, m.caller, "GET "+missionPath, []string{missionID}, nil, accept)
}

// acceptedFile lists what a file may be: a KMZ is sent only to who accepts it first.
const acceptedFile = "application/vnd.google-earth.kmz, */*"

// File returns a mission as a file: as GetMissionParamsFormatKml, or as GetMissionParamsFormatOriginal the one that it
// was made of, byte for byte.
func (m *Missions) File(ctx context.Context, missionID string, format GetMissionParamsFormat) ([]byte, error) {
	query, accept := withQuery(queryOf("format", string(format))), withHeader("Accept", acceptedFile)
	return m.caller.read(ctx, "GET "+missionPath, []string{missionID}, nil, query, accept)
}

// Delete deletes a mission; jobs that exist still fly it.
func (m *Missions) Delete(ctx context.Context, missionID string) error {
	_, err := m.caller.read(ctx, "DELETE "+missionPath, []string{missionID}, nil)
	return err
}
