import { allow, answer, eventsOf, brokerForAllTests } from '../fixture';
import { closed, inbox, settled, stopReading, subscribe } from '../mqtt-client';
import { until } from '../../until';

describe('State of the broker', () => {
  const { given, publish, reasons } = brokerForAllTests();

  describe('retained messages', () => {
    afterEach(() => publish('state', '', true));

    test('are delivered first to a new subscriber of exactly that topic', async () => {
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

    test('are cleared by an empty message, which subscribers receive', async () => {
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

    test('need iot:RetainPublish', async () => {
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

    test('keep subscriptions, and messages in order, until the client reconnects', async () => {
      const before = await keeper('keeper');
      await subscribe(before, ['kept', 'fleeting']);
      await before.endAsync();
      await publish('kept', '1', true);
      await publish('kept', '2');
      await publish('fleeting', 'qos 0', false, 0);
      const after = await keeper('keeper');
      const got = inbox(after);
      await publish('kept', '3');
      await until(() => got.length === 3);
      await publish('kept', '', true);
      expect(got.slice(0, 3)).toEqual(['kept 1', 'kept 2', 'kept 3']);
    });

    test('queue no messages for a refused filter', async () => {
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

    test('are deleted by a clean session', async () => {
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

    test('end the connection of a client with 1,000 unacknowledged messages', async () => {
      const silent = await keeper('silent');
      await subscribe(silent, 'unread');
      stopReading(silent);
      await Promise.all(Array.from({ length: 1001 }, () => publish('unread', 'x')));
      await until(() => reasons().length > 0);
      expect(eventsOf(given.calls, 'disconnected')).toEqual([expect.objectContaining({ clientId: 'silent' })]);
    });

    test('are refused when a condition of the policy denies PersistentConnect', async () => {
      const Condition = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] } };
      given.users.passing = answer({ ...allow('iot:Connect', '*'), Condition });
      await expect(keeper('passer', 'passing')).rejects.toThrow('Not authorized');
      expect((await given.connect('passing')).connected).toBe(true);
    });
  });

  test('retains messages across a restart', async () => {
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

  test('emits disconnected events after a restart for connections of a killed broker, and for no others', async () => {
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
