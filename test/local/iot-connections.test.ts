import { connect as connectTls } from 'node:tls';
import {
  allow,
  answer,
  closed,
  eventsOf,
  everything,
  givenIot,
  inbox,
  settled,
  until,
  type GivenIot,
} from './iot-given';

describe('Connecting to the broker', () => {
  let given: GivenIot;
  beforeAll(async () => {
    given = await givenIot();
  });
  afterAll(() => given.end());
  beforeEach(() => {
    given.calls.length = given.log.length = 0;
  });

  const notAuthorized = { message: expect.stringContaining('Not authorized') as unknown };

  it('asks the authorizer with what the client sent', async () => {
    await given.connect('anyone', { clientId: 'asking' });
    expect(given.calls[0]).toEqual([
      'authorizer',
      {
        protocols: ['tls', 'mqtt'],
        protocolData: {
          tls: {},
          mqtt: { username: 'anyone', password: Buffer.from('secret').toString('base64'), clientId: 'asking' },
        },
        connectionMetadata: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown },
      },
    ]);
  });

  it('tells the authorizer the name that the client looked for', async () => {
    await given.connect('anyone', { clientId: 'naming', servername: 'localhost', ALPNProtocols: ['mqtt'] });
    expect(given.calls[0]?.[1]).toMatchObject({ protocolData: { tls: { serverName: 'localhost' } } });
  });

  it('is refused to whom the authorizer does not know', async () => {
    await expect(given.connect('stranger')).rejects.toMatchObject(notAuthorized);
    expect(given.log).toEqual([expect.stringContaining('not authenticated')]);
    expect(eventsOf(given.calls, 'connected')).toEqual([]);
  });

  it.each([
    ['fails', new Error('boom')],
    ['answers nothing', null],
    ['names a principal with a dash', { ...everything, principalId: 'partner-7' }],
    ['names a principal of 129 characters', { ...everything, principalId: 'a'.repeat(129) }],
    ['grants less than 300 seconds', { ...everything, disconnectAfterInSeconds: 299 }],
    ['grants more than a day', { ...everything, disconnectAfterInSeconds: 86_401 }],
    ['wants to be asked again too soon', { ...everything, refreshAfterInSeconds: 299 }],
    ['answers 11 policies', { ...everything, policyDocuments: Array(11).fill(everything.policyDocuments[0]) }],
    [
      'answers a policy of 2,049 characters',
      answer(allow('iot:*', '*'), { ...allow('iot:Connect', '*'), Sid: 'x'.repeat(2000) }),
    ],
    ['answers a policy that is no JSON', { ...everything, policyDocuments: ['{'] }],
    ['answers a policy without version', { ...everything, policyDocuments: [{ Statement: allow('iot:*', '*') }] }],
    ['uses an unknown policy variable', answer(allow('iot:Connect', 'client/${iot:Thing}'))],
  ])('is refused, and the log says why, when the authorizer %s', async (_what, given_) => {
    given.users.odd = given_;
    await expect(given.connect('odd')).rejects.toMatchObject(notAuthorized);
    expect(given.log).toHaveLength(1);
    expect(given.log.join()).not.toContain('secret');
  });

  it('is refused when no policy allows the client id, and accepted when one is pinned to it', async () => {
    given.users.pinned = answer(allow('iot:Connect', 'client/pinned-*'));
    await expect(given.connect('pinned', { clientId: 'other' })).rejects.toMatchObject(notAuthorized);
    expect((await given.connect('pinned', { clientId: 'pinned-1' })).connected).toBe(true);
  });

  it('takes policies as objects, too', async () => {
    given.users.object = { ...everything, policyDocuments: [JSON.parse(everything.policyDocuments[0] ?? '')] };
    expect((await given.connect('object')).connected).toBe(true);
  });

  it('is refused with a client id of more than 128 bytes or a dollar sign', async () => {
    const rejected = { message: expect.stringContaining('Identifier rejected') as unknown };
    await expect(given.connect('anyone', { clientId: 'ü'.repeat(65) })).rejects.toMatchObject(rejected);
    await expect(given.connect('anyone', { clientId: '$x' })).rejects.toMatchObject(rejected);
    expect((await given.connect('anyone', { clientId: 'ü'.repeat(64) })).connected).toBe(true);
  });

  it('is refused to MQTT 5, in the words of MQTT 5', async () => {
    const refused = given.connect('anyone', { protocolVersion: 5 });
    await expect(refused).rejects.toMatchObject({
      code: 0x84,
      message: expect.stringContaining('Unsupported Protocol Version') as unknown,
    });
    expect(given.log).toEqual([expect.stringContaining('MQTT 3.1.1')]);
    expect(given.calls).toEqual([]);
  });

  it('a second time with the same client id replaces the first', async () => {
    const first = await given.connect('anyone', { clientId: 'twin' });
    const second = await given.connect('anyone', { clientId: 'twin' });
    await closed(first);
    await second.subscribeAsync('a/b');
    const got = inbox(second);
    await second.publishAsync('a/b', 'still here', { qos: 1 });
    await settled(second);
    expect(got).toEqual(['a/b still here']);
    expect(eventsOf(given.calls, 'disconnected')).toEqual([
      expect.objectContaining({
        clientId: 'twin',
        disconnectReason: 'DUPLICATE_CLIENTID',
        clientInitiatedDisconnect: false,
      }),
    ]);
  });

  it('does not help who replaces it without being allowed to', async () => {
    const first = await given.connect('anyone', { clientId: 'victim' });
    await expect(given.connect('stranger', { clientId: 'victim' })).rejects.toMatchObject(notAuthorized);
    await settled(first);
    expect(first.connected).toBe(true);
  });

  it('tells of both ends of the connection, with the same session and number', async () => {
    const client = await given.connect('anyone', { clientId: 'leaver' });
    await client.endAsync();
    await until(() => eventsOf(given.calls, 'disconnected').length === 1);
    const [arrived] = eventsOf(given.calls, 'connected');
    const [left] = eventsOf(given.calls, 'disconnected');
    const common = {
      clientId: 'leaver',
      timestamp: expect.any(Number) as unknown,
      sessionIdentifier: expect.any(String) as unknown,
      principalIdentifier: 'partner7',
      versionNumber: expect.any(Number) as unknown,
    };
    expect(arrived).toEqual({ ...common, eventType: 'connected', ipAddress: '127.0.0.1' });
    expect(left).toEqual({
      ...common,
      eventType: 'disconnected',
      clientInitiatedDisconnect: true,
      disconnectReason: 'CLIENT_INITIATED_DISCONNECT',
    });
    expect([left?.sessionIdentifier, left?.versionNumber]).toEqual([
      arrived?.sessionIdentifier,
      arrived?.versionNumber,
    ]);
  });

  it('lost is told as lost', async () => {
    const client = await given.connect('anyone', { clientId: 'lost' });
    client.stream.destroy();
    await until(() => eventsOf(given.calls, 'disconnected').length === 1);
    expect(eventsOf(given.calls, 'disconnected')).toEqual([
      expect.objectContaining({ disconnectReason: 'CONNECTION_LOST' }),
    ]);
  });

  it('with a client id that has wildcards is told to nobody', async () => {
    await (await given.connect('anyone', { clientId: 'a+b' })).endAsync();
    await (await given.connect('anyone', { clientId: 'a#b' })).endAsync();
    expect(eventsOf(given.calls, 'connected', 'disconnected')).toEqual([]);
  });

  describe('with a last will', () => {
    const will = { topic: 'own/will', payload: Buffer.from('gone'), qos: 1 as const, retain: false };

    it('is refused where the will could not be published', async () => {
      given.users.will = answer(allow('iot:Connect', '*'), allow('iot:Publish', 'topic/own/*'));
      await expect(given.connect('will', { will: { ...will, topic: 'foreign/will' } })).rejects.toMatchObject(
        notAuthorized,
      );
      await expect(given.connect('will', { will: { ...will, retain: true } })).rejects.toMatchObject(notAuthorized);
      expect((await given.connect('will', { will })).connected).toBe(true);
    });

    it('is refused when the will is for a reserved topic', async () => {
      const reserved = { ...will, topic: '$aws/events/presence/connected/x' };
      await expect(given.connect('anyone', { will: reserved })).rejects.toMatchObject(notAuthorized);
    });

    it('publishes it when the connection is lost, and not after a goodbye', async () => {
      const witness = await given.connect('anyone');
      const got = inbox(witness);
      await witness.subscribeAsync('own/will', { qos: 1 });
      await (await given.connect('anyone', { will })).endAsync();
      const lost = await given.connect('anyone', { clientId: 'unlucky', will });
      lost.stream.destroy();
      await until(() => got.length > 0);
      await settled(witness);
      expect(got).toEqual(['own/will gone']);
    });
  });

  describe('and staying', () => {
    /** The callback of the timer of so many seconds. */
    const timer = (spy: jest.SpyInstance, seconds: number) =>
      (spy.mock.calls as [() => void, number][]).find(([, delay]) => delay === seconds * 1000)?.[0];
    afterEach(() => jest.restoreAllMocks());

    it('ends when the authorizer said so', async () => {
      const spy = jest.spyOn(globalThis, 'setTimeout');
      given.users.short = { ...everything, disconnectAfterInSeconds: 301 };
      const client = await given.connect('short', { clientId: 'short' });
      timer(spy, 301)?.();
      await closed(client);
      await until(() => eventsOf(given.calls, 'disconnected').length === 1);
      expect(eventsOf(given.calls, 'disconnected')).toEqual([
        expect.objectContaining({ clientId: 'short', disconnectReason: 'CUSTOMAUTH_TTL_EXPIRATION' }),
      ]);
    });

    it('goes by the policies of the last answer', async () => {
      const spy = jest.spyOn(globalThis, 'setInterval');
      given.users.changing = { ...everything, refreshAfterInSeconds: 302 };
      const client = await given.connect('changing');
      given.users.changing = answer(allow('iot:Connect', '*'));
      timer(spy, 302)?.();
      await until(() => given.calls.filter(([name]) => name === 'authorizer').length === 2);
      await expect(client.subscribeAsync('a/b')).rejects.toThrow();
    });

    it('ends when the authorizer does not know the client any more', async () => {
      const spy = jest.spyOn(globalThis, 'setInterval');
      given.users.leaving = { ...everything, refreshAfterInSeconds: 303 };
      const client = await given.connect('leaving');
      delete given.users.leaving;
      timer(spy, 303)?.();
      await closed(client);
      expect(given.log).toEqual([expect.stringContaining('not authenticated')]);
    });

    it('does not start while the authorizer takes more than 5 seconds', async () => {
      const spy = jest.spyOn(globalThis, 'setTimeout');
      given.users.slow = new Promise(() => undefined);
      const refused = given.connect('slow');
      void refused.catch(() => undefined);
      await until(() => given.calls.length === 1);
      timer(spy, 5)?.();
      await expect(refused).rejects.toMatchObject(notAuthorized);
    });
  });

  describe('with something that is no MQTT', () => {
    const raw = (bytes: Buffer) =>
      new Promise<void>((resolve) => {
        const port = Number(new URL(given.iot.url ?? '').port);
        const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => socket.write(bytes));
        socket.on('error', () => undefined).once('close', () => resolve());
        socket.resume();
      });

    it.each([
      ['junk', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
      ['a CONNECT of 200 MB', Buffer.from([0x10, 0x80, 0x80, 0x80, 0x64, 0x00])],
      ['a PUBLISH before CONNECT', Buffer.from([0x30, 0x05, 0x00, 0x01, 0x61, 0x62, 0x63])],
    ])('%s, is closed, and no neighbour notices', async (_what, bytes) => {
      const neighbour = await given.connect('anyone');
      await raw(bytes);
      await settled(neighbour);
      expect(neighbour.connected).toBe(true);
    });
  });
});

describe('A broker whose authorizer may not call its function', () => {
  it('refuses everybody, and says why', async () => {
    const invoke = jest.fn();
    const given = await givenIot({ lambda: { permits: () => false, invoke } });
    await expect(given.connect('anyone')).rejects.toThrow('Not authorized');
    expect(given.log).toEqual([expect.stringContaining('no AWS::Lambda::Permission')]);
    expect(invoke).not.toHaveBeenCalled();
    await given.end();
  });
});
