import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { jobToItem } from '../../../data/jobs/jobs';
import { insertMission } from '../../../data/missions/missions';
import { PLATFORM, SERVICE } from '../../../domain/values/service';
import { handler as consumeEvent } from '../../../lambdas/platform/consume-platform-events.lambda';
import { handler } from '../../../lambdas/dispatch/check-job.lambda';
import { standingItem } from '../../channels/standing-item';
import { storeOnEngine } from '../../data/fixtures/engine';
import { missionBucket } from '../../data/fixtures/mission-bucket';
import { store } from '../../data/fixtures/store';
import { acme, rival, id, sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

const engine = storeOnEngine('fleet', 'jobs', 'requests', 'missions');
missionBucket();
const bus = mockClient(EventBridgeClient);

const deviceGroupId = id('group');
const place = { type: 'Point', coordinates: [8.5, 47.4] };
const numbered = (kind: string, number: number) => id(kind, acme, String(number).padStart(26, '0'));

/** A device of the group that stands so many times 100 metres north of the place. */
async function givenDevice(number: number, change: { percent?: number; group?: string } = {}) {
  const { percent = 90, group = deviceGroupId } = change;
  const deviceId = numbered('device', number);
  const at = [8.5, 47.4 + number * 0.0009] as const;
  await engine.put('fleet', standingItem(acme, { deviceId, deviceGroupId: group, place: at, percent }));
  return deviceId;
}

/** What was asked of the platform. */
const asked = () =>
  bus
    .commandCalls(PutEventsCommand)
    .flatMap(({ args: [{ input }] }) => input.Entries ?? [])
    .map(
      ({ Source, DetailType, Detail = '' }) =>
        [Source, DetailType, JSON.parse(Detail) as { requestId: string }] as const,
    );

/** Reports as the platform would, over the bus. */
const report = (requestId: string | undefined, detail: object) =>
  consumeEvent({
    id: 'event-1',
    source: PLATFORM,
    'detail-type': 'mission.check.reported',
    time: new Date().toISOString(),
    detail: { requestId, ...detail },
  });

/** A platform that answers each question. */
const givenPlatform = (answer: object) =>
  bus.on(PutEventsCommand).callsFake(async ({ Entries = [] }: PutEventsCommand['input']) => {
    for (const { Detail = '' } of Entries)
      await report((JSON.parse(Detail) as { requestId: string }).requestId, answer);
    return { FailedEntryCount: 0 };
  });

const check = (fields: object = {}) =>
  call(handler, {
    scopes: ['command:create', 'resources:read'],
    body: { name: 'Look at the gate', deviceGroupId, desiredLocation: place, ...fields },
  });

const needs = { length: 1200, durationSeconds: 210, charge: 11.5 };

beforeEach(async () => {
  process.env['PLATFORM_BUS'] = 'platform';
  bus.reset();
  bus.on(PutEventsCommand).resolves({ FailedEntryCount: 0 });
  await engine.put('fleet', {
    ...fleetKey(acme, deviceGroupId),
    kind: 'group',
    deviceGroupId,
    name: 'N',
    description: '',
  });
});

test('a job that the platform and a free device can fly is feasible, and is not created', async () => {
  const [far, near] = [await givenDevice(7), await givenDevice(3)];
  givenPlatform({ ...needs, findings: [] });
  const { status, body } = await check({ flight: { speed: 20 } });
  expect([status, body]).toEqual([
    200,
    {
      success: true,
      feasible: true,
      ...needs,
      findings: [],
      candidates: [
        { deviceId: near, distance: expect.closeTo(300.2, 0) as number, etaSeconds: 45 },
        { deviceId: far, distance: expect.closeTo(700.4, 0) as number, etaSeconds: 65 },
      ],
    },
  ]);
  expect(await engine.all('jobs')).toEqual([]);
});

test('the platform is asked about the flight only, with an identifier that nobody can guess', async () => {
  givenPlatform({ findings: [] });
  await check({ priority: 9, description: 'North', metadata: { order: 1 }, scheduledAt: '2035-01-01T00:00:00Z' });
  await check();
  const [[source, type, first], [, , second]] = asked() as [ReturnType<typeof asked>[0], ReturnType<typeof asked>[0]];
  expect([source, type]).toEqual([SERVICE, 'mission.check.requested']);
  expect(first).toEqual({
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    eventVersion: 1,
    organisationId: `org-${acme}`,
    at: expect.any(String) as string,
    deviceGroupId,
    desiredLocation: place,
    actionOnArrival: 'HOVER',
    metadata: { order: 1 },
    scheduledAt: '2035-01-01T00:00:00.000Z',
  });
  expect(second.requestId).not.toBe(first.requestId);
});

test('a mission of the service is sent with its version and line, and its start ranks the devices', async () => {
  const near = await givenDevice(2);
  const missionId = id('mission');
  const line = { waypoints: [[8.5, 47.4] as const, [8.51, 47.4] as const], heightReference: 'JOB' as const };
  const file = { name: 'Fence', mediaType: 'application/geo+json', line } as const;
  await insertMission(acme, missionId, file, Buffer.from('{}'), new Date().toISOString());
  givenPlatform({ findings: [{ code: 'TOO_STEEP', waypoint: 1, path: 'missionId', limit: 30, actual: 41.5 }] });
  const { body } = await check({ missionId, desiredLocation: undefined });
  expect(asked()[0]?.[2]).toMatchObject({
    missionId,
    missionVersion: 1,
    missionLine: line,
    actionOnArrival: 'MISSION',
  });
  expect(body).toMatchObject({
    feasible: false,
    findings: [{ code: 'TOO_STEEP', waypoint: 1, path: 'missionId', limit: 30, actual: 41.5 }],
    candidates: [{ deviceId: near }],
  });
});

test('without an answer in time it is undecided and not feasible; a late one is read by nobody', async () => {
  await givenDevice(1);
  const { body } = await check();
  expect(body).toMatchObject({ feasible: false, findings: [{ code: 'UNDECIDED' }], candidates: [{}] });
  expect(body).not.toHaveProperty('charge');
  // Reads of the report, and of nothing else.
  expect(store.commandCalls(GetCommand)).toHaveLength(9);
  await report(asked()[0]?.[2].requestId, { findings: [] });
  givenPlatform({ findings: [{ code: 'WEATHER' }] });
  expect((await check()).body).toMatchObject({ feasible: false, findings: [{ code: 'WEATHER' }] });
});

test('an answer to a question that nobody asked is accepted, changes nothing, and is gone after five minutes', async () => {
  expect(await report('check-1', { ...needs, findings: [] })).toBeUndefined();
  const [item, ...others] = await engine.all('requests');
  expect([item?.['id'], others]).toEqual(['check#check-1', []]);
  expect(Number(item?.['ttl']) - Date.now() / 1000).toBeGreaterThan(200);
  expect(Number(item?.['ttl']) - Date.now() / 1000).toBeLessThanOrEqual(300);
  expect(bus.calls()).toHaveLength(0);
});

test('no device that is free now is a finding, but not of a job for later', async () => {
  await givenDevice(1, { percent: 5 });
  const busy = await givenDevice(2);
  await engine.put('jobs', jobToItem(acme, sampleJob({ deviceId: busy, status: 'QUEUED' })));
  givenPlatform({ ...needs, findings: [] });
  expect((await check()).body).toMatchObject({
    feasible: false,
    ...needs,
    findings: [{ code: 'NO_DEVICE' }],
    candidates: [{ reason: 'LOW_CHARGE' }, { deviceId: busy, reason: 'BUSY' }],
  });
  expect((await check({ scheduledAt: '2035-01-01T00:00:00Z' })).body).toMatchObject({
    feasible: true,
    findings: [],
    candidates: [{ reason: 'LOW_CHARGE' }, { deviceId: busy, reason: 'BUSY' }],
  });
});

test('only the device that the job names is a candidate, and only of its group', async () => {
  const [, named] = [await givenDevice(1), await givenDevice(5)];
  await givenDevice(2, { group: numbered('group', 2) });
  givenPlatform({ findings: [] });
  const candidatesOf = async (fields: object) =>
    ((await check(fields)).body['candidates'] as { deviceId: string }[]).map(({ deviceId }) => deviceId);
  expect(await candidatesOf({ deviceId: named })).toEqual([named]);
  expect(await candidatesOf({})).toEqual([numbered('device', 1), named]);
});

test('a job without a place has no candidates: the platform alone judges it', async () => {
  givenPlatform({ findings: [] });
  expect((await check({ desiredLocation: undefined })).body).toEqual({
    success: true,
    feasible: true,
    findings: [],
    candidates: [],
  });
});

test.each<[number, string, object, object]>([
  [400, 'a time in the past', { scheduledAt: '1970-01-01T00:00:00Z' }, { details: [{ path: 'scheduledAt' }] }],
  [400, 'an incomplete action', { actionOnArrival: 'MISSION' }, { details: [{ path: 'missionId' }] }],
  [400, 'an unknown field', { colour: 1 }, { details: [{ path: 'colour' }] }],
  [400, 'a device of no group', { deviceId: 'device-1' }, { details: [{ path: 'deviceId' }] }],
  [
    403,
    'a group of another organisation',
    { deviceGroupId: id('group', rival) },
    { details: [{ path: 'deviceGroupId' }] },
  ],
  [404, 'an unknown group', { deviceGroupId: numbered('group', 9) }, { error: 'Device group not found' }],
  [404, 'an unknown mission', { desiredLocation: undefined, missionId: id('mission') }, { error: 'Mission not found' }],
])('answers %d for %s, and asks nobody', async (status, _, fields, body) => {
  const foreignGroup = id('group', rival);
  const foreign = { kind: 'group', deviceGroupId: foreignGroup, name: 'S', description: '' };
  await engine.put('fleet', { ...fleetKey(rival, foreignGroup), ...foreign });
  expect(await check(fields)).toMatchObject({ status, body });
  expect(bus.calls()).toHaveLength(0);
});

test('a number of the platform that no store of decimals takes comes through', async () => {
  await givenDevice(1);
  givenPlatform({ findings: [{ code: 'WEATHER', limit: 2.9e-266, actual: 1 }] });
  expect((await check()).body).toMatchObject({ findings: [{ code: 'WEATHER', limit: 2.9e-266, actual: 1 }] });
});
