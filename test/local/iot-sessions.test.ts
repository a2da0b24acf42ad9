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
  subscribe,
  until,
  type GivenIot,
} from './iot-given';

describe('What the broker keeps', () => {
  let given: GivenIot;
  let publisher: MqttClient;
  beforeAll(async () => {
    given = await givenIot();
  });
  afterAll(() => given.end());
  beforeEach(async () => {
    publisher = await given.connect('anyone');
    given.calls.length = given.log.length = 0;
  });

  const publish = (topic: string, payload: string | Buffer, retain = false) =>
    publisher.publishAsync(topic, payload, { qos: 1, retain });
  const reasons = () => eventsOf(given.calls, 'disconnected').map(({ disconnectReason }) => disconnectReason);

  describe('retained messages', () => {
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

  describe('persistent sessions', () => {
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

  it('retained messages outlive a restart', async () => {
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

  it('tells after a restart that who was connected to a killed broker has gone, and of nobody else', async () => {
    const left = await given.connect('anyone', { clientId: 'left' });
    await left.endAsync();
    await given.connect('anyone', { clientId: 'stays' });
    await until(() => eventsOf(given.calls, 'connected').some(({ clientId }) => clientId === 'stays'));
    await until(() => eventsOf(given.calls, 'disconnected').some(({ clientId }) => clientId === 'left'));
    given.calls.length = 0;
    await given.restartKilled();
    const gone = () => eventsOf(given.calls, 'disconnected').map(({ clientId }) => clientId);
    await until(() => gone().includes('stays'));
    expect(gone()).not.toContain('left');
    expect(eventsOf(given.calls, 'disconnected').find(({ clientId }) => clientId === 'stays')).toMatchObject({
      eventType: 'disconnected',
      disconnectReason: 'CONNECTION_LOST',
      principalIdentifier: 'partner7',
    });
  });
});
