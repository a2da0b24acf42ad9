import { createMission } from '../create-resource';
import { callAndExpectReply, call, expectRefusal, expectReply, expectThat } from '../api-calls';
import type { Step, SmokeContext } from '../smoke-context';

/**
 * Point Nemo, the place in the sea that is farthest from any land: no drone is near enough to fly there. No job flies
 * the mission either.
 */
const LINE: readonly (readonly number[])[] = [
  [-123.393, -48.877, 40],
  [-123.393, -48.876, 40],
];

const CREATE = 'POST /v3/missions';

/** A mission's file in GeoJSON. */
const fileOf = (name: string, coordinates: readonly (readonly number[])[]) => ({
  type: 'Feature',
  geometry: { type: 'LineString', coordinates },
  properties: { name, heightReference: 'TAKE_OFF' },
});

async function create(context: SmokeContext): Promise<undefined> {
  const { mission } = expectReply(CREATE, await createMission(context, (name) => fileOf(name, LINE)));
  context.set('mission', mission);
  const holds = mission.version === 1 && mission.waypointCount === LINE.length;
  expectThat(holds, `version 1 with ${LINE.length} waypoints`, () => JSON.stringify(mission));
}

async function read(context: SmokeContext): Promise<undefined> {
  const { missionId } = context.get('mission');
  const feature = await callAndExpectReply(context, 'GET /v3/missions/{missionId}', { path: { missionId } });
  const { geometry, properties } = feature;
  const holds = properties.missionId === missionId && JSON.stringify(geometry.coordinates) === JSON.stringify(LINE);
  expectThat(holds, 'the mission as it was created', () => JSON.stringify(feature));
}

async function list(context: SmokeContext): Promise<undefined> {
  const { missionId } = context.get('mission');
  const { missions } = await callAndExpectReply(context, 'GET /v3/missions');
  expectThat(
    missions.some((mission) => mission.missionId === missionId),
    'the new mission among the latest',
    () => `${missions.length} others`,
  );
}

/** A check starts no flight: it only asks whether there could be one. */
async function checkFlight(context: SmokeContext): Promise<string> {
  const { deviceGroupId } = context.get('fleet');
  const { missionId } = context.get('mission');
  const body = { name: 'Smoke test', deviceGroupId, missionId };
  const { feasible, findings } = await callAndExpectReply(context, 'POST /v3/jobs/check', { body });
  const codes = findings.map(({ code }) => code).join(', ') || 'none';
  expectThat(feasible === (findings.length === 0), 'feasible without findings only', () => `${feasible} with ${codes}`);
  return `findings: ${codes}`;
}

async function replace(context: SmokeContext): Promise<undefined> {
  const { missionId, name = '' } = context.get('mission');
  const { mission } = await callAndExpectReply(context, 'PUT /v3/missions/{missionId}', {
    path: { missionId },
    headers: { 'content-type': 'application/geo+json' },
    body: fileOf(name, LINE.toReversed()),
  });
  expectThat(mission.version === 2, 'version 2', () => `${mission.version}`);
}

async function remove(context: SmokeContext): Promise<undefined> {
  const path = { missionId: context.get('mission').missionId };
  await callAndExpectReply(context, 'DELETE /v3/missions/{missionId}', { path });
  context.cleanUp.remove(`/v3/missions/${path.missionId}`);
  expectRefusal(await call(context, 'GET /v3/missions/{missionId}', { path }), 404, 'Mission not found');
}

export const missionSteps: readonly Step[] = [
  { name: 'create a mission', run: create },
  { name: 'read the mission', run: read },
  { name: 'list missions', run: list },
  { name: 'check a flight of the mission', run: checkFlight },
  { name: 'replace the mission', run: replace },
  { name: 'delete the mission', run: remove },
];
