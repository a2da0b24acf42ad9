import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { listenersKey } from '../../../data/channels/listeners';
import { commandToItem } from '../../../data/commands/commands';
import { jobToItem as jobItem } from '../../../data/jobs/jobs';
import type { CommandRecord } from '../../../domain/commands/command-record';
import { connection } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { record } from '../../data/fixtures/stream-record';
import { published } from '../../data/fixtures/topics';
import { acme, id, sampleCommand, sampleJob } from '../../domain/fixtures/samples';
import { written } from '../fixtures/log';
import { run } from '../fixtures/status-fan-out';
import { later, sentTo } from '../fixtures/telemetry';

const done = sampleCommand({ status: 'DONE', endedAt: '2026-11-27T10:30:04.000Z', version: 2 });
const streamed = (before: CommandRecord | undefined, after: CommandRecord | undefined, shareCode?: string) => {
  const { deviceId, commandId } = after ?? before ?? done;
  const item = (one: CommandRecord | undefined) => one && commandToItem(one, shareCode);
  return run(record({ deviceId, commandId }, item(before), item(after)));
};
const topics = () => published().map(({ topic }) => topic);
const follow = (channel: string, ...Items: object[]) =>
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': channel } }).resolves({ Items });

beforeEach(() => {
  follow(`job#${id('job')}`, connection({ connectionId: 'of-job' }));
  follow(`group#${id('group')}`, connection({ channel: `group#${id('group')}`, connectionId: 'of-group' }));
});

const givenJob = (topicUntil?: number) =>
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: { ...jobItem(acme, sampleJob()), topicUntil } });

test('a change of a command goes to the sockets of its job and its group, and to their topics', async () => {
  givenJob(later);
  expect(await streamed(sampleCommand(), done)).toEqual({ batchItemFailures: [] });
  const expected = {
    type: 'command.status',
    commandId: done.commandId,
    status: 'DONE',
    sequence: 2,
    cursor: expect.any(String) as string,
  };
  expect(sentTo('of-job')).toMatchObject([expected]);
  expect(sentTo('of-group')).toMatchObject([expected]);
  expect(topics().sort()).toEqual([`${id('group')}/DEVICE/STATUS`, `${id('job')}/JOB/STATUS`]);
  expect(JSON.stringify([sentTo(), published()])).not.toMatch(/parameters|startBefore|shareCode/);
});

test.each([
  ['its job has no subscribers', () => givenJob()],
  ['its job was deleted', () => store.on(GetCommand, { TableName: 'jobs' }).resolves({})],
])('nothing is published to the topic of the job when %s', async (_, given) => {
  given();
  await streamed(undefined, sampleCommand());
  expect(topics()).toEqual([`${id('group')}/DEVICE/STATUS`]);
});

describe('of an organisation', () => {
  const key = listenersKey(acme);
  const givenListeners = (until: object) => store.on(GetCommand, { Key: key }).resolves({ Item: { ...key, ...until } });
  const before = 1;

  test.each([
    ['that may have sockets only', { socketsUntil: later, topicUntil: before }, { sockets: 1, topics: 0, jobs: 0 }],
    [
      'that may have MQTT clients only',
      { socketsUntil: before, topicUntil: later },
      { sockets: 0, topics: 2, jobs: 1 },
    ],
    ['without either', { socketsUntil: before, topicUntil: before }, { sockets: 0, topics: 0, jobs: 0 }],
    ['of which nothing is noted', {}, { sockets: 1, topics: 2, jobs: 1 }],
  ])('%s a command goes to those, and nothing is read for the others', async (_, until, expected) => {
    givenJob(later);
    givenListeners(until);
    await streamed(sampleCommand(), done);
    expect(sentTo('of-job')).toHaveLength(expected.sockets);
    expect(sentTo('of-group')).toHaveLength(expected.sockets);
    expect(topics()).toHaveLength(expected.topics);
    const ofFollowers = { ExpressionAttributeValues: { ':channel': `group#${id('group')}` } };
    expect(store.commandCalls(QueryCommand, ofFollowers)).toHaveLength(expected.sockets);
    expect(store.commandCalls(GetCommand, { TableName: 'jobs' })).toHaveLength(expected.jobs);
  });
});

test('a command without a job goes to its group only', async () => {
  const { jobId: _, ...without } = done;
  await streamed(undefined, without);
  expect(sentTo('of-job')).toEqual([]);
  expect(sentTo('of-group')).toHaveLength(1);
});

test('a command that is deleted with time says nothing', async () => {
  expect(await streamed(done, undefined)).toEqual({ batchItemFailures: [] });
  expect([...sentTo(), ...published()]).toEqual([]);
});

describe('the viewers of the share that it came through', () => {
  const viewer = connection({
    channel: `share#${id('share')}`,
    connectionId: 'viewer',
    clientId: undefined,
    shareCode: id('share'),
  });
  const partner = connection({ channel: `share#${id('share')}`, connectionId: 'partner' });
  beforeEach(() => {
    givenJob();
    follow(`share#${id('share')}`, viewer, partner);
  });

  test('hear how it ends, and nobody else who follows the share', async () => {
    await streamed(sampleCommand(), { ...done, status: 'FAILED', reason: 'DEVICE_FAULT' }, id('share'));
    expect(sentTo('viewer')).toEqual([
      {
        type: 'control.outcome',
        requestId: done.commandId,
        deviceId: id('device'),
        name: 'PAUSE',
        outcome: 'FAILED',
        reason: 'DEVICE_FAULT',
        timestamp: done.endedAt,
      },
    ]);
    expect(sentTo('partner')).toEqual([]);
    expect(written.join('')).not.toContain(id('share'));
  });

  test('hear nothing of what is known late', async () => {
    const late = { ...done, lateOutcome: { outcome: 'FAILED', at: '2026-11-27T10:31:04.000Z' }, version: 3 } as const;
    await streamed(done, late, id('share'));
    expect(sentTo('viewer')).toEqual([]);
    expect(sentTo('of-group')).toMatchObject([{ lateOutcome: { outcome: 'FAILED' } }]);
  });

  test('hear nothing of its request, which their answer had', async () => {
    await streamed(undefined, sampleCommand(), id('share'));
    expect(sentTo('viewer')).toEqual([]);
  });
});
