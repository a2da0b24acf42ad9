import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetCommand } from '../../../data/store/document-client';
import type { Greeting } from '../../../data/connections/greetings';
import { toItem } from '../../../data/jobs/job-item';
import { handler } from '../../../lambdas/socket/greet-connection';
import { connection, gone, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { reported } from '../fixtures/snapshot';
import {
  closed,
  deviceItem,
  givenSession,
  partnerSession,
  sentTo,
  shareItem,
  viewerSession,
} from '../fixtures/telemetry';

const greet = (greeting: Greeting) => handler(JSON.parse(JSON.stringify(greeting)));
const ofJob: Greeting = { kind: 'channel', connection: connection() };

beforeEach(() => {
  store.resolves({});
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: toItem(acme, sampleJob()) });
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(id('device'), reported) });
  givenSession(viewerSession());
  givenSession(partnerSession());
});

test.each<[string, Greeting, string[]]>([
  ['who follows a channel', ofJob, ['job.status']],
  ['a viewer', { kind: 'viewer', connectionId: 'viewer-socket' }, ['share.status', 'device.telemetry']],
  [
    'a subscription',
    { kind: 'subscription', connectionId: 'partner-socket', followed: id('device') },
    ['device.telemetry'],
  ],
])('An event for %s is its first messages, and nobody else hears of it.', async (_, greeting, types) => {
  await greet(greeting);
  const connectionId = greeting.kind === 'channel' ? greeting.connection.connectionId : greeting.connectionId;
  expect(sentTo(connectionId).map(({ type }) => type)).toEqual(types);
  expect(sentTo()).toHaveLength(types.length);
});

test.each<[string, Greeting]>([
  ['socket-1', ofJob],
  ['viewer-socket', { kind: 'viewer', connectionId: 'viewer-socket' }],
  ['partner-socket', { kind: 'subscription', connectionId: 'partner-socket', followed: id('device') }],
])(
  'The socket %s is closed when it can not be told the state, and comes back: open, it would be deaf.',
  async (connectionId, greeting) => {
    store.on(GetCommand).rejects(new Error('throttled'));
    for (const TableName of ['jobs', 'shares', 'fleet', 'connections'])
      store.on(GetCommand, { TableName }).rejects(new Error('throttled'));
    await greet(greeting);
    expect(sentTo()).toEqual([]);
    expect(closed()).toEqual([connectionId]);
    expect(logLines()).toMatchObject([{ level: 'ERROR', connectionId, error: { message: 'throttled' } }]);
  },
);

test('It is closed as soon as its handshake is over.', async () => {
  store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
  sockets.onAnyCommand().rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
  await greet(ofJob);
  expect(closed()).toHaveLength(3);
});

test('What can be neither told nor closed is an error, which the alarm counts.', async () => {
  store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
  sockets.onAnyCommand().rejects(new Error('no sockets'));
  await expect(greet(ofJob)).rejects.toThrow('no sockets');
});

test('An event that we never sent is an error.', async () => {
  await expect(handler({ Records: [] })).rejects.toMatchObject({ name: '$ZodError' });
  expect(sockets).not.toHaveReceivedCommand(PostToConnectionCommand);
});

test('A share code is in no log.', async () => {
  store.on(GetCommand, { TableName: 'fleet' }).rejects(new Error('throttled'));
  await greet({ kind: 'viewer', connectionId: 'viewer-socket' });
  expect(logLines()).toHaveLength(1);
  expect(written.join()).not.toContain('share-');
});
