import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { clients } from '../api/client';
import { givenJob, givenJobThatIs, givenShare } from '../api/given';
import { access, database, runProgram, tableNamed } from '../api/stack/aws-access';
import { listenAsPlatform, type ReceivedEvent } from './platform-bus';
import { follow } from './socket';
import { until } from './until';

const [partner] = clients('restore-items');
const { organisationId } = partner.credentials;
const organisation = organisationId.replace(/^org-/, '');
const receive = listenAsPlatform();
const copies: string[] = [];
afterAll(() =>
  Promise.all(copies.map((TableName) => new DynamoDBClient(access()).send(new DeleteTableCommand({ TableName })))),
);

/** Copies the organisation's items of a table into another one, as it is at this moment. @returns its name */
async function copyOf(part: 'Jobs' | 'Shares'): Promise<string> {
  const client = new DynamoDBClient(access());
  const TableName = await tableNamed(part);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const AttributeDefinitions = (Table?.KeySchema ?? []).map(({ AttributeName }) => ({
    AttributeName,
    AttributeType: 'S' as const,
  }));
  const copy = `${TableName}-copy-${Date.now()}`;
  const { KeySchema } = Table ?? {};
  await client.send(
    new CreateTableCommand({ TableName: copy, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' }),
  );
  copies.push(copy);
  const { Items = [] } = await database().send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'organisation = :organisation',
      ExpressionAttributeValues: { ':organisation': organisation },
    }),
  );
  for (let from = 0; from < Items.length; from += 25) {
    const puts = Items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await database().send(new BatchWriteCommand({ RequestItems: { [copy]: puts } }));
  }
  return copy;
}

const restore = (...words: string[]) => runProgram('bin/restore-items.ts', ...words);
const stateOf = async (jobId: string) => {
  const { status, body } = await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } });
  return status === 200 ? { name: body.job.name, status: body.job.status, version: body.job.version } : status;
};
const change = async (jobId: string, body: object) =>
  expect((await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body })).status).toBe(200);
const cancel = async (jobId: string) =>
  expect((await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } })).status).toBe(200);
/** The sequence and the state of each event in a job's timeline. */
const timelineOf = (jobId: string, count: number) =>
  until(`${count} events of ${jobId}`, async () => {
    const { body } = await partner.call('GET /v3/jobs/{jobId}/events', { path: { jobId } });
    return body.events.length >= count ? body.events.map((each) => [each.sequence, each['jobState']]) : undefined;
  });

/** Reads what the platform hears until an event says what is expected. @returns all events until then */
async function platformHears(isExpected: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent[]> {
  const heard: ReceivedEvent[] = [];
  await until('an event of the platform', async () => {
    heard.push(...(await receive()));
    return heard.some(isExpected) || undefined;
  });
  return heard;
}

test('a restore of jobs puts back what was lost, and flies no job again', async () => {
  const damaged = (await givenJob(partner, { name: 'as it was' })).jobId;
  const cancelled = (await givenJob(partner)).jobId;
  const deleted = (await givenJob(partner)).jobId;
  const completed = await givenJobThatIs('QUEUED', partner);
  const flying = await givenJobThatIs('QUEUED', partner);
  const wanted = (await givenJob(partner, { name: 'deleted by mistake' })).jobId;
  const copy = await copyOf('Jobs');
  // What happens between the copy and the restore.
  const later = (await givenJob(partner, { name: 'created since' })).jobId;
  await change(damaged, { name: 'damaged' });
  await cancel(cancelled);
  for (const jobId of [deleted, wanted]) await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
  for (const status of ['IN_PROGRESS', 'COMPLETED']) await change(completed, { status });
  await change(flying, { status: 'IN_PROGRESS', name: 'damaged too' });
  await timelineOf(completed, 4);

  const told = await restore('jobs', '--from', copy, '--item', wanted);
  expect(told).toContain(`change    ${damaged}  name\n`);
  expect(told).toContain(`keep      ${cancelled}  CANCELLED\n`);
  expect(told).toContain(`keep      ${deleted}  deleted\n`);
  expect(told).toContain(`keep      ${completed}  COMPLETED\n`);
  expect(told).toContain(`put back  ${wanted}\n`);
  expect(await stateOf(damaged)).toMatchObject({ name: 'damaged' });

  const socket = await follow(partner, { kind: 'job', id: damaged });
  await socket.first(1);
  const names = join(tmpdir(), `${copy}.items`);
  await writeFile(names, `${wanted}\n`);
  expect(await restore('jobs', '--from', copy, '--items', names, '--write')).toBe(told.replaceAll('would be ', ''));

  expect(await stateOf(damaged)).toEqual({ name: 'as it was', status: 'PENDING', version: 3 });
  expect(await stateOf(cancelled)).toMatchObject({ status: 'CANCELLED', version: 2 });
  expect(await stateOf(deleted)).toBe(404);
  expect(await stateOf(completed)).toMatchObject({ status: 'COMPLETED', version: 4 });
  expect(await stateOf(flying)).toMatchObject({ status: 'IN_PROGRESS', version: 4 });
  expect(await stateOf(later)).toEqual({ name: 'created since', status: 'PENDING', version: 1 });
  // Its deletion was version 2.
  expect(await stateOf(wanted)).toEqual({ name: 'deleted by mistake', status: 'PENDING', version: 3 });

  // Each restored item is an event: in the log, on the channel and on the bus.
  const [, message] = await socket.first(2);
  expect(message).toMatchObject({ type: 'job.status', sequence: 3, jobState: 'PENDING' });
  expect(await timelineOf(damaged, 2)).toEqual([
    [1, 'PENDING'],
    [3, 'PENDING'],
  ]);
  expect(await timelineOf(wanted, 3)).toEqual([
    [1, 'PENDING'],
    [2, 'PENDING'],
    [3, 'PENDING'],
  ]);
  const heard = await platformHears(({ detail }) => detail['jobId'] === wanted && detail['version'] === 3);
  const versionsOf = (id: string) =>
    heard
      .filter(({ detail }) => detail['jobId'] === id)
      .map((one) => `${one['detail-type']} ${String(one.detail['version'])}`);
  expect(versionsOf(damaged)).toContain('job.updated 3');
  expect(versionsOf(wanted)).toContain('job.created 3');
  expect(['job.created 1', 'job.cancelled 2']).toEqual(expect.arrayContaining(versionsOf(cancelled)));
  expect(['job.created 1', 'job.deleted 2']).toEqual(expect.arrayContaining(versionsOf(deleted)));

  // What happens after it has a new place in the timeline.
  await cancel(damaged);
  expect(await timelineOf(damaged, 3)).toContainEqual([4, 'CANCELLED']);
});

test('a restore of shares lets nobody in whose link was revoked', async () => {
  const [kept, revoked] = [await givenShare(partner), await givenShare(partner)];
  const copy = await copyOf('Shares');
  const path = { shareCode: revoked.shareCode };
  expect((await partner.call('DELETE /v3/streams/share/{shareCode}', { path })).status).toBe(200);
  const told = await restore('shares', '--from', copy, '--write');
  expect(told).toMatch(/^keep {6}[0-9a-f]{32} {2}deleted\n/m);
  expect(told).not.toContain(revoked.shareCode);
  expect((await partner.call('GET /v3/streams/share/{shareCode}', { path })).status).toBe(404);
  expect(
    (await partner.call('GET /v3/streams/share/{shareCode}', { path: { shareCode: kept.shareCode } })).status,
  ).toBe(200);
});

test('jobs that change during a restore are neither lost nor put back', async () => {
  const jobIds: string[] = [];
  for (let number = 0; number < 20; number++) jobIds.push((await givenJob(partner, { name: 'as it was' })).jobId);
  const copy = await copyOf('Jobs');
  for (const jobId of jobIds) await change(jobId, { name: 'damaged' });
  const changing = async () => {
    for (const [index, jobId] of jobIds.entries())
      if (index % 2 === 0) await cancel(jobId);
      else await change(jobId, { status: 'QUEUED' });
  };
  await Promise.all([restore('jobs', '--from', copy, '--write'), changing()]);
  for (const [index, jobId] of jobIds.entries()) {
    // What is cancelled before its turn stays as it is.
    const expected = index % 2 === 0 ? { status: 'CANCELLED' } : { status: 'QUEUED', name: 'as it was' };
    expect(await stateOf(jobId)).toMatchObject(expected);
  }
});
