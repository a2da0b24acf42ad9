import { InvokeCommand } from '@aws-sdk/client-lambda';
import { requestSnapshot } from '../../../data/channels/request-snapshot';
import { readSnapshotRequest, type SnapshotRequest } from '../../../data/channels/snapshot-requests';
import { id } from '../../domain/fixtures/samples';
import { snapshotRequests, lambda } from '../fixtures/snapshot-function';
import { connection } from '../fixtures/sockets';

const greetings: [SnapshotRequest][] = [
  [{ kind: 'channel', connection: connection() }],
  [{ kind: 'viewer', connectionId: 'socket-1' }],
  [{ kind: 'subscription', connectionId: 'socket-1', followed: id('group') }],
];

test.each(greetings)('%j is requested by one asynchronous invocation, and parsed as it was sent', async (greeting) => {
  await requestSnapshot(greeting);
  expect(lambda).toHaveReceivedCommandTimes(InvokeCommand, 1);
  expect(lambda).toHaveReceivedCommandWith(InvokeCommand, { FunctionName: 'send-snapshot', InvocationType: 'Event' });
  expect(snapshotRequests()).toEqual([greeting]);
  expect(readSnapshotRequest(snapshotRequests()[0])).toEqual(greeting);
});

test.each([
  {},
  null,
  [],
  { kind: 'guest', connectionId: 'a' },
  { kind: 'viewer' },
  { kind: 'channel', connection: {} },
])('%j is refused as no snapshot request', (event) => {
  expect(() => readSnapshotRequest(event)).toThrow();
});

test('requestSnapshot fails when Lambda does not accept the event', async () => {
  const fault = new Error('Rate Exceeded.');
  lambda.on(InvokeCommand).rejects(fault);
  await expect(requestSnapshot({ kind: 'viewer', connectionId: 'socket-1' })).rejects.toBe(fault);
});

test('requestSnapshot fails without SNAPSHOT_FUNCTION', async () => {
  const { SNAPSHOT_FUNCTION } = process.env;
  delete process.env['SNAPSHOT_FUNCTION'];
  await expect(requestSnapshot({ kind: 'viewer', connectionId: 'socket-1' })).rejects.toThrow(
    'SNAPSHOT_FUNCTION is not set',
  );
  process.env['SNAPSHOT_FUNCTION'] = SNAPSHOT_FUNCTION;
  expect(lambda).not.toHaveReceivedAnyCommand();
});
