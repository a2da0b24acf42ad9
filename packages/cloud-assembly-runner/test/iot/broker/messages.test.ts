import { allow, answer, eventsOf, brokerForAllTests } from '../fixture';
import { closed, inbox, settled, subscribe } from '../mqtt-client';
import { until } from '../../until';

describe('Messages of the broker', () => {
  const { given, publish, reasons } = brokerForAllTests();
  beforeAll(() => {
    given.users.tenant = answer(
      allow('iot:Connect', 'client/tenant-*'),
      allow('iot:Subscribe', 'topicfilter/job-aaaa-*/JOB/STATUS'),
      allow('iot:Receive', 'topic/job-aaaa-*/JOB/STATUS'),
    );
  });
  /** Status of the data API for the retained message of a topic. */
  const retained = async (topic: string) => {
    const path = `/retainedMessage/${encodeURIComponent(topic)}`;
    const call = { service: 'iotdata', method: 'GET', path, headers: {}, body: Buffer.alloc(0) };
    return (await given.iot.answer(call)).status;
  };

  describe('for a client with access to the topics of one tenant', () => {
    test('arrive from its own topics, also through an allowed wildcard', async () => {
      const client = await given.connect('tenant', { clientId: 'tenant-own' });
      const got = inbox(client);
      expect(await subscribe(client, 'job-aaaa-1/JOB/STATUS')).toEqual([1]);
      await publish('job-aaaa-1/JOB/STATUS', 'mine');
      await publish('job-bbbb-1/JOB/STATUS', 'theirs');
      await settled(client);
      expect(got).toEqual(['job-aaaa-1/JOB/STATUS mine']);
    });

    test.each([
      '+/JOB/STATUS',
      '#',
      '+/#',
      'job-bbbb-1/JOB/STATUS',
      'job-aaaa-1/#',
      '$share/g/job-aaaa-1/JOB/STATUS',
      '$share/g/#',
      '$SYS/#',
      '$aws/#',
      '$aws/events/presence/connected/+',
    ])('do not arrive through %s, which is refused with 0x80', async (filter) => {
      const client = await given.connect('tenant', { clientId: 'tenant-greedy' });
      const got = inbox(client);
      expect(await subscribe(client, filter)).toEqual([128]);
      await publish('job-aaaa-1/JOB/STATUS', 'mine');
      await publish('job-bbbb-1/JOB/STATUS', 'theirs');
      await settled(client);
      expect(got).toEqual([]);
      expect(eventsOf(given.calls, 'subscribed')).toEqual([]);
    });

    test('arrive for allowed filters when others of the same SUBSCRIBE are refused', async () => {
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

    test.each(['job-aaaa-1/JOB/STATUS', 'job-bbbb-1/JOB/STATUS', '$aws/events/presence/connected/tenant-x', '$SYS/x'])(
      'are not delivered when published on %s, which ends the connection',
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

  test.each(['$share/g/a', '$SYS/#', '$SYS/+/new/clients', '$aws/events/#', '$aws/things/x/shadow/update'])(
    'do not arrive through %s, even for a client with all permissions',
    async (filter) => {
      expect(await subscribe(await given.connect('anyone'), filter)).toEqual([128]);
    },
  );

  test('are not delivered without iot:Receive', async () => {
    given.users.partial = answer(allow(['iot:Connect', 'iot:Subscribe'], '*'), allow('iot:Receive', 'topic/allowed'));
    const client = await given.connect('partial');
    const got = inbox(client);
    expect(await subscribe(client, ['allowed', 'denied'])).toEqual([1, 1]);
    await publish('denied', 'no');
    await publish('allowed', 'yes');
    await settled(client);
    expect(got).toEqual(['allowed yes']);
  });

  test('arrive in order, at the subscribed QoS', async () => {
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

  test('of a topic do not arrive through a filter for the levels below it', async () => {
    const client = await given.connect('anyone');
    const got = inbox(client);
    await subscribe(client, 'parent/#');
    await publish('parent', 'above');
    await publish('parent/child', 'below');
    await settled(client);
    expect(got).toEqual(['parent/child below']);
  });
});
