import { GoneException } from '@aws-sdk/client-apigatewaymanagementapi';
import type { SQSEvent } from 'aws-lambda';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { controlOutcomeMessage } from '../../../contract/telemetry';
import { handler } from '../../../lambdas/queue/consume-platform-events';
import { shareIdOf } from '../../../lambdas/delivery/share-id';
import { connection, said, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { later, sentTo } from '../fixtures/telemetry';

const at = '2026-11-27T10:31:08.000Z';
const requestId = '01kb1x5m9v3f8q2r7t6w4y0z1a';
const reported = { requestId, deviceId: id('device'), outcome: 'FAILED', reason: 'DEVICE_BUSY', at };
const hear = (detail: object) =>
  handler({
    Records: [
      {
        messageId: 'm',
        body: JSON.stringify({
          ...{ id: 'event-1', source: 'drone-platform', 'detail-type': 'control.outcome.reported', time: at, detail },
        }),
      },
    ],
  } as unknown as SQSEvent);
const noted = { id: `control#${requestId}`, shareCode: id('share'), deviceId: id('device'), ttl: later };
const follower = (connectionId: string, change: object) =>
  connection({ channel: `share#${id('share')}`, connectionId, ...change });
const viewer = (connectionId: string) =>
  follower(connectionId, { clientId: undefined, shareCode: id('share'), session: true });

beforeEach(() => {
  store.resolves({});
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: noted });
  store.on(QueryCommand).resolves({ Items: [viewer('one'), follower('partner', {}), viewer('two')] });
});

test('What became of a command is told to the viewers of its share, and to nobody else.', async () => {
  expect(await hear(reported)).toEqual({ batchItemFailures: [] });
  const { at: timestamp, ...told } = reported;
  expect(sentTo('one')).toEqual([{ type: 'control.outcome', ...told, timestamp }]);
  expect(controlOutcomeMessage.parse(sentTo('one')[0])).toEqual(sentTo('one')[0]);
  expect(said()).toHaveLength(2);
  expect(sentTo('two')).toHaveLength(1);
  expect(store).toHaveReceivedCommandWith(QueryCommand, {
    ExpressionAttributeValues: { ':channel': `share#${id('share')}` },
  });
});

test('It is in the log by the name that the platform knows the share by, and never by its code.', async () => {
  await hear(reported);
  expect(logLines()).toMatchObject([{ message: 'control outcome', requestId, shareId: shareIdOf(id('share')) }]);
  expect(written.join('')).not.toContain(id('share'));
});

test.each([
  ['unknown', undefined],
  ['unknown', { ...noted, deviceId: id('device', 'rival001') }],
  ['late', { ...noted, ttl: 1 }],
  ['repeated', { ...noted, outcomeOf: 'event-0' }],
])('One that is %s is told to nobody, and counted.', async (reason, found) => {
  store.on(UpdateCommand, { TableName: 'requests' }).rejects(conditionFailed(found));
  expect(await hear(reported)).toEqual({ batchItemFailures: [] });
  expect(said()).toEqual([]);
  expect(logLines()).toMatchObject([{ level: 'WARN', message: 'a report changed nothing', reason }]);
});

test('A viewer who is gone, or can not be reached, keeps it from no other.', async () => {
  const broken = Object.assign(new Error('busy'), { name: 'LimitExceededException' });
  sockets.onAnyCommand().rejects(broken);
  sockets.on(PostToConnectionCommand, { ConnectionId: 'two' }).resolves({});
  expect(await hear(reported)).toEqual({ batchItemFailures: [] });
  expect(sentTo('two')).toHaveLength(1);
  sockets.onAnyCommand().rejects(new GoneException({ message: 'Gone', $metadata: {} }));
  expect(await hear(reported)).toEqual({ batchItemFailures: [] });
});

test('While followers can not be read it comes again, and the same report is taken again.', async () => {
  store.on(QueryCommand).rejects(new Error('throttled'));
  expect(await hear(reported)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  const [call] = store.commandCalls(UpdateCommand, { TableName: 'requests' });
  expect(call?.args[0].input.ExpressionAttributeValues).toMatchObject({ ':eventId': 'event-1' });
});
