import type { MqttClient } from 'mqtt';
import {
  allow,
  answer,
  closed,
  eventsOf,
  givenIot,
  inbox,
  settled,
  stopReading,
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
  /** Return codes of SUBACK. */
  const subscribe = (client: MqttClient, filters: string | string[], qos: 0 | 1 = 1) =>
    new Promise<readonly unknown[]>((resolve) => {
      client.subscribe(filters, { qos }, (_error, _granted, packet) => resolve(packet?.granted ?? []));
    });
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

  describe('that are retained', () => {
    afterEach(() => publish('state', '', true));

    it('come first to a new subscriber of exactly that topic', async () => {
      await publish('state', 'old', true);
      await publish('state', 'new', true);
      const [exact, wild] = [await given.connect('anyone'), await given.connect('anyone')];
      const [gotExact, gotWild] = [inbox(exact), inbox(wild)];
      await subscribe(exact, 'state');
      await subscribe(wild, ['+', '#']);
      await publish('state', 'newest', true);
      await settled(exact);
      await settled(wild);
      expect(gotExact).toEqual(['!state new', 'state newest']);
      expect([...new Set(gotWild)]).toEqual(['state newest']);
    });

    it('are cleared by an empty one, which subscribers get', async () => {
      const early = await given.connect('anyone');
      const gotEarly = inbox(early);
      await subscribe(early, 'state');
      await publish('state', 'here', true);
      await publish('state', '', true);
      const late = await given.connect('anyone');
      const gotLate = inbox(late);
      await subscribe(late, 'state');
      await settled(early);
      await settled(late);
      expect(gotEarly).toEqual(['state here', 'state ']);
      expect(gotLate).toEqual([]);
    });

    it('need a permission of their own', async () => {
      given.users.plain = answer(allow(['iot:Connect', 'iot:Publish'], '*'));
      const client = await given.connect('plain');
      await client.publishAsync('state', 'passing', { qos: 1 });
      client.publish('state', 'staying', { qos: 1, retain: true });
      await closed(client);
      await until(() => reasons().includes('AUTH_ERROR'));
      const late = await given.connect('anyone');
      const got = inbox(late);
      await subscribe(late, 'state');
      await settled(late);
      expect(got).toEqual([]);
    });
  });

  describe('in a persistent session', () => {
    const keeper = (clientId: string, username = 'anyone') => given.connect(username, { clientId, clean: false });

    it('wait for the client, in order, and its subscriptions with them', async () => {
      const before = await keeper('keeper');
      await subscribe(before, ['kept', 'fleeting']);
      await before.endAsync();
      await publish('kept', '1', true);
      await publish('kept', '2');
      await publisher.publishAsync('fleeting', 'qos 0', { qos: 0 });
      const after = await keeper('keeper');
      const got = inbox(after);
      await publish('kept', '3');
      await until(() => got.length === 3);
      await publish('kept', '', true);
      expect(got.slice(0, 3)).toEqual(['kept 1', 'kept 2', 'kept 3']);
    });

    it('keep no filter that was refused: what it would match takes no room', async () => {
      given.users.some = answer(
        allow('iot:Connect', '*'),
        allow(['iot:Subscribe', 'iot:Receive'], 'topicfilter/a', 'topic/*'),
      );
      const before = await keeper('partly', 'some');
      expect(await subscribe(before, ['a', '#'])).toEqual([1, 128]);
      await before.endAsync();
      await Promise.all(Array.from({ length: 1000 }, () => publish('b', 'no')));
      await publish('a', 'yes');
      const after = await keeper('partly', 'some');
      const got = inbox(after);
      await until(() => got.length > 0);
      await settled(after);
      expect(got).toEqual(['a yes']);
    });

    it('are forgotten by a clean one', async () => {
      const before = await keeper('cleaner');
      await subscribe(before, 'kept');
      const clean = await given.connect('anyone', { clientId: 'cleaner' });
      await clean.endAsync();
      await publish('kept', 'missed');
      const after = await keeper('cleaner');
      const got = inbox(after);
      await publish('kept', 'missed, too');
      await settled(after);
      expect(got).toEqual([]);
    });

    it('end the connection of a client that acknowledges none of 1,000', async () => {
      const silent = await keeper('silent');
      await subscribe(silent, 'unheard');
      stopReading(silent);
      await Promise.all(Array.from({ length: 1001 }, () => publish('unheard', 'x')));
      await until(() => reasons().length > 0);
      expect(eventsOf(given.calls, 'disconnected')).toEqual([expect.objectContaining({ clientId: 'silent' })]);
    });

    it('can be denied by a condition', async () => {
      const Condition = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] } };
      given.users.passing = answer({ ...allow('iot:Connect', '*'), Condition });
      await expect(keeper('passer', 'passing')).rejects.toThrow('Not authorized');
      expect((await given.connect('passing')).connected).toBe(true);
    });
  });

  describe('beyond a limit of AWS', () => {
    const expectEnd = async (client: MqttClient, reason: string) => {
      await closed(client);
      await until(() => reasons().length === 1);
      expect(reasons()).toEqual([reason]);
    };

    it('end the connection: QoS 2, published or asked for', async () => {
      const asking = await given.connect('anyone');
      asking.subscribe('a', { qos: 2 });
      await expectEnd(asking, 'CLIENT_ERROR');
      given.calls.length = 0;
      const publishing = await given.connect('anyone');
      publishing.publish('a', 'b', { qos: 2 });
      await expectEnd(publishing, 'CLIENT_ERROR');
    });

    it('end the connection: a payload over 128 KB, when a smaller one arrives', async () => {
      const client = await given.connect('anyone');
      await client.publishAsync('a', Buffer.alloc(128 * 1024), { qos: 1 });
      client.publish('a', Buffer.alloc(128 * 1024 + 1), { qos: 1 });
      await expectEnd(client, 'CLIENT_ERROR');
    });

    it.each([
      ['8 slashes', 'a/b/c/d/e/f/g/h/i'],
      ['257 bytes', 'a'.repeat(257)],
    ])('end the connection or are refused: a topic of %s', async (_what, topic) => {
      const client = await given.connect('anyone');
      expect(await subscribe(client, topic)).toEqual([128]);
      client.publish(topic, 'x', { qos: 1 });
      await expectEnd(client, 'CLIENT_ERROR');
    });

    it('end the connection: a 51st subscription; repeating one is none', async () => {
      const client = await given.connect('anyone');
      for (let index = 0; index < 50; index++) expect(await subscribe(client, `t/${index}`)).toEqual([1]);
      expect(await subscribe(client, 't/0', 0)).toEqual([0]);
      await client.unsubscribeAsync('t/1');
      expect(await subscribe(client, 't/50')).toEqual([1]);
      client.subscribe('t/51');
      await expectEnd(client, 'CLIENT_ERROR');
    });

    it('end the connection: nine filters in one SUBSCRIBE', async () => {
      const client = await given.connect('anyone');
      expect(
        await subscribe(
          client,
          Array.from({ length: 8 }, (_, index) => `t/${index}`),
        ),
      ).toHaveLength(8);
      client.subscribe(Array.from({ length: 9 }, (_, index) => `t/${index}`));
      await expectEnd(client, 'CLIENT_ERROR');
    });
  });

  it('for a client that reads nothing pile up to a bound, then it is dropped, and a neighbour gets them all', async () => {
    const [reader, sleeper] = [await given.connect('anyone'), await given.connect('anyone', { clientId: 'sleeper' })];
    const got = inbox(reader);
    await subscribe(reader, 'flood');
    await subscribe(sleeper, 'flood', 0);
    stopReading(sleeper);
    const payload = Buffer.alloc(120 * 1024, 'x');
    let sent = 0;
    while (reasons().length === 0 && sent < 1000) {
      await publish('flood', payload);
      sent++;
    }
    expect(eventsOf(given.calls, 'disconnected')).toEqual([expect.objectContaining({ clientId: 'sleeper' })]);
    await settled(reader);
    expect(got).toHaveLength(sent);
  });

  it('that are retained outlive a restart', async () => {
    await publish('lasting', 'state', true);
    await publish('cleared', 'state', true);
    await publish('cleared', '', true);
    await given.restart();
    const client = await given.connect('anyone');
    const got = inbox(client);
    await subscribe(client, ['lasting', 'cleared']);
    await settled(client);
    expect(got).toEqual(['!lasting state']);
  });
});
