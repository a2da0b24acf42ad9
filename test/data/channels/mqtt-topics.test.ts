import {
  DeleteConnectionCommand,
  InvalidRequestException,
  ListSubscriptionsCommand,
  RequestEntityTooLargeException,
  ThrottlingException,
} from '@aws-sdk/client-iot-data-plane';
import { endMqttConnection, isPermanentFailure, publish, subscribedTopics } from '../../../data/channels/mqtt-topics';
import { broker, published } from '../fixtures/topics';

describe('publish', () => {
  test.each([
    ['none', { retain: false }],
    ['until-replaced', { retain: true }],
  ] as const)('publishes with QoS 1 and the retention %s', async (retention, retained) => {
    await publish('a/JOB/STATUS', '{"jobState":"QUEUED"}', retention);
    expect(published()).toEqual([{ topic: 'a/JOB/STATUS', text: '{"jobState":"QUEUED"}', qos: 1, ...retained }]);
  });

  test.each([
    ['no later than at that time', 90, 90],
    ['at once when it has come', 0, 1],
    ['at once when it is past', -60, 1],
  ])('lets a message that is retained until a time expire %s', async (_, left, expiresIn) => {
    jest.useFakeTimers({ now: new Date('2026-11-27T10:30:00.000Z') });
    await publish('a/JOB/STATUS', '{}', { until: Date.now() / 1000 + left });
    jest.useRealTimers();
    expect(published()).toMatchObject([{ retain: true, expiresIn }]);
  });

  test('clears the retained message with an empty payload', async () => {
    await publish('a/JOB/STATUS', '', 'until-replaced');
    expect(published()).toMatchObject([{ text: '', retain: true }]);
  });

  test('passes on errors of AWS IoT', async () => {
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publish('a', '', 'none')).rejects.toBe(fault);
  });

  test.each([
    [new InvalidRequestException({ message: 'no', $metadata: {} }), true],
    [new RequestEntityTooLargeException({ message: 'no', $metadata: {} }), true],
    [new ThrottlingException({ message: 'no', $metadata: {} }), false],
    [new Error('socket hang up'), false],
  ])('has a permanent failure in %s: %s', (error, isPermanent) => {
    expect(isPermanentFailure(error)).toBe(isPermanent);
  });
});

describe('endMqttConnection', () => {
  test('ends the session too', async () => {
    await endMqttConnection('client1-1');
    expect(broker).toHaveReceivedCommandWith(DeleteConnectionCommand, { clientId: 'client1-1', cleanSession: true });
  });

  test('succeeds when the client is not connected, and passes on any other error', async () => {
    broker.onAnyCommand().rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    await expect(endMqttConnection('client1-1')).resolves.toBeUndefined();
    const fault = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
    broker.onAnyCommand().rejects(fault);
    await expect(endMqttConnection('client1-1')).rejects.toBe(fault);
  });
});

describe('subscribedTopics', () => {
  test('lists all subscriptions of a connection in one page', async () => {
    const topicFilters = ['a/JOB/STATUS', 'b/JOB/STATUS'];
    const subscriptions = topicFilters.map((topicFilter) => ({ topicFilter, qos: 1 }));
    broker.on(ListSubscriptionsCommand, { clientId: 'client1-1', maxResults: 200 }).resolves({ subscriptions });
    await expect(subscribedTopics('client1-1')).resolves.toEqual(topicFilters);
  });

  test('returns none when the client is not connected, and passes on any other error', async () => {
    broker.onAnyCommand().rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    await expect(subscribedTopics('client1-1')).resolves.toEqual([]);
    const fault = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
    broker.onAnyCommand().rejects(fault);
    await expect(subscribedTopics('client1-1')).rejects.toBe(fault);
  });
});
