import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { SnapshotRequest } from '../../../data/channels/snapshot-requests';
import type { StatusMessage } from '../../../domain/channels/status-message';
import { toItem } from '../../../data/jobs/job-item';
import { handler } from '../../../lambdas/channels/send-snapshot.lambda';
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

const sendSnapshot = (request: SnapshotRequest) => handler(JSON.parse(JSON.stringify(request)));
const ofJob: SnapshotRequest = { kind: 'channel', connection: connection() };

beforeEach(() => {
  store.resolves({});
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: toItem(acme, sampleJob()) });
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
  store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(id('device'), reported) });
  givenSession(viewerSession());
  givenSession(partnerSession());
});

test.each<[string, Exclude<SnapshotRequest, { kind: 'share-end' }>, string[]]>([
  ['a follower of a channel', ofJob, ['job.status']],
  ['a viewer', { kind: 'viewer', connectionId: 'viewer-socket' }, ['share.status', 'device.telemetry']],
  [
    'a subscription',
    { kind: 'subscription', connectionId: 'partner-socket', followed: id('device') },
    ['device.telemetry', 'snapshot.end'],
  ],
])('sends the first messages of %s, and nothing to other sockets', async (_, request, types) => {
  await sendSnapshot(request);
  const connectionId = request.kind === 'channel' ? request.connection.connectionId : request.connectionId;
  expect(sentTo(connectionId).map(({ type }) => type)).toEqual(types);
  expect(sentTo()).toHaveLength(types.length);
});

test.each<[string, SnapshotRequest]>([
  ['socket-1', ofJob],
  ['viewer-socket', { kind: 'viewer', connectionId: 'viewer-socket' }],
  ['partner-socket', { kind: 'subscription', connectionId: 'partner-socket', followed: id('device') }],
])('closes %s when the snapshot cannot be read, so that its client reconnects', async (connectionId, request) => {
  store.on(GetCommand).rejects(new Error('throttled'));
  for (const TableName of ['jobs', 'shares', 'fleet', 'connections'])
    store.on(GetCommand, { TableName }).rejects(new Error('throttled'));
  await sendSnapshot(request);
  expect(sentTo()).toEqual([]);
  expect(closed()).toEqual([connectionId]);
  expect(logLines()).toMatchObject([{ level: 'ERROR', connectionId, error: { message: 'throttled' } }]);
});

test('closes a socket as soon as its handshake has finished', async () => {
  store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
  sockets.onAnyCommand().rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
  await sendSnapshot(ofJob);
  expect(closed()).toHaveLength(3);
});

test('fails when a socket can be neither posted to nor closed, so that the alarm counts it', async () => {
  store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
  sockets.onAnyCommand().rejects(new Error('no sockets'));
  await expect(sendSnapshot(ofJob)).rejects.toThrow('no sockets');
});

test('reads the state of a group that nobody followed before once every instance has noticed', async () => {
  const began = performance.now();
  await sendSnapshot({
    kind: 'subscription',
    connectionId: 'partner-socket',
    followed: id('device'),
    isUnnoticed: true,
  });
  // A timer may fire a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(749);
  expect(sentTo('partner-socket')).toHaveLength(2);
});

test('fails for an unknown event', async () => {
  await expect(handler({ Records: [] })).rejects.toMatchObject({ name: '$ZodError' });
  expect(sockets).not.toHaveReceivedCommand(PostToConnectionCommand);
});

test('logs no share code', async () => {
  store.on(GetCommand, { TableName: 'fleet' }).rejects(new Error('throttled'));
  await sendSnapshot({ kind: 'viewer', connectionId: 'viewer-socket' });
  expect(logLines()).toHaveLength(1);
  expect(written.join()).not.toContain('share-');
});

test.each([
  ['everybody who follows a share that has ended', {}, ['socket-1', 'viewer']],
  ['everybody later', { later: 'all' as const }, ['socket-1', 'viewer']],
  ['only viewers when the others were told', { later: 'viewers' as const }, ['viewer']],
])('tells %s', async (_, request, told) => {
  const { clientId: __, ...viewer } = connection({ connectionId: 'viewer', channel: `share#${id('share')}` });
  const followers = [connection({ channel: `share#${id('share')}` }), { ...viewer, shareCode: id('share') }];
  store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: followers });
  const message = { type: 'share.status', shareState: 'REVOKED', sequence: 2 } as unknown as StatusMessage;
  await sendSnapshot({ kind: 'share-end', shareCode: id('share'), message, ...request });
  expect(closed().toSorted()).toEqual(told);
});
