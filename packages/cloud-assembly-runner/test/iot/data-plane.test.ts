import {
  DeleteConnectionCommand,
  GetRetainedMessageCommand,
  GetThingShadowCommand,
  ListRetainedMessagesCommand,
  ListSubscriptionsCommand,
  PublishCommand,
} from '@aws-sdk/client-iot-data-plane';
import { dataPlaneForAllTests } from './data-plane-fixture';
import { allow, arn } from './fixture';
import { inbox, settled } from './mqtt-client';

describe('The data plane API of IoT Core', () => {
  const { given, admin, holding, publish } = dataPlaneForAllTests();

  test('publishes any bytes to subscribers', async () => {
    const client = await given.connect('anyone');
    const got: Buffer[] = [];
    client.on('message', (_topic, payload) => got.push(payload));
    await client.subscribeAsync('job/ä b', { qos: 1 });
    const bytes = Buffer.from([0, 255, 10, 128]);
    await publish('job/ä b', bytes);
    await admin.send(new PublishCommand({ topic: 'job/ä b', payload: Buffer.from('qos 0') }));
    await settled(client);
    expect(got).toEqual([bytes, Buffer.from('qos 0')]);
  });

  test('retains, returns, lists and clears messages', async () => {
    for (const topic of ['r/1', 'r/2', 'r/3']) await publish(topic, `state of ${topic}`, true);
    const message = await admin.send(new GetRetainedMessageCommand({ topic: 'r/2' }));
    expect(message).toMatchObject({ topic: 'r/2', qos: 1, lastModifiedTime: expect.any(Number) as unknown });
    expect(Buffer.from(message.payload ?? []).toString()).toBe('state of r/2');

    const first = await admin.send(new ListRetainedMessagesCommand({ maxResults: 2 }));
    const second = await admin.send(new ListRetainedMessagesCommand({ maxResults: 2, nextToken: first.nextToken }));
    expect([first, second].map(({ retainedTopics }) => retainedTopics?.map(({ topic }) => topic))).toEqual([
      ['r/1', 'r/2'],
      ['r/3'],
    ]);
    expect(first.retainedTopics?.[0]).toMatchObject({ payloadSize: 12, qos: 1 });
    expect(second.nextToken).toBeUndefined();

    for (const topic of ['r/1', 'r/2', 'r/3']) await publish(topic, '', true);
    await expect(admin.send(new GetRetainedMessageCommand({ topic: 'r/2' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    expect((await admin.send(new ListRetainedMessagesCommand({}))).retainedTopics).toEqual([]);
  });

  test('retains a message until it expires', async () => {
    const expiring = (topic: string, messageExpiry: number) =>
      admin.send(new PublishCommand({ topic, payload: Buffer.from('done'), qos: 1, retain: true, messageExpiry }));
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    await expiring('e/soon', 1);
    await expiring('e/later', 3600);
    await publish('e/never', 'state', true);
    const topics = async () =>
      (await admin.send(new ListRetainedMessagesCommand({}))).retainedTopics?.map(({ topic }) => topic);
    expect(await topics()).toEqual(['e/later', 'e/never', 'e/soon']);
    clock.mockReturnValue(now + 1001);
    expect(await topics()).toEqual(['e/later', 'e/never']);
    await expect(admin.send(new GetRetainedMessageCommand({ topic: 'e/soon' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    clock.mockReturnValue(now + 3_600_001);
    expect(await topics()).toEqual(['e/never']);
    clock.mockRestore();
    for (const topic of ['e/later', 'e/never']) await publish(topic, '', true);
  });

  test('delivers messages in the order of publishing', async () => {
    const client = await given.connect('anyone');
    const got = inbox(client);
    await client.subscribeAsync('series', { qos: 1 });
    for (let index = 0; index < 50; index++) await publish('series', String(index), index % 3 === 0);
    await publish('series', '', true);
    await settled(client);
    expect(got).toEqual([...Array.from({ length: 50 }, (_, index) => `series ${index}`), 'series ']);
  });

  test.each([
    ['a reserved topic', '$aws/events/presence/connected/x', 'x', 'InvalidRequestException'],
    ['a topic with a wildcard', 'a/+', 'x', 'InvalidRequestException'],
    ['a topic of 8 slashes', 'a/b/c/d/e/f/g/h/i', 'x', 'InvalidRequestException'],
    ['more than 128 KB', 'a', 'x'.repeat(128 * 1024 + 1), 'RequestEntityTooLargeException'],
  ])('refuses %s', async (_what, topic, payload, name) => {
    await expect(publish(topic, payload)).rejects.toMatchObject({ name });
  });

  test('requires the permissions that AWS requires', async () => {
    const caller = holding(allow('iot:Publish', 'topic/own/*'), allow('iot:DeleteConnection', 'client/own-*'));
    await caller.send(new PublishCommand({ topic: 'own/x', payload: Buffer.from('x') }));
    const denied = (action: string, on: string) => ({
      name: 'AccessDeniedException',
      message: expect.stringContaining(`${action} on resource: ${on}`) as unknown,
    });
    await expect(caller.send(new PublishCommand({ topic: 'foreign/x' }))).rejects.toMatchObject(
      denied('iot:Publish', arn('topic', 'foreign/x')),
    );
    await expect(caller.send(new PublishCommand({ topic: 'own/x', retain: true }))).rejects.toMatchObject(
      denied('iot:RetainPublish', arn('topic', 'own/x')),
    );
    await expect(caller.send(new DeleteConnectionCommand({ clientId: 'foreign-1' }))).rejects.toMatchObject(
      denied('iot:DeleteConnection', arn('client', 'foreign-1')),
    );
    await expect(caller.send(new ListSubscriptionsCommand({ clientId: 'own-1' }))).rejects.toMatchObject(
      denied('iot:ListSubscriptions', arn('client', 'own-1')),
    );
    await expect(caller.send(new GetRetainedMessageCommand({ topic: 'own/x' }))).rejects.toMatchObject(
      denied('iot:GetRetainedMessage', arn('topic', 'own/x')),
    );
    await expect(caller.send(new ListRetainedMessagesCommand({}))).rejects.toMatchObject(
      denied('iot:ListRetainedMessages', '*'),
    );
    await expect(caller.send(new DeleteConnectionCommand({ clientId: 'own-1' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('refuses an unsupported operation', async () => {
    await expect(admin.send(new GetThingShadowCommand({ thingName: 'x' }))).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });
});
