import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { removeFromFleet } from '../../../data/fleet/fleet-registry';
import { jobFromItem, jobKey, jobToItem } from '../../../data/jobs/jobs';
import type { Job } from '../../../domain/jobs/job';
import { isFinal, jobStatuses, openStatuses } from '../../../domain/jobs/job-lifecycle';
import { handler } from '../../../lambdas/dispatch/dispatch-job.lambda';
import { standingItem } from '../../channels/standing-item';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

const engine = storeOnEngine('fleet', 'jobs', 'requests');
const queue = mockClient(SQSClient);
const place = { type: 'Point', coordinates: [8.5, 47.4] };
const numbered = (kind: string, number: number) => id(kind, acme, String(number).padStart(26, '0'));

/** A device that stands so many times 100 metres north of the place. */
async function givenDevice(
  number: number,
  change: { status?: 'online' | 'offline'; percent?: number; group?: number } = {},
) {
  const { status = 'online', percent = 90, group = 1 } = change;
  const deviceId = numbered('device', number);
  const place = [8.5, 47.4 + number * 0.0009] as const;
  await engine.put(
    'fleet',
    standingItem(acme, { deviceId, deviceGroupId: numbered('group', group), place, status, percent }),
  );
  return deviceId;
}
const givenGroup = (number: number) => {
  const deviceGroupId = numbered('group', number);
  return engine.put('fleet', {
    ...fleetKey(acme, deviceGroupId),
    kind: 'group',
    deviceGroupId,
    name: 'N',
    description: '',
  });
};
const givenJob = (job: Partial<Job>) => engine.put('jobs', jobToItem(acme, sampleJob(job)));

/** A busy machine needs a while for fifty calls. */
const TIME_LEFT_MS = 110_000;
jest.setTimeout(120_000);
const dispatch = (fields: object = {}, headers: Record<string, string> = {}) => {
  const sent = {
    scopes: ['command:create', 'resources:read'] as const,
    body: { name: 'Alarm', desiredLocation: place, ...fields },
    headers,
    limits: { 'POST /v3/jobs/dispatch': 6000 },
  };
  return call(handler, sent, TIME_LEFT_MS);
};
const deviceOf = ({ body }: { body: Record<string, unknown> }) => (body['job'] as Partial<Job> | undefined)?.deviceId;
const finalStatuses = jobStatuses.filter(isFinal);
const jobs = async () => (await engine.all('jobs')).map((item) => jobFromItem(item)?.job);

beforeEach(() => {
  process.env['RETRY_QUEUE_URL'] = 'https://sqs.test/retries';
  queue.reset();
  queue.on(SendMessageCommand).resolves({});
});

test('takes the nearest free device, and says where and when', async () => {
  const [second, nearest] = [await givenDevice(7), await givenDevice(3)];
  const answer = await dispatch({ flight: { speed: 20 }, actionOnArrival: 'ORBIT' });
  expect(answer).toMatchObject({
    status: 201,
    body: {
      success: true,
      job: { deviceId: nearest, deviceGroupId: numbered('group', 1), status: 'PENDING' },
      etaSeconds: 45,
      candidates: [{ deviceId: nearest }, { deviceId: second }],
    },
  });
  expect(answer.body['distance']).toBeCloseTo(300.2, 0);
  expect(await jobs()).toMatchObject([{ deviceId: nearest, actionOnArrival: 'ORBIT', flight: { speed: 20 } }]);
});

test('has a deadline in the queue before there is a job', async () => {
  await givenDevice(1);
  queue.on(SendMessageCommand).rejects(new Error('throttled'));
  expect((await dispatch()).status).toBe(500);
  expect(await jobs()).toEqual([]);
  queue.on(SendMessageCommand).resolves({});
  const { body } = await dispatch();
  const { jobId } = body['job'] as Job;
  expect(queue.commandCalls(SendMessageCommand).at(-1)?.args[0].input).toMatchObject({
    MessageBody: JSON.stringify({ untakenJob: jobId }),
    DelaySeconds: 60,
  });
});

test('passes over devices that are not free, with the reason', async () => {
  await givenDevice(1, { status: 'offline' });
  await givenDevice(2, { percent: 29 });
  await givenJob({ deviceId: await givenDevice(3), status: 'QUEUED' });
  const refused = await dispatch();
  expect(refused).toMatchObject({ status: 409, body: { error: 'no_device' } });
  expect(refused.body['details']).toEqual(
    expect.arrayContaining([
      { path: numbered('device', 1), message: 'OFFLINE' },
      { path: numbered('device', 2), message: 'LOW_CHARGE' },
      { path: numbered('device', 3), message: 'BUSY' },
    ]),
  );
  expect(await jobs()).toHaveLength(1);
  const far = await givenDevice(90);
  expect(deviceOf(await dispatch({ maxEtaSeconds: 800 }))).toBeUndefined();
  expect(deviceOf(await dispatch())).toBe(far);
});

test('passes over a device that was removed, and one that cannot be read', async () => {
  const [removed, unreadable, free] = [await givenDevice(1), await givenDevice(2), await givenDevice(3)];
  await removeFromFleet(acme, 'device', removed, new Date());
  await engine.put('fleet', { ...fleetKey(acme, unreadable), standsIn: acme, standsAt: 'there' });
  const told = jest.spyOn(console, 'error').mockReturnValue();
  const { body } = await dispatch();
  expect(told).toHaveBeenCalledTimes(1);
  told.mockRestore();
  expect((body['candidates'] as { deviceId: string }[]).map(({ deviceId }) => deviceId)).toEqual([free]);
  expect((await engine.get('fleet', fleetKey(acme, removed)))?.['standsIn']).toBeUndefined();
});

test('finds a free device behind a hundred that are not', async () => {
  for (let number = 1; number <= 100; number += 1) {
    const deviceId = await givenDevice(number, number <= 40 ? { percent: 5 } : {});
    if (number > 40) await givenJob({ jobId: numbered('job', number), deviceId });
  }
  const free = await givenDevice(101);
  expect(deviceOf(await dispatch())).toBe(free);
});

test('looks at the devices of the group only, if one is named', async () => {
  await givenGroup(2);
  await givenDevice(1);
  const inGroup = await givenDevice(5, { group: 2 });
  expect(deviceOf(await dispatch({ deviceGroupId: numbered('group', 2) }))).toBe(inGroup);
  expect(await dispatch({ deviceGroupId: numbered('group', 3) })).toMatchObject({ status: 404 });
});

test('fifty at once over twenty devices: twenty jobs, thirty refusals, no device twice', async () => {
  for (let number = 1; number <= 20; number += 1) await givenDevice(number);
  const answers = await Promise.all(Array.from({ length: 50 }, () => dispatch()));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(30);
  const taken = (await jobs()).map((job) => job?.deviceId);
  expect(new Set(taken).size).toBe(20);
  expect(taken).toHaveLength(20);
});

/** Ends of a job after which it needs its device no more. */
const ends: readonly (readonly [string, (item: Record<string, unknown>) => object | undefined])[] = [
  ...finalStatuses.map((status) => [status, (item: object) => ({ ...item, status })] as const),
  ['deleted', () => undefined],
  ['given another device', (item) => ({ ...item, deviceId: numbered('device', 9) })],
];

describe('a device that was dispatched a moment ago', () => {
  /** Dispatches the only device, and changes its job. */
  async function givenDispatched(change: (item: Record<string, unknown>) => object | undefined) {
    const deviceId = await givenDevice(1);
    expect(deviceOf(await dispatch())).toBe(deviceId);
    const [item] = await engine.all('jobs');
    const changed = change(item ?? {});
    if (changed) await engine.put('jobs', changed);
    else await engine.answers('DeleteCommand')({ TableName: 'jobs', Key: jobKey(String(item?.['jobId'])) });
    return deviceId;
  }

  test.each(ends)('is free at once when its job is %s', async (_, change) => {
    const deviceId = await givenDispatched(change);
    const { body } = await dispatch();
    expect(deviceOf({ body })).toBe(deviceId);
    expect(body['candidates']).toMatchObject([{ deviceId }]);
    expect(await dispatch()).toMatchObject({ status: 409, body: { details: [{ path: deviceId, message: 'BUSY' }] } });
  });

  test.each(ends)('is taken by one of twenty at once when its job is %s', async (_, change) => {
    await givenDispatched(change);
    const answers = await Promise.all(Array.from({ length: 20 }, () => dispatch()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test.each<[string, (item: Record<string, unknown>) => object]>([
    ...openStatuses.map(
      (status) => [status, (item: object) => ({ ...item, status })] as [string, (item: object) => object],
    ),
    ['in a status that nobody can read', (item) => ({ ...item, status: 'HELD' })],
  ])('is not free while its job is %s', async (_, change) => {
    const deviceId = await givenDispatched(change);
    expect(await dispatch()).toMatchObject({ status: 409, body: { details: [{ path: deviceId, message: 'BUSY' }] } });
  });

  test('is not free for a minute by a claim that names no job, as those of before', async () => {
    const deviceId = await givenDispatched(() => undefined);
    const [item] = (await engine.all('requests')).filter(({ id }) => String(id).startsWith('claim#'));
    const { jobId: _, ...former } = item ?? {};
    await engine.put('requests', former);
    expect(await dispatch()).toMatchObject({ status: 409, body: { details: [{ path: deviceId, message: 'BUSY' }] } });
    await engine.put('requests', { ...former, ttl: Math.floor(Date.now() / 1000) });
    expect(deviceOf(await dispatch())).toBe(deviceId);
  });
});

test('a device that measured its state too long ago is offline, whenever that arrived', async () => {
  const deviceId = await givenDevice(1);
  const item = await engine.get('fleet', fleetKey(acme, deviceId));
  const lastState = JSON.parse(String(item?.['lastState'])) as object;
  const timestamp = new Date(Date.now() - 45_000).toISOString();
  await engine.put('fleet', { ...item, lastState: JSON.stringify({ ...lastState, timestamp }) });
  expect(await dispatch()).toMatchObject({ status: 409, body: { details: [{ path: deviceId, message: 'OFFLINE' }] } });
});

test('a repeat of the key gets the same job, and takes no other device', async () => {
  await givenDevice(1);
  await givenDevice(2);
  const key = { 'Idempotency-Key': 'c0ffee00-1234-4abc-8def-0123456789ab' };
  const [first, second] = [await dispatch({}, key), await dispatch({}, key)];
  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect(await jobs()).toHaveLength(1);
  // It schedules no other deadline.
  expect(queue.calls()).toHaveLength(1);
});

test('repeats of a key that come at once get the same job, although its device is taken', async () => {
  await givenDevice(1);
  const key = { 'Idempotency-Key': 'c0ffee00-1234-4abc-8def-0123456789ab' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => dispatch({}, key)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([201, answers[0]?.body]));
  expect(await jobs()).toHaveLength(1);
});

test.each<[string, object, string]>([
  ['a device', { deviceId: numbered('device', 1) }, 'deviceId'],
  ['a time', { scheduledAt: '2035-01-01T00:00:00Z' }, 'scheduledAt'],
  ['no location', { desiredLocation: undefined }, 'desiredLocation'],
  ['an incomplete action', { actionOnArrival: 'MISSION' }, 'missionId'],
  ['no time to arrive', { maxEtaSeconds: 0 }, 'maxEtaSeconds'],
])('refuses %s with the path, and stores nothing', async (_, fields, path) => {
  await givenDevice(1);
  expect(await dispatch(fields)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  expect(await jobs()).toEqual([]);
  expect(queue.calls()).toHaveLength(0);
});

test('a job that can’t be read keeps its device, and no other', async () => {
  const [nearest, second] = [await givenDevice(3), await givenDevice(7)];
  const unreadable = jobToItem(acme, sampleJob({ deviceId: nearest }));
  await engine.put('jobs', {
    ...unreadable,
    jobId: `${unreadable.jobId.slice(0, -26)}${'9'.repeat(26)}`,
    status: 'HELD',
  });
  expect(deviceOf(await dispatch())).toBe(second);
});
