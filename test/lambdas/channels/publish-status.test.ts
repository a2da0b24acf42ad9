import { stopClock } from '../fixtures/clock';
import { PublishCommand, RequestEntityTooLargeException, ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { topicName } from '../../../contract/terms/channel-addresses';
import { deviceMessage, type StatusEvent } from '../../../domain/channels/status-event';
import * as delivery from '../../../lambdas/channels/publish-status';
import { socketCalls, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { broker, published } from '../../data/fixtures/topics';
import { event, givenFollowers, givenSockets, publishStatus, text } from '../fixtures/published-status';
import { queue } from '../fixtures/telemetry';
import { id } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

const channel = { kind: 'job', id: id('job') } as const;
const throttled = new ThrottlingException({ message: 'one a second', $metadata: {} });
/** Channels queued for retention. */
const queuedRetentions = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => JSON.parse(input.MessageBody ?? '') as object);

beforeEach(() => {
  process.env['RETENTION_QUEUE_URL'] = 'https://queue.test/retention';
});

describe('A change without followers', () => {
  test('costs one publish and one query', async () => {
    givenFollowers();
    await publishStatus(event());
    expect(broker.calls()).toHaveLength(1);
    expect(store.calls()).toHaveLength(1);
    expect(sockets).not.toHaveReceivedAnyCommand();
  });
});

describe('On the topic of its channel', () => {
  test.each([
    ['state', { retain: true }],
    ['transient', { retain: false }],
  ] as const)('an event of role %s is published with %j', async (role, retained) => {
    givenFollowers();
    await publishStatus(event(role));
    expect(published()).toEqual([{ topic: topicName(channel), text, qos: 1, ...retained }]);
  });

  test('a final message is not retained, and the retained message is cleared', async () => {
    givenFollowers();
    await publishStatus(event('end'));
    expect(published()).toMatchObject([
      { text, retain: false },
      { text: '', retain: true },
    ]);
  });

  test('a state that cannot be retained now is published without retention, and its retention is queued', async () => {
    givenFollowers();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    await publishStatus(event());
    expect(published()).toMatchObject([{ retain: true }, { text, retain: false }]);
    expect(queuedRetentions()).toEqual([channel]);
    expect(logLines()).toMatchObject([{ level: 'WARN', message: 'state not retained yet' }]);
  });

  test('a queued retention of a device state names the device, its group, and the cursor of the message', async () => {
    givenFollowers();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel', version: 1 };
    const message = deviceMessage({ ...device, status: 'online' }, '2026-11-27T10:30:00.000Z');
    const cursor = 'event-acme0001-0000000001';
    await publishStatus({ role: 'state', message: { ...message, cursor } });
    expect(queuedRetentions()).toEqual([{ kind: 'group', id: id('group'), deviceId: id('device'), cursor }]);
  });

  test('a retained message that cannot be cleared now is queued, and no empty message is published', async () => {
    givenFollowers();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    await publishStatus(event('end'));
    expect(published()).toMatchObject([
      { text, retain: false },
      { text: '', retain: true },
    ]);
    expect(queuedRetentions()).toEqual([channel]);
  });

  test('a message that AWS IoT refuses for good is logged and skipped, and the sockets get it', async () => {
    givenSockets(2);
    broker.onAnyCommand().rejects(new RequestEntityTooLargeException({ message: 'no', $metadata: {} }));
    await publishStatus(event());
    expect(socketCalls()).toHaveLength(2);
    expect(logLines()).toMatchObject([{ level: 'ERROR', kind: 'job', message: 'message refused by AWS IoT' }]);
  });

  test('a failure fails the change, after all sockets have been sent to', async () => {
    givenSockets(3);
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
    expect(socketCalls()).toHaveLength(3);
  });
});

describe('A change of a job or a share', () => {
  const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
  beforeEach(() => stopClock(new Date(now * 1000)));
  const publishFor = (topicUntil: number | undefined, role?: StatusEvent['role']) =>
    delivery.publishStatus(event(role), delivery.audienceUntil(topicUntil));

  test.each([
    ['nobody ever subscribed', undefined],
    ['the last session has ended', now - 120],
  ])('is not published to its topic when %s, and the sockets get it', async (_, topicUntil) => {
    givenSockets(2);
    await publishFor(topicUntil);
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(socketCalls()).toHaveLength(2);
  });

  test('is retained until no session is left, so that no outdated state stays when later ones are not published', async () => {
    givenSockets(2);
    await publishFor(now + 600);
    expect(published()).toMatchObject([{ text, retain: true, expiresIn: 600 }]);
    expect(socketCalls()).toHaveLength(2);
  });

  test('is published while the clocks may differ, and retained for a second', async () => {
    givenFollowers();
    await publishFor(now - 30);
    expect(published()).toMatchObject([{ text, retain: true, expiresIn: 1 }]);
  });

  test('that is its end is published to a subscriber who has not been noted yet, and nothing is cleared', async () => {
    givenSockets(1);
    await publishFor(undefined, 'end');
    expect(published()).toEqual([{ topic: topicName(channel), text, retain: false, qos: 1 }]);
    expect(socketCalls()).toEqual([`socket-1 ${text}`, 'socket-1 closed']);
  });

  test('that is its end clears the topic while somebody may be subscribed', async () => {
    givenFollowers();
    await publishFor(now + 600, 'end');
    expect(published()).toEqual([
      { topic: topicName(channel), text, retain: false, qos: 1 },
      { topic: topicName(channel), text: '', retain: true, qos: 1 },
    ]);
  });

  test('for subscribers only is not sent to sockets, whose followers are not read', async () => {
    givenSockets(2);
    await delivery.publishStatus(event(), delivery.subscribersUntil(now + 600));
    expect(published()).toMatchObject([{ text, retain: true }]);
    expect(store).not.toHaveReceivedAnyCommand();
    expect(socketCalls()).toEqual([]);
  });

  test('that cannot be retained once more is queued as one more attempt, which comes later', async () => {
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    await delivery.publishStatus(event(), delivery.subscribersUntil(now + 600, 3));
    expect(queuedRetentions()).toEqual([{ ...channel, attempt: 3 }]);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { DelaySeconds: 16 });
  });

  test('for subscribers only is not published when their sessions have ended', async () => {
    await delivery.publishStatus(event(), delivery.subscribersUntil(now - 120));
    expect(broker).not.toHaveReceivedAnyCommand();
  });
});
