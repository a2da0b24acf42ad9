import { createMeter } from '../../billing/meter';
import { startIot, type IotFixture } from './fixture';
import { until } from '../until';

describe('What AWS IoT Core charges', () => {
  const meter = createMeter();
  let given: IotFixture;
  const used = (caller: string) => ({ ...meter.usage()[caller] });
  const messages = () => used('clients')['iot:messages'] ?? 0;
  beforeAll(async () => {
    given = await startIot({ meter });
  });
  afterAll(() => given.end());

  const publish = (payload: string, query = '') =>
    given.iot.answer({
      service: 'iotdata',
      method: 'POST',
      path: `/topics/job?qos=1${query}`,
      headers: {},
      body: Buffer.from(payload),
    });

  test('a connection, a subscription, a delivery and its acknowledgement are messages', async () => {
    const client = await given.connect('anyone');
    await until(() => messages() === 1);
    await client.subscribeAsync('job', { qos: 1 });
    expect(messages()).toBe(2);
    await publish('x'.repeat(5000));
    await until(() => messages() === 4);
    await publish('x'.repeat(6000));
    await until(() => messages() === 7);
    expect(used('clients')['transfer:bytesOut']).toBe(11_006);
  });

  test('a published message counts in steps of 5 KB, and once more when it is retained', async () => {
    expect((await publish('x')).charges).toEqual({ 'iot:messages': 1 });
    expect((await publish('x'.repeat(5121))).charges).toEqual({ 'iot:messages': 2 });
    expect((await publish('x', '&retain=true')).charges).toEqual({ 'iot:messages': 2 });
  });

  test('a message of a client counts in steps of 5 KB with its topic', async () => {
    const client = await given.connect('anyone');
    await until(() => messages() > 0);
    const before = messages();
    await client.publishAsync('other', 'x'.repeat(5118), { qos: 1 });
    expect(messages() - before).toBe(2);
    await client.publishAsync('kept', 'x', { qos: 1, retain: true });
    expect(messages() - before).toBe(4);
  });

  test('a rule counts with its actions, and a connection by its minutes', () => {
    const { 'iot:rules': rules = 0, 'iot:actions': actions } = used('Presence');
    expect(rules).toBeGreaterThan(0);
    expect(actions).toBe(rules);
    expect(used('clients')['iot:minutes']).toBeGreaterThan(0);
  });
});
