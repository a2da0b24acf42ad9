/** Until when the line and the file of a version are kept. */
import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { handler as createJob } from '../../../lambdas/jobs/create-job.lambda';
import { handler as create } from '../../../lambdas/missions/create-mission.lambda';
import { handler as readMission } from '../../../lambdas/missions/get-mission.lambda';
import { handler as remove } from '../../../lambdas/missions/delete-mission.lambda';
import { handler as replace } from '../../../lambdas/missions/replace-mission.lambda';
import { expireMissionLine } from '../../../data/missions/mission-lines';
import { MissionLineRemoved, withMissionLine } from '../../../lambdas/missions/with-mission-line';
import type { Mission } from '../../../domain/missions/mission-record';
import { missionFile } from '../../api/given';
import { storeOnEngine } from '../../data/fixtures/engine';
import { missionBucket } from '../../data/fixtures/mission-bucket';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { call, callForText } from '../fixtures/api-gateway';
import '../fixtures/log';

const engine = storeOnEngine('missions', 'requests', 'jobs', 'fleet');
const bucket = missionBucket();
const scopes = ['command:create', 'command:read', 'command:update'] as const;
const geoJson = { 'content-type': 'application/geo+json' };
const DAY = 86_400;

const created = async () =>
  ((await call(create, { scopes, headers: geoJson, body: missionFile })).body['mission'] as Mission).missionId;
const replaced = (missionId: string) =>
  call(replace, { scopes, headers: geoJson, path: { missionId }, body: missionFile });
const removed = (missionId: string) => call(remove, { scopes, path: { missionId } });
const createdJob = async (missionId: string, scheduledAt?: string) => {
  const body = { name: 'Round', deviceGroupId: id('group'), missionId, ...(scheduledAt && { scheduledAt }) };
  const answer = await call(createJob, { scopes, body });
  expect(answer).toMatchObject({ status: 201 });
};
const inDays = (days: number) => new Date(Date.now() + days * DAY * 1000).toISOString();
/** Days until the line of a version may be removed; undefined: it stays. */
const daysOfLine = async (missionId: string, version = 1) => {
  const line = await engine.get('missions', { organisation: `${acme}#lines`, missionId: `${missionId}/${version}` });
  const { ttl } = line as { ttl?: number };
  return ttl === undefined ? undefined : (ttl - Date.now() / 1000) / DAY;
};

beforeEach(() =>
  engine.put('fleet', {
    fleetPartition: acme,
    id: id('group'),
    kind: 'group',
    deviceGroupId: id('group'),
    name: 'Harbour',
    description: '',
  }),
);

describe.each([
  ['replaced', replaced],
  ['deleted', removed],
])('a version that is %s', (_, end) => {
  test.each([
    ['no job', [], [90, 90]],
    ['a job of now', [undefined], [90, 91]],
    ['a job of the past minutes', [inDays(-1 / 1440)], [90, 91]],
    ['a job of next year', [inDays(365)], [455, 456]],
    ['a near job after a far one', [inDays(365), undefined, inDays(10)], [455, 456]],
    ['a far job after a near one', [undefined, inDays(365)], [455, 456]],
  ])('stays 90 days, or until 90 days after its last job: with %s', async (__, jobs, [least, most]) => {
    const missionId = await created();
    for (const scheduledAt of jobs) await createdJob(missionId, scheduledAt);
    expect(await daysOfLine(missionId)).toBeUndefined();
    await end(missionId);
    const days = (await daysOfLine(missionId)) ?? 0;
    // The answers took a moment.
    expect(days).toBeGreaterThan((least ?? 0) - 0.01);
    expect(days).toBeLessThan((most ?? 0) + 0.01);
    expect(bucket.has(`${missionId}/1`)).toBe(false);
  });
});

test('who reads a file while its mission is replaced gets that of the next version', async () => {
  const missionId = await created();
  const read = engine.answers('GetCommand');
  store
    .on(GetCommand, { TableName: 'missions' })
    .callsFakeOnce(async (input: object) => {
      const answer = await read(input);
      await replaced(missionId);
      return answer;
    })
    .callsFake(read);
  const query = { format: ['original'] };
  expect(await callForText(readMission, { scopes, path: { missionId }, query })).toMatchObject({
    status: 200,
    text: JSON.stringify(missionFile),
  });
});

test('the next version is kept for its own jobs only', async () => {
  const missionId = await created();
  await createdJob(missionId, inDays(365));
  await replaced(missionId);
  await removed(missionId);
  expect(await daysOfLine(missionId, 2)).toBeLessThan(90.01);
});

test('a job flies the version that replaces its mission while it is created, and that one is kept', async () => {
  const missionId = await created();
  const update = engine.answers('UpdateCommand');
  store
    .on(UpdateCommand, { UpdateExpression: 'SET #flown.#until = :flown_until' })
    .callsFakeOnce(async (input: object) => {
      await replaced(missionId);
      return update(input);
    })
    .callsFake(update);
  await createdJob(missionId, inDays(365));
  expect(await engine.all('jobs')).toMatchObject([{ missionVersion: 2 }]);
  await removed(missionId);
  expect(await daysOfLine(missionId, 1)).toBeLessThan(90.01);
  expect(await daysOfLine(missionId, 2)).toBeGreaterThan(455);
});

test('a mission that is deleted while a job is created is 404', async () => {
  const missionId = await created();
  const update = engine.answers('UpdateCommand');
  store
    .on(UpdateCommand, { UpdateExpression: 'SET #flown.#until = :flown_until' })
    .callsFakeOnce(async (input: object) => {
      await removed(missionId);
      return update(input);
    });
  const body = { name: 'Round', deviceGroupId: id('group'), missionId };
  expect(await call(createJob, { scopes, body })).toMatchObject({ status: 404 });
});

test('the jobs of a day cost one write', async () => {
  const missionId = await created();
  for (let count = 0; count < 3; count++) await createdJob(missionId);
  const notes = store.commandCalls(UpdateCommand, { UpdateExpression: 'SET #flown.#until = :flown_until' });
  expect(notes).toHaveLength(1);
});

test.each([
  ['of before', undefined],
  ['that a function of before has stored over another one', { version: 0, until: 0 }],
])('a version %s, of which nobody knows which jobs fly it, stays', async (_, flown) => {
  const missionId = await created();
  const stored = await engine.get('missions', { organisation: acme, missionId });
  await engine.put('missions', { ...stored, flown });
  await createdJob(missionId);
  await removed(missionId);
  expect([await daysOfLine(missionId), bucket.has(`${missionId}/1`)]).toEqual([undefined, true]);
});

test('a replacement is done although its version before can not be let go, and the log says so', async () => {
  const missionId = await created();
  mockClient(S3Client).on(DeleteObjectCommand).rejects(new Error('S3 is away'));
  const error = jest.spyOn(console, 'error').mockImplementation(() => {});
  expect(await replaced(missionId)).toMatchObject({ status: 200 });
  expect(error).toHaveBeenCalledTimes(1);
  error.mockRestore();
});

test('a job that waited until its line was removed is not told: without its waypoints it would be flown otherwise', async () => {
  const detail = { missionId: id('mission'), missionVersion: 1 };
  await expect(withMissionLine(detail)).rejects.toThrow(MissionLineRemoved);
});

test('a call that knows less lets no line go earlier', async () => {
  const missionId = await created();
  const inAYear = Math.floor(Date.now() / 1000) + 365 * DAY;
  await expireMissionLine({ missionId, version: 1 }, inAYear);
  await removed(missionId);
  expect(await daysOfLine(missionId)).toBeGreaterThan(364);
});
