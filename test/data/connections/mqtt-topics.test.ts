import {
  DeleteConnectionCommand,
  InvalidRequestException,
  RequestEntityTooLargeException,
  ThrottlingException,
} from '@aws-sdk/client-iot-data-plane';
import { endMqttConnection, isRefusedForGood, publish } from '../../../data/connections/mqtt-topics';
import { broker, published } from '../fixtures/topics';

describe('Publishing', () => {
  test.each([
    ['none', { retain: false }],
    ['until-replaced', { retain: true }],
    ['for-a-day', { retain: true, expiresIn: 86_400 }],
  ] as const)('is one call with QoS 1, retained as asked for: %s.', async (retention, retained) => {
    await publish('a/JOB/STATUS', '{"jobState":"QUEUED"}', retention);
    expect(published()).toEqual([{ topic: 'a/JOB/STATUS', text: '{"jobState":"QUEUED"}', qos: 1, ...retained }]);
  });

  test('nothing, retained, clears what was.', async () => {
    await publish('a/JOB/STATUS', '', 'until-replaced');
    expect(published()).toMatchObject([{ text: '', retain: true }]);
  });

  test('fails when the broker does.', async () => {
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publish('a', '', 'none')).rejects.toBe(fault);
  });

  test.each([
    [new InvalidRequestException({ message: 'no', $metadata: {} }), true],
    [new RequestEntityTooLargeException({ message: 'no', $metadata: {} }), true],
    [new ThrottlingException({ message: 'no', $metadata: {} }), false],
    [new Error('socket hang up'), false],
  ])('%s is refused for good: %s.', (error, forGood) => {
    expect(isRefusedForGood(error)).toBe(forGood);
  });
});

describe('Ending an MQTT connection', () => {
  test('ends its session with it.', async () => {
    await endMqttConnection('client1-1');
    expect(broker).toHaveReceivedCommandWith(DeleteConnectionCommand, { clientId: 'client1-1', cleanSession: true });
  });

  test('that has ended already is fine, and any other failure is one.', async () => {
    broker.onAnyCommand().rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    await expect(endMqttConnection('client1-1')).resolves.toBeUndefined();
    const fault = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
    broker.onAnyCommand().rejects(fault);
    await expect(endMqttConnection('client1-1')).rejects.toBe(fault);
  });
});
