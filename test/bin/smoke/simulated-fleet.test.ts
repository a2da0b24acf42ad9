import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { partnersShape } from '../../../bin/start/stack-facts';
import { isFinal, jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { smoke, stepsThat } from './smoke-run';
import { until } from '../../channels/until';
import { startStack, stopStack, type RunningStack } from '../../api/stack/running-stack';

/** A stack of its own, since the shared one has no fleet. */
let stack: RunningStack;
let baseUrl = '';
let token = '';
let deviceGroupId = '';

/** Mostly for starting the stack. */
jest.setTimeout(180_000);

const device = z.object({
  deviceId: z.string(),
  status: z.string(),
  lastState: z
    .object({ navigation: z.object({ position: z.object({ coordinates: z.array(z.number()) }) }) })
    .optional(),
});
const answer = z.looseObject({
  access_token: z.string().optional(),
  job: z.looseObject({ jobId: z.string(), status: z.string() }).optional(),
  events: z.array(z.looseObject({ jobState: z.string() })).optional(),
  mission: z.object({ missionId: z.string() }).optional(),
  findings: z.array(z.looseObject({ code: z.string() })).optional(),
  resources: z.array(z.object({ devices: z.array(device) })).optional(),
  features: z.array(z.object({ geometry: z.object({ coordinates: z.array(z.array(z.number())) }) })).optional(),
});

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.parse(await response.json());
}

interface Sample {
  readonly type: string;
  readonly snapshot?: true;
  readonly navigation?: { readonly orientation?: object };
}

const finals: readonly string[] = jobStatuses.filter(isFinal);

/** All states of a new job, to its final one: from its timeline, since some last for moments only. */
async function flown(fields: object = {}): Promise<string[]> {
  const { job } = await call('POST', '/v3/jobs/create', { name: 'Survey', deviceGroupId, ...fields });
  const deadline = Date.now() + 120_000;
  for (;;) {
    const { events = [] } = await call('GET', `/v3/jobs/${job?.jobId ?? ''}/events`);
    const states = events.map(({ jobState }) => jobState);
    if (finals.includes(states.at(-1) ?? '') || Date.now() > deadline) return states;
    await pause(150);
  }
}

beforeAll(async () => {
  stack = await startStack(['--fleet-speed', '20']);
  const facts = partnersShape
    .extend({ baseUrl: z.string() })
    .parse(JSON.parse(readFileSync(join(stack.folder, 'stack.json'), 'utf8')));
  const [partner] = facts.partners;
  if (!partner) throw new Error('the stack has no demo partner');
  baseUrl = facts.baseUrl;
  deviceGroupId = partner.deviceGroups[0]?.deviceGroupId ?? '';
  const { clientId: client_id, clientSecret: client_secret } = partner;
  const request = { grant_type: 'client_credentials', client_id, client_secret };
  token = (await call('POST', '/v3/auth/token', request, { 'x-api-key': partner.apiKey })).access_token ?? '';
});

afterAll(async () => {
  await stopStack(stack);
  rmSync(stack.folder, { recursive: true });
});

test('a new job is flown to completion', async () => {
  expect(await flown()).toEqual(['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED']);
});

test('jobs with a simulated failure fail, on the ground or in the air', async () => {
  const failing = (simulate: string) => flown({ metadata: { simulate } });
  const inTheAir = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'FAILED'];
  expect(await Promise.all(['dock-fault', 'abort', 'link-loss', 'low-battery'].map(failing))).toEqual([
    ['PENDING', 'QUEUED', 'FAILED'],
    inTheAir,
    inTheAir,
    inTheAir,
  ]);
});

test('a flight that will be aborted is not made COMPLETED by its partner, and fails', async () => {
  const body = { name: 'Survey', deviceGroupId, metadata: { simulate: 'abort' } };
  const path = `/v3/jobs/${(await call('POST', '/v3/jobs/create', body)).job?.jobId ?? ''}`;
  const becomes = (...statuses: string[]) =>
    until(statuses.join(), async () => statuses.includes((await call('GET', path)).job?.status ?? '') || undefined);
  await becomes('IN_PROGRESS', 'FAILED');
  expect(await call('PATCH', path, { status: 'COMPLETED' })).toMatchObject({ error: 'invalid_request' });
  await becomes('COMPLETED', 'FAILED');
  expect((await call('GET', path)).job).toMatchObject({ status: 'FAILED', reason: 'ABORTED' });
});

test('a flight to a place passes within five metres of it, as its track says', async () => {
  const { resources = [] } = await call('GET', '/v3/resources?include=state');
  const [device] = resources[0]?.devices ?? [];
  const [east = 0, north = 0] = device?.lastState?.navigation.position.coordinates ?? [];
  const place = [east + 0.003, north - 0.002];
  const desiredLocation = { type: 'Point', coordinates: place };
  const flight = { height: 50, speed: 15, holdSeconds: 90 };
  const { job } = await call('POST', '/v3/jobs/create', {
    name: 'Alarm',
    deviceGroupId,
    deviceId: device?.deviceId,
    desiredLocation,
    flight,
  });
  const path = `/v3/jobs/${job?.jobId ?? ''}`;
  const statusNow = async () => (await call('GET', path)).job;
  await until('the end of the flight', async () => ((await statusNow())?.status === 'COMPLETED' ? true : undefined));
  expect(await statusNow()).toMatchObject({ actionOnArrival: 'HOVER', plannedFlight: flight });
  expect(await statusNow()).toMatchObject({ progress: { percent: 100, distanceLeft: 0, secondsLeft: 0 } });
  const { features = [] } = await call('GET', `${path}/track`);
  const metres = features
    .flatMap(({ geometry }) => geometry.coordinates)
    .map(([x = 0, y = 0]) => {
      const [dx, dy] = [x - (place[0] ?? 0), y - (place[1] ?? 0)];
      return 111_320 * Math.hypot(dx * Math.cos((y * Math.PI) / 180), dy);
    });
  expect(Math.min(...metres)).toBeLessThan(5);
});

test('the nearest drone of an alarm takes off, arrives and lands', async () => {
  const { resources = [] } = await call('GET', '/v3/resources?include=state');
  const place = resources[0]?.devices[0]?.lastState?.navigation.position.coordinates ?? [];
  const desiredLocation = { type: 'Point', coordinates: [(place[0] ?? 0) + 0.002, place[1] ?? 0] };
  const flight = { speed: 15, holdSeconds: 20 };
  const { job } = await call('POST', '/v3/jobs/dispatch', { name: 'Alarm', desiredLocation, flight });
  const path = `/v3/jobs/${job?.jobId ?? ''}`;
  await until('its landing', async () => ((await call('GET', path)).job?.status === 'COMPLETED' ? true : undefined));
  expect((await call('GET', path)).job).toMatchObject({ deviceId: job?.['deviceId'], actionOnArrival: 'HOVER' });
});

test('a mission is flown along its line by the nearest drone, as its track says', async () => {
  const { resources = [] } = await call('GET', '/v3/resources?include=state');
  const [east = 0, north = 0] = resources[0]?.devices[0]?.lastState?.navigation.position.coordinates ?? [];
  const [west, to, latitude] = [east + 0.002, east + 0.012, north + 0.003];
  const coordinates = [
    [west, latitude, 50],
    [to, latitude, 50],
  ];
  const file = {
    type: 'Feature',
    geometry: { type: 'LineString', coordinates },
    properties: { heightReference: 'TAKE_OFF' },
  };
  const { mission } = await call('POST', '/v3/missions', file, { 'content-type': 'application/geo+json' });
  const dispatch = { name: 'Fence', missionId: mission?.missionId, flight: { speed: 10 } };
  const { job } = await call('POST', '/v3/jobs/dispatch', dispatch);
  const path = `/v3/jobs/${job?.jobId ?? ''}`;
  await until('its landing', async () => ((await call('GET', path)).job?.status === 'COMPLETED' ? true : undefined));
  expect((await call('GET', path)).job).toMatchObject({ missionVersion: 1, plannedFlight: { speed: 10 } });
  const { features = [] } = await call('GET', `${path}/track`);
  const onLine = features
    .flatMap(({ geometry }) => geometry.coordinates)
    .filter(([x = 0, y = 0]) => x > west && x < to && 111_320 * Math.abs(y - latitude) < 5);
  expect(onLine.length).toBeGreaterThan(1);
});

test('a check says what the flight of a job takes, and why a job would fail', async () => {
  const { resources = [] } = await call('GET', '/v3/resources?include=state');
  const [device] = resources[0]?.devices ?? [];
  const [east = 0, north = 0] = device?.lastState?.navigation.position.coordinates ?? [];
  const checked = (place: readonly number[]) =>
    until('the answer of the fleet', async () => {
      const answer = await call('POST', '/v3/jobs/check', {
        name: 'Look',
        deviceGroupId,
        deviceId: device?.deviceId,
        desiredLocation: { type: 'Point', coordinates: place },
        scheduledAt: '2035-01-01T00:00:00Z',
      });
      const isUndecided = answer.findings?.some(({ code }) => code === 'UNDECIDED') ?? true;
      return isUndecided ? undefined : answer;
    });
  expect(await checked([east, north + 0.005])).toMatchObject({ feasible: true, findings: [] });
  const far = { deviceId: device?.deviceId, desiredLocation: { type: 'Point', coordinates: [east, north + 0.5] } };
  expect(await checked(far.desiredLocation.coordinates)).toMatchObject({
    feasible: false,
    findings: [{ code: 'LOW_BATTERY', limit: 75 }],
  });
  const { job } = await call('POST', '/v3/jobs/create', { name: 'Look', deviceGroupId, ...far });
  const path = `/v3/jobs/${job?.jobId ?? ''}`;
  await until('its failure', async () => ((await call('GET', path)).job?.status === 'FAILED' ? true : undefined));
  expect((await call('GET', path)).job).toMatchObject({ reason: 'LOW_BATTERY' });
});

test('a scheduled job waits while others fly', async () => {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  const { job } = await call('POST', '/v3/jobs/create', { name: 'Later', deviceGroupId, scheduledAt });
  expect(await flown()).toEqual(['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED']);
  const path = `/v3/jobs/${job?.jobId ?? ''}`;
  expect((await call('GET', path)).job?.status).toBe('PENDING');
});

test('idle devices are online', async () => {
  const { resources = [] } = await call('GET', '/v3/resources');
  const statuses = resources.flatMap(({ devices }) => devices.map(({ status }) => status));
  expect(new Set(statuses)).toEqual(new Set(['online']));
});

test('the smoke test passes with a fleet, which flies its job', async () => {
  const words = ['--credentials', join(stack.folder, 'stack.json'), '--without', 'limits'];
  const outcome = await smoke(words, { timeouts: { fleetMs: 30_000 } });
  expect([stepsThat('FAIL', outcome), outcome.exitCode]).toEqual([[], 0]);
  const line = outcome.lines.find((printedLines) => printedLines.startsWith('ok    lifecycle of a job'));
  expect(line).toMatch(/\(the fleet made it (QUEUED|IN_PROGRESS|COMPLETED)\)$/);
});

test('npm start shows a drone in the air: its link is the first line, no secret is printed, and viewers receive samples', async () => {
  const { demoFlightUrl, partners } = partnersShape
    .extend({ demoFlightUrl: z.string() })
    .parse(JSON.parse(readFileSync(join(stack.folder, 'stack.json'), 'utf8')));
  const output = readFileSync(join(stack.folder, 'output.log'), 'utf8');
  expect(output).toContain(`\nA drone is flying: open ${demoFlightUrl}\n`);
  for (const { clientSecret, apiKey } of partners) {
    expect(output).not.toContain(clientSecret);
    expect(output).not.toContain(apiKey);
  }
  const link = new URL(demoFlightUrl);
  const socket = new WebSocket(`ws://${link.host}/telemetry?shareCode=${link.pathname.split('/')[2] ?? ''}`);
  const sample = await new Promise<Sample>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Sample;
      // A device at rest has no orientation: at this speed the first flight lasts for 90 s, and the next one follows
      // within a minute.
      if (message.type === 'device.telemetry' && !message.snapshot && message.navigation?.orientation) resolve(message);
    });
  });
  socket.close();
  expect(sample).toMatchObject({ navigation: { orientation: { heading: expect.any(Number) as number } } });
});
