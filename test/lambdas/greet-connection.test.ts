import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '../../data/documents';
import { connection, gone, said, sockets } from '../data/fixtures/sockets';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { Connection } from '../../data/connections';
import { toItem } from '../../data/job-item';
import type { Job } from '../../domain/job';
import { jobMessage } from '../../domain/status-event';
import { handler } from '../../lambdas/stream/greet-connection';
import { conditionFailed, sent, store } from '../data/fixtures/store';
import { record } from '../data/fixtures/stream-record';
import { acme, id, sampleJob, sampleShare } from '../domain/fixtures/samples';
import { logLines } from './fixtures/log';

const inserted = (added: Connection, number = 1) => {
  const { channel, connectionId } = added;
  return record({ channel, connectionId }, undefined, { ...added, waits: true }, number);
};
const greet = (...added: Connection[]) => {
  const Records = added.map((each, index) => inserted(each, index + 1));
  return handler({ Records } as unknown as DynamoDBStreamEvent);
};
const jobs = (...found: (Job | undefined)[]) => {
  const reads = store.on(GetCommand, { TableName: 'jobs' });
  found.slice(0, -1).forEach((job) => reads.resolvesOnce(job ? { Item: toItem(acme, job) } : {}));
  const last = found.at(-1);
  reads.resolves(last ? { Item: toItem(acme, last) } : {});
};
const snapshot = (job: Job) => `socket-1 ${JSON.stringify({ ...jobMessage(job), snapshot: true })}`;

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('A new connection', () => {
  test('is told the state, once, and hears of changes from then on.', async () => {
    jobs(sampleJob());
    sockets.on(PostToConnectionCommand).callsFake(() => {
      // Whoever follows before has been told a change first.
      expect(store).not.toHaveReceivedCommand(UpdateCommand);
      return {};
    });
    await expect(greet(connection())).resolves.toEqual({ batchItemFailures: [] });
    expect(said()).toEqual([snapshot(sampleJob())]);
    expect(store).toHaveReceivedCommandWith(UpdateCommand, { UpdateExpression: 'REMOVE waits' });
  });

  test('is told what changed while it was greeted, which no change would have told it.', async () => {
    const changed = sampleJob({ status: 'QUEUED', version: 4 });
    jobs(sampleJob(), changed);
    await greet(connection());
    const change = `socket-1 ${JSON.stringify({ ...jobMessage(changed), previousState: 'PENDING' })}`;
    expect(said()).toEqual([snapshot(sampleJob()), change]);
    const order = sent().map((input) => ('UpdateExpression' in input ? 'follow' : 'read'));
    expect(order).toEqual(['read', 'follow', 'read']);
  });

  test.each([
    ['before it is greeted', [undefined]],
    ['while it is greeted', [sampleJob(), undefined]],
  ])('is closed when its job goes %s.', async (_, found) => {
    jobs(...found);
    await greet(connection());
    expect(said().at(-1)).toBe('socket-1 closed');
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: connection().channel, connectionId: 'socket-1' },
    });
  });

  test('is waited for while its handshake goes on.', async () => {
    jobs(sampleJob());
    store.on(GetCommand, { TableName: 'connections' }).resolves({ Item: connection() });
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
    await greet(connection());
    expect(said()).toEqual([1, 2, 3].map(() => snapshot(sampleJob())));
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });

  test('that has left already does not follow, and nobody waits for it.', async () => {
    jobs(sampleJob());
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(greet(connection())).resolves.toEqual({ batchItemFailures: [] });
    expect(store).not.toHaveReceivedCommandWith(UpdateCommand, { UpdateExpression: 'REMOVE waits' });
    expect(said()).toHaveLength(1);
  });

  test('that left after it was told is not told more.', async () => {
    jobs(sampleJob());
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(greet(connection())).resolves.toEqual({ batchItemFailures: [] });
    expect(said()).toHaveLength(1);
  });
});

test('Who follows a group is told of each device in it.', async () => {
  const device = (unique: string) => ({
    kind: 'device',
    deviceId: id('device', acme, unique),
    deviceGroupId: id('group'),
  });
  const common = { name: 'North', status: 'offline', version: 1 };
  const Items = [
    { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' },
    { ...device('1'), ...common },
    { ...device('2'), ...common },
    { ...device('3'), ...common, deviceGroupId: id('group', acme, 'another') },
  ];
  store.on(QueryCommand).resolves({ Items });
  await greet(connection({ channel: `group#${id('group')}` }));
  const told = said().map((line) => JSON.parse(line.slice(line.indexOf(' '))) as Record<string, unknown>);
  expect(told).toMatchObject(['1', '2'].map((unique) => ({ deviceId: id('device', acme, unique), snapshot: true })));
});

test('Who follows a share is told how many watch it.', async () => {
  const share = sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z', currentViewers: 0 });
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: { ...share, organisation: acme } });
  await greet(connection({ channel: `share#${id('share')}` }));
  expect(said()).toHaveLength(1);
  expect(said()[0]).toContain('"shareState":"ACTIVE"');
});

test('A state that can not be read fails its own connection, which is greeted again, and no other before it.', async () => {
  const [first, second] = [connection(), connection({ connectionId: 'socket-2', channel: `group#${id('group')}` })];
  jobs(sampleJob());
  store.on(QueryCommand).rejects(new Error('throttled'));
  await expect(greet(first, second)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  expect(said()).toHaveLength(1);
  expect(logLines()).toMatchObject([{ level: 'ERROR' }]);
});

test('What is no new connection is greeted by nobody.', async () => {
  const key = { channel: 'mqtt#client1', connectionId: 'client1-1 topic' };
  const note = record(key, undefined, { ...key, at: 1, stands: true, ttl: 2 });
  const Records = [note, record(connection(), { ...connection() }, { ...connection() }, 2)];
  await handler({ Records } as unknown as DynamoDBStreamEvent);
  expect(said()).toEqual([]);
  expect(store).not.toHaveReceivedAnyCommand();
});
