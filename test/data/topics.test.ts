import { DeleteConnectionCommand } from '@aws-sdk/client-iot-data-plane';
import { endMqttConnection, publish } from '../../data/topics';
import { broker, published } from './fixtures/topics';

describe('Publishing', () => {
  test.each([true, false])('is one call with QoS 1, retained as asked for: %s.', async (retain) => {
    await publish('a/JOB/STATUS', '{"jobState":"QUEUED"}', retain);
    expect(published()).toEqual([{ topic: 'a/JOB/STATUS', text: '{"jobState":"QUEUED"}', retain, qos: 1 }]);
  });

  test('nothing, retained, clears what was.', async () => {
    await publish('a/JOB/STATUS', '', true);
    expect(published()).toMatchObject([{ text: '', retain: true }]);
  });

  test('fails when the broker does.', async () => {
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publish('a', '', false)).rejects.toBe(fault);
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
