import { GoneException } from '@aws-sdk/client-apigatewaymanagementapi';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { controlOutcomeMessage } from '../../../contract/share-page';
import { shareIdOf } from '../../../data/shares/share-id';
import { connection, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { consume as consumeBodies, platformEvent } from '../fixtures/platform-events';
import { later, sentTo } from '../fixtures/telemetry';

const at = '2026-11-27T10:31:08.000Z';
const requestId = '01kb1x5m9v3f8q2r7t6w4y0z1a';
const reported = { requestId, deviceId: id('device'), outcome: 'FAILED', reason: 'DEVICE_BUSY', at };
const consume = (detail: object) => consumeBodies(platformEvent('control.outcome.reported', detail));
const storedRequest = { id: `control#${requestId}`, shareCode: id('share'), deviceId: id('device'), ttl: later };
const follower = (connectionId: string, change: object) =>
  connection({ channel: `share#${id('share')}`, connectionId, ...change });
const viewer = (connectionId: string) =>
  follower(connectionId, { clientId: undefined, shareCode: id('share'), session: true });

beforeEach(() => {
  store.resolves({});
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: storedRequest });
  store.on(QueryCommand).resolves({ Items: [viewer('one'), follower('partner', {}), viewer('two')] });
});

test('the outcome of a command is sent to the viewers of its share only', async () => {
  expect(await consume(reported)).toEqual({ batchItemFailures: [] });
  const { at: timestamp, ...expected } = reported;
  expect(sentTo('one')).toEqual([{ type: 'control.outcome', ...expected, timestamp }]);
  expect(controlOutcomeMessage.parse(sentTo('one')[0])).toEqual(sentTo('one')[0]);
  expect(socketCalls()).toHaveLength(2);
  expect(sentTo('two')).toHaveLength(1);
  expect(store).toHaveReceivedCommandWith(QueryCommand, {
    ExpressionAttributeValues: { ':channel': `share#${id('share')}` },
  });
});

test('an outcome is logged with the digest of the share code, never with the code', async () => {
  await consume(reported);
  expect(logLines()).toMatchObject([{ message: 'control outcome', requestId, shareId: shareIdOf(id('share')) }]);
  expect(written.join('')).not.toContain(id('share'));
});

test.each([
  ['unknown', undefined],
  ['unknown', { ...storedRequest, deviceId: id('device', 'rival001') }],
  ['late', { ...storedRequest, ttl: 1 }],
  ['repeated', { ...storedRequest, outcomeOf: 'event-0' }],
])('an outcome that is %s is sent to nobody, and logged with that reason', async (reason, found) => {
  store.on(UpdateCommand, { TableName: 'requests' }).rejects(conditionFailed(found));
  expect(await consume(reported)).toEqual({ batchItemFailures: [] });
  expect(socketCalls()).toEqual([]);
  expect(logLines().slice(0, 1)).toMatchObject([{ level: 'WARN', message: 'a report changed nothing', reason }]);
});

test('an outcome is sent to the other viewers when one has disconnected or fails', async () => {
  const broken = Object.assign(new Error('busy'), { name: 'LimitExceededException' });
  sockets.onAnyCommand().rejects(broken);
  sockets.on(PostToConnectionCommand, { ConnectionId: 'two' }).resolves({});
  expect(await consume(reported)).toEqual({ batchItemFailures: [] });
  expect(sentTo('two')).toHaveLength(1);
  sockets.onAnyCommand().rejects(new GoneException({ message: 'Gone', $metadata: {} }));
  expect(await consume(reported)).toEqual({ batchItemFailures: [] });
});

test('an outcome is retried while followers cannot be read, and a retry of the same event is accepted', async () => {
  store.on(QueryCommand).rejects(new Error('throttled'));
  expect(await consume(reported)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
  const [call] = store.commandCalls(UpdateCommand, { TableName: 'requests' });
  expect(call?.args[0].input.ExpressionAttributeValues).toMatchObject({ ':eventId': 'event-1' });
});
