import type { MqttClient } from 'mqtt';
import {
  allow,
  answer,
  closed,
  eventsOf,
  givenIot,
  inbox,
  settled,
  subscribe,
  until,
  type GivenIot,
} from './iot-given';

describe('Messages of the broker', () => {
  let given: GivenIot;
  let publisher: MqttClient;
  beforeAll(async () => {
    given = await givenIot();
    given.users.tenant = answer(
      allow('iot:Connect', 'client/tenant-*'),
      allow('iot:Subscribe', 'topicfilter/job-aaaa-*/JOB/STATUS'),
      allow('iot:Receive', 'topic/job-aaaa-*/JOB/STATUS'),
    );
  });
  afterAll(() => given.end());
  beforeEach(async () => {
    publisher = await given.connect('anyone');
    given.calls.length = given.log.length = 0;
  });

  const publish = (topic: string, payload: string | Buffer, retain = false) =>
    publisher.publishAsync(topic, payload, { qos: 1, retain });
  /** Status of the data API for the retained message of a topic. */
  const retained = async (topic: string) => {
    const path = `/retainedMessage/${encodeURIComponent(topic)}`;
    const call = { service: 'iotdata', method: 'GET', path, headers: {}, body: Buffer.alloc(0) };
    return (await given.iot.answer(call)).status;
  };
  const reasons = () => eventsOf(given.calls, 'disconnected').map(({ disconnectReason }) => disconnectReason);

  describe('for a client that is fenced to its tenant', () => {
    it('come from its own topics, also through a wildcard inside the fence', async () => {
      const client = await given.connect('tenant', { clientId: 'tenant-own' });
      const got = inbox(client);
      expect(await subscribe(client, 'job-aaaa-1/JOB/STATUS')).toEqual([1]);
      await publish('job-aaaa-1/JOB/STATUS', 'mine');
      await publish('job-bbbb-1/JOB/STATUS', 'theirs');
      await settled(client);
      expect(got).toEqual(['job-aaaa-1/JOB/STATUS mine']);
    });

    it.each([
      ...['+/JOB/STATUS', '#', '+/#', 'job-bbbb-1/JOB/STATUS', 'job-aaaa-1/#'],
      ...['$share/g/job-aaaa-1/JOB/STATUS', '$share/g/#', '$SYS/#', '$aws/#', '$aws/events/presence/connected/+'],
    ])('do not come through %s, which is refused with 0x80', async (filter) => {
      const client = await given.connect('tenant', { clientId: 'tenant-greedy' });
      const got = inbox(client);
      expect(await subscribe(client, filter)).toEqual([128]);
      await publish('job-aaaa-1/JOB/STATUS', 'mine');
      await publish('job-bbbb-1/JOB/STATUS', 'theirs');
      await settled(client);
      expect(got).toEqual([]);
      expect(eventsOf(given.calls, 'subscribed')).toEqual([]);
    });

    it('come for the filters that are allowed when others of the same request are refused', async () => {
      const client = await given.connect('tenant', { clientId: 'tenant-mixed' });
      const got = inbox(client);
      expect(await subscribe(client, ['#', 'job-aaaa-2/JOB/STATUS', '+/JOB/STATUS'])).toEqual([128, 1, 128]);
      await publish('job-aaaa-2/JOB/STATUS', 'mine');
      await settled(client);
      expect(got).toEqual(['job-aaaa-2/JOB/STATUS mine']);
      expect(eventsOf(given.calls, 'subscribed')).toEqual([
        expect.objectContaining({ topics: ['job-aaaa-2/JOB/STATUS'] }),
      ]);
    });

    it.each(['job-aaaa-1/JOB/STATUS', 'job-bbbb-1/JOB/STATUS', '$aws/events/presence/connected/tenant-x', '$SYS/x'])(
      'can not be forged: a publish on %s ends the connection and reaches nobody',
      async (topic) => {
        const witness = await given.connect('anyone');
        const got = inbox(witness);
        await subscribe(witness, '#');
        const forger = await given.connect('tenant', { clientId: 'tenant-forger' });
        given.calls.length = 0;
        forger.publish(topic, '{"eventType":"connected"}', { qos: 1, retain: true });
        await closed(forger);
        await settled(witness);
        expect(got).toEqual([]);
        expect(await retained(topic)).toBe(404);
        await until(() => reasons().length === 1);
        expect(eventsOf(given.calls, 'connected')).toEqual([]);
      },
    );
  });

  it.each(['$share/g/a', '$SYS/#', '$SYS/+/new/clients', '$aws/events/#', '$aws/things/x/shadow/update'])(
    'do not come through %s, even for a client that may do everything',
    async (filter) => {
      expect(await subscribe(await given.connect('anyone'), filter)).toEqual([128]);
    },
  );

  it('are not delivered where only subscribing is allowed', async () => {
    given.users.deaf = answer(allow(['iot:Connect', 'iot:Subscribe'], '*'), allow('iot:Receive', 'topic/heard'));
    const client = await given.connect('deaf');
    const got = inbox(client);
    expect(await subscribe(client, ['heard', 'unheard'])).toEqual([1, 1]);
    await publish('unheard', 'no');
    await publish('heard', 'yes');
    await settled(client);
    expect(got).toEqual(['heard yes']);
  });

  it('arrive in order, at the quality that was asked for', async () => {
    const [first, second] = [await given.connect('anyone'), await given.connect('anyone')];
    const boxes = [inbox(first), inbox(second)];
    await subscribe(first, 'order', 1);
    await subscribe(second, '+', 0);
    const wanted = Array.from({ length: 200 }, (_, index) => `order ${index}`);
    await Promise.all(wanted.map((_, index) => publish('order', String(index))));
    await settled(first);
    await settled(second);
    expect(boxes).toEqual([wanted, wanted]);
  });

  it('of a topic do not come through a filter for what lies below it', async () => {
    const client = await given.connect('anyone');
    const got = inbox(client);
    await subscribe(client, 'parent/#');
    await publish('parent', 'above');
    await publish('parent/child', 'below');
    await settled(client);
    expect(got).toEqual(['parent/child below']);
  });
});
