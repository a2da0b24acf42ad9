import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttClient } from 'mqtt';
import * as fc from 'fast-check';
import {
  allow,
  answer,
  brokerForAllTests,
  closed,
  eventsOf,
  inbox,
  settled,
  startIot,
  subscribe,
  type IotFixture,
} from '../fixture';
import { until } from '../../until';
import { createPacketParser } from '../../../iot/broker/mqtt-stream';
import { openRetainedMessages } from '../../../iot/broker/retained';
import { createMeter } from '../../../billing/meter';

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

/** MQTT 3.1.1, section 4.6 "Message ordering": a server treats the packets of a client in the order in which they come. */
describe('Packets that come together are treated in their order', () => {
  const { given, publish, reasons } = brokerForAllTests();

  const steps = {
    subscribe: (client: MqttClient) => client.subscribe('topic', { qos: 1 }),
    unsubscribe: (client: MqttClient) => client.unsubscribe('topic'),
  };

  test.each([
    [['unsubscribe', 'subscribe'], true],
    [['subscribe', 'unsubscribe'], false],
    [['subscribe', 'unsubscribe', 'subscribe'], true],
    [['unsubscribe', 'subscribe', 'unsubscribe', 'subscribe', 'unsubscribe'], false],
  ] as const)('%j: subscribed %s', async (names, isSubscribed) => {
    const client = await given.connect('anyone', { clientId: names.join('-') });
    const got = inbox(client);
    await client.subscribeAsync('topic', { qos: 1 });
    client.stream.cork();
    for (const name of names) steps[name](client);
    client.stream.uncork();
    await settled(client);
    await publish('topic', 'x');
    await settled(client);
    expect(got).toEqual(isSubscribed ? ['topic x'] : []);
    expect(reasons()).toEqual([]);
    await client.endAsync();
  });
});

/** A packet with a type and a body length in bytes (MQTT 3.1.1, section 2.2.3 "Remaining Length"). */
function packet(type: number, bodyLength: number): Buffer {
  const length: number[] = [];
  let rest = bodyLength;
  do {
    length.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([type << 4, ...length]), Buffer.alloc(bodyLength, 0xff)]);
}

describe('The packet parser', () => {
  test('returns the packet types of a stream in order, for any chunks', () => {
    const packets = fc.array(fc.tuple(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 0, max: 500 })), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(packets, fc.integer({ min: 1, max: 700 }), (wanted, size) => {
        const stream = Buffer.concat(wanted.map(([type, length]) => packet(type, length)));
        const meter = createPacketParser(500);
        const types: number[] = [];
        const passed: Buffer[] = [];
        for (let at = 0; at < stream.length; at += size)
          for (const { type, bytes, ends } of meter(stream.subarray(at, at + size)) ?? []) {
            passed.push(bytes);
            if (ends) types.push(type);
          }
        expect(types).toEqual(wanted.map(([type]) => type));
        expect(Buffer.concat(passed)).toEqual(stream);
      }),
    );
  });

  test('refuses a packet when its length exceeds the limit', () => {
    const whole = packet(3, 300);
    expect(createPacketParser(300)(whole)).toEqual([{ type: 3, bytes: whole, ends: true }]);
    expect(createPacketParser(300)(packet(3, 301).subarray(0, 3))).toBeUndefined();
    expect(createPacketParser(300)(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toBeUndefined();
  });

  test('refuses a length of more than four bytes', () => {
    expect(createPacketParser(300)(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x00]))).toBeUndefined();
  });
});

/** AWS IoT Core developer guide, "AWS IoT differences from MQTT specifications". */
describe('QoS 2 is ignored, and the connection stays open', () => {
  const { given, publish, reasons } = brokerForAllTests();

  /** Commands of the packets that a client receives from now on. */
  const received = (client: MqttClient) => {
    const commands: string[] = [];
    client.on('packetreceive', ({ cmd }) => commands.push(cmd));
    return commands;
  };

  test.each([
    ['alone', { asked: { qos: 2 } }],
    ['before-another', { asked: { qos: 2 }, beside: { qos: 1 } }],
    ['after-another', { beside: { qos: 0 }, asked: { qos: 2 } }],
  ] as const)('in SUBSCRIBE, %s: no SUBACK and no subscription', async (clientId, filters) => {
    const client = await given.connect('anyone', { clientId });
    const [got, commands] = [inbox(client), received(client)];
    client.subscribe({ ...filters });
    await settled(client);
    expect(commands).toEqual(['pingresp']);
    expect(eventsOf(given.calls, 'subscribed')).toEqual([]);
    expect(given.log).toEqual([`iot ${clientId}: SUBSCRIBE ignored, QoS 2 is not supported`]);
    expect(await subscribe(client, 'other')).toEqual([1]);
    for (const topic of ['asked', 'beside', 'other']) await publish(topic, 'x');
    await settled(client);
    expect(got).toEqual(['other x']);
    expect(await subscribe(client, 'asked')).toEqual([1]);
    expect(reasons()).toEqual([]);
  });

  test('in PUBLISH: neither PUBREC nor PUBACK, and nobody gets the message', async () => {
    const reader = await given.connect('anyone');
    const got = inbox(reader);
    await subscribe(reader, '#');
    const client = await given.connect('anyone', { clientId: 'publishing' });
    const commands = received(client);
    client.publish('a', 'ignored', { qos: 2, retain: true });
    await settled(client);
    expect(commands).toEqual(['pingresp']);
    await client.publishAsync('a', 'delivered', { qos: 1 });
    await settled(reader);
    expect(got).toEqual(['a delivered']);
    const later = await given.connect('anyone');
    const retained = inbox(later);
    await subscribe(later, 'a');
    await settled(later);
    expect(retained).toEqual([]);
    expect(given.log).toEqual(['iot publishing: PUBLISH ignored, QoS 2 is not supported']);
    expect(reasons()).toEqual([]);
  });

  test('in PUBLISH, unless it is not allowed, which ends the connection as with any QoS', async () => {
    given.users.reader = answer(allow('iot:Connect', '*'));
    const client = await given.connect('reader');
    client.publish('a', 'x', { qos: 2 });
    await closed(client);
    await until(() => reasons().length > 0);
    expect(reasons()).toEqual(['AUTH_ERROR']);
  });
});

describe('Retained messages in a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'retained-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('survive a restart until they expire', () => {
    const payload = Buffer.from('done');
    const before = openRetainedMessages(folder);
    for (const topic of ['a', 'b', 'c']) before.put({ topic, payload, qos: 1 });
    before.expire('a', payload, 60);
    before.expire('b', payload, 3600);
    before.expire('c', Buffer.from('another one by now'), 60);
    before.close();
    const after = openRetainedMessages(folder);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_001);
    expect(after.list().map(({ topic }) => topic)).toEqual(['b', 'c']);
    expect([after.get('a'), after.get('c')?.payload]).toEqual([undefined, payload]);
    clock.mockRestore();
    after.close();
  });
});

describe('A subscriber', () => {
  test('receives the retained message before a newer live one, each once', async () => {
    let subscribed = () => undefined as unknown;
    const given = await startIot({
      lambda: {
        permits: () => true,
        invoke: (functionArn, event) => {
          // Here the client is subscribed and aedes has not read the retained message yet.
          if ((event as { eventType?: string }).eventType === 'subscribed') subscribed();
          return Promise.resolve(functionArn === 'authorizer' ? given.users.anyone : null);
        },
      },
    });
    const publish = (payload: string, retain = false) => {
      const path = `/topics/state?qos=0&retain=${retain}`;
      return given.iot.answer({ service: 'iotdata', method: 'POST', path, headers: {}, body: Buffer.from(payload) });
    };
    const client = await given.connect('anyone');
    const got = inbox(client);
    await publish('old', true);
    subscribed = () => publish('new');
    await subscribe(client, 'state');
    await publish('newest', true);
    await settled(client);
    expect(got).toEqual(['!state old', 'state new', 'state newest']);
    await given.end();
  });
});

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
