import { EventEmitter } from 'node:events';
import * as fc from 'fast-check';
import type { AedesPublishPacket, Client } from 'aedes';
import { account, allow, answer, arn, closed, eventsOf, everything, iotForAllTests, policy, startIot } from './fixture';
import { until } from '../until';
import { createAuthorizationHooks, createPermits } from '../../iot/authorization';
import { topicMatches } from '../../iot/topic';
import { parsePolicy } from '../../iam/policy';
import { noMeter } from '../../billing/meter';
import { createArns } from '../../iot/arns';
import type { Connection, Connections } from '../../iot/broker/connection';
import { openRetainedMessages } from '../../iot/broker/retained';
import { noQuotas } from '../../quotas';

describe('Connecting through a custom authorizer', () => {
  const given = iotForAllTests();

  const notAuthorized = { message: expect.stringContaining('Not authorized') as unknown };

  test('invokes the authorizer with the credentials of the client', async () => {
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

  test('passes the TLS server name to the authorizer', async () => {
    await given.connect('anyone', { clientId: 'naming', servername: 'localhost', ALPNProtocols: ['mqtt'] });
    expect(given.calls[0]?.[1]).toMatchObject({ protocolData: { tls: { serverName: 'localhost' } } });
  });

  test('is refused when the authorizer does not authenticate the client', async () => {
    await expect(given.connect('stranger')).rejects.toMatchObject(notAuthorized);
    expect(given.log).toEqual([expect.stringContaining('not authenticated')]);
    expect(eventsOf(given.calls, 'connected')).toEqual([]);
  });

  test.each([
    ['fails', new Error('boom')],
    ['returns null', null],
    ['returns a principal with a dash', { ...everything, principalId: 'partner-7' }],
    ['returns a principal of 129 characters', { ...everything, principalId: 'a'.repeat(129) }],
    ['returns less than 300 seconds until disconnect', { ...everything, disconnectAfterInSeconds: 299 }],
    ['returns more than a day until disconnect', { ...everything, disconnectAfterInSeconds: 86_401 }],
    ['returns less than 300 seconds until refresh', { ...everything, refreshAfterInSeconds: 299 }],
    ['returns 11 policies', { ...everything, policyDocuments: Array(11).fill(everything.policyDocuments[0]) }],
    [
      'returns a policy of 2,049 characters',
      answer(allow('iot:*', '*'), { ...allow('iot:Connect', '*'), Sid: 'x'.repeat(2000) }),
    ],
    ['returns a policy that is not JSON', { ...everything, policyDocuments: ['{'] }],
    ['returns a policy without version', { ...everything, policyDocuments: [{ Statement: allow('iot:*', '*') }] }],
    ['returns an unknown policy variable', answer(allow('iot:Connect', 'client/${iot:Thing}'))],
  ])('is refused and logged when the authorizer %s', async (_what, given_) => {
    given.users.odd = given_;
    await expect(given.connect('odd')).rejects.toMatchObject(notAuthorized);
    expect(given.log).toHaveLength(1);
    expect(given.log.join()).not.toContain('secret');
  });

  test('accepts policy documents as objects', async () => {
    given.users.object = { ...everything, policyDocuments: [JSON.parse(everything.policyDocuments[0] ?? '')] };
    expect((await given.connect('object')).connected).toBe(true);
  });

  describe('for longer', () => {
    /** The callback of the timer with this delay in seconds. */
    const timer = (spy: jest.SpyInstance, seconds: number) =>
      (spy.mock.calls as [() => void, number][]).find(([, delay]) => delay === seconds * 1000)?.[0];
    afterEach(() => jest.restoreAllMocks());

    test('ends after disconnectAfterInSeconds', async () => {
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

    test('uses the policies of the latest refresh', async () => {
      const spy = jest.spyOn(globalThis, 'setInterval');
      given.users.changing = { ...everything, refreshAfterInSeconds: 302 };
      const client = await given.connect('changing');
      given.users.changing = answer(allow('iot:Connect', '*'));
      timer(spy, 302)?.();
      await until(() => given.calls.filter(([name]) => name === 'authorizer').length === 2);
      await expect(client.subscribeAsync('a/b')).rejects.toThrow();
    });

    test('ends when the authorizer no longer authenticates the client', async () => {
      const spy = jest.spyOn(globalThis, 'setInterval');
      given.users.leaving = { ...everything, refreshAfterInSeconds: 303 };
      const client = await given.connect('leaving');
      delete given.users.leaving;
      timer(spy, 303)?.();
      await closed(client);
      expect(given.log).toEqual([expect.stringContaining('not authenticated')]);
    });

    test('is refused when the authorizer takes more than 5 seconds', async () => {
      const spy = jest.spyOn(globalThis, 'setTimeout');
      given.users.slow = new Promise(() => undefined);
      const refused = given.connect('slow');
      void refused.catch(() => undefined);
      await until(() => given.calls.some(([name]) => name === 'authorizer'));
      timer(spy, 5)?.();
      await expect(refused).rejects.toMatchObject(notAuthorized);
    });
  });
});

describe('IoT Core with faults', () => {
  test('loses lifecycle events, and refreshes connections at another time', async () => {
    const lost = { now: true };
    const given = await startIot({ faults: { losesLifecycleEvent: () => lost.now, refreshMs: () => 100 } });
    const client = await given.connect('anyone', { clientId: 'silent' });
    await client.subscribeAsync('a/b');
    await until(() => given.calls.filter(([name]) => name === 'authorizer').length > 1);
    lost.now = false;
    await client.unsubscribeAsync('a/b');
    await until(() => eventsOf(given.calls, 'unsubscribed').length > 0);
    expect(['connected', 'subscribed', 'unsubscribed'].map((type) => eventsOf(given.calls, type).length)).toEqual([
      0, 0, 1,
    ]);
    await given.end();
  });
});

describe('An authorizer without permission to invoke its function', () => {
  test('refuses all clients and logs why', async () => {
    const invoke = jest.fn();
    const given = await startIot({ lambda: { permits: () => false, invoke } });
    await expect(given.connect('anyone')).rejects.toThrow('Not authorized');
    expect(given.log).toEqual([expect.stringContaining('no AWS::Lambda::Permission')]);
    expect(invoke).not.toHaveBeenCalled();
    await given.end();
  });
});

const complain = jest.fn();
const permitsOf = (clientId: string, ...statements: object[]) =>
  createPermits([parsePolicy(policy(...statements))], clientId, complain);

describe('A policy for the topics of one tenant', () => {
  const tenant = allow(
    ['iot:Subscribe'],
    'topicfilter/job-aaaaaaaa-*/JOB/STATUS',
    'topicfilter/group-aaaaaaaa-*/DEVICE/STATUS',
  );
  const receiving = allow(['iot:Receive'], 'topic/job-aaaaaaaa-*/JOB/STATUS', 'topic/group-aaaaaaaa-*/DEVICE/STATUS');
  const permits = permitsOf('client', tenant, receiving);

  const word = fc.constantFrom(
    ...['+', '#', '*', '?', '', '$share', '$SYS', '$aws', 'events', 'g', 'JOB', 'DEVICE', 'STATUS'],
    ...[
      'job-aaaaaaaa-1',
      'job-aaaaaaaa-*',
      'job-aaaaaaaa-+',
      'job-aaaaaaaa-#',
      'job-????????-1',
      'job-+',
      'group-aaaaaaaa-1',
    ],
    ...['job-bbbbbbbb-1', 'group-bbbbbbbb-1'],
  );
  const filter = fc.array(word, { minLength: 1, maxLength: 8 }).map((levels) => levels.join('/'));
  const foreign = fc.constantFrom(
    ...[
      'job-bbbbbbbb-1/JOB/STATUS',
      'group-bbbbbbbb-1/DEVICE/STATUS',
      'job-aaaaaaa-1/JOB/STATUS',
      'xjob-aaaaaaaa-1/JOB/STATUS',
    ],
    ...['$SYS/x/new/clients', '$aws/events/presence/connected/c', 'share-bbbbbbbb-secret/SHARE/STATUS'],
  );

  test('allows no filter that matches topics of another tenant', () => {
    fc.assert(
      fc.property(filter, foreign, (asked, topic) => {
        const through = permits('iot:Subscribe', arn('topicfilter', asked)) && topicMatches(asked, topic);
        expect(through).toBe(false);
        expect(permits('iot:Receive', arn('topic', topic))).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    '+/JOB/STATUS',
    '#',
    '+/+/+',
    'job-bbbbbbbb-1/JOB/STATUS',
    '$share/g/job-aaaaaaaa-1/JOB/STATUS',
    '$SYS/#',
    '$aws/events/#',
  ])('refuses %s', (asked) => {
    expect(permits('iot:Subscribe', arn('topicfilter', asked))).toBe(false);
  });

  test('allows its own topics', () => {
    expect(permits('iot:Subscribe', arn('topicfilter', 'job-aaaaaaaa-1/JOB/STATUS'))).toBe(true);
    expect(permits('iot:Receive', arn('topic', 'job-aaaaaaaa-1/JOB/STATUS'))).toBe(true);
  });
});

describe('The policy variable iot:ClientId', () => {
  test('is replaced by the client id, in which * and ? are no wildcards', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (clientId, other) => {
        const permits = permitsOf(clientId, allow('iot:Publish', 'topic/of/${iot:ClientId}'));
        expect(permits('iot:Publish', arn('topic', `of/${clientId}`))).toBe(true);
        expect(permits('iot:Publish', arn('topic', `of/${other}`))).toBe(clientId === other);
      }),
    );
    const greedy = permitsOf('*', allow('iot:Publish', 'topic/of/${iot:ClientId}'));
    expect(greedy('iot:Publish', arn('topic', 'of/other'))).toBe(false);
  });

  test('is supported beside ${*}, ${?} and ${$}, the literal characters', () => {
    const permits = permitsOf('c', allow('iot:Publish', 'topic/${*}/${?}/${$}'));
    expect(permits('iot:Publish', arn('topic', '*/?/$'))).toBe(true);
    expect(permits('iot:Publish', arn('topic', 'a/b/$'))).toBe(false);
  });

  test('is the only supported one: others are refused by name', () => {
    const connect = allow('iot:Connect', 'client/${iot:Connection.Thing.ThingName}');
    expect(() => permitsOf('c', connect)).toThrow('${iot:Connection.Thing.ThingName}');
  });
});

describe('A condition', () => {
  const connecting = (clientAttributes: string[]) => {
    const Condition = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] } };
    const permits = permitsOf('c', { ...allow('iot:Connect', 'client/c'), Condition });
    return permits('iot:Connect', arn('client', 'c'), { 'iot:ConnectAttributes': clientAttributes });
  };

  test('on iot:ConnectAttributes allows the listed attributes', () => {
    expect([connecting([]), connecting(['LastWill']), connecting(['LastWill', 'PersistentConnect'])]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('with an unsupported operator allows nothing and is logged', () => {
    const Condition = { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } };
    const permits = permitsOf('c', { ...allow('iot:Connect', '*'), Condition });
    expect(permits('iot:Connect', arn('client', 'c'))).toBe(false);
    expect(complain).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('IpAddress') as unknown }),
    );
  });
});

describe('A topic filter', () => {
  test.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a/', true],
    ['a/+', 'a', false],
    ['+/b', '/b', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'a/', true],
    ['a/#', 'a', false],
    ['#', 'a/b', true],
    ['#', '$aws/events', false],
    ['+/events', '$aws/events', false],
    ['$aws/+', '$aws/events', true],
  ])('%s and %s: %s', (filter, topic, fits) => {
    expect(topicMatches(filter, topic)).toBe(fits);
  });

  test('without wildcards matches only itself', () => {
    const topic = fc
      .array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 4 })
      .map((levels) => levels.join('/'));
    fc.assert(fc.property(topic, topic, (one, other) => expect(topicMatches(one, other)).toBe(one === other)));
  });
});

describe('A retained message for a new subscriber', () => {
  const client = new EventEmitter() as Client;
  const awaitingRetained = new Set<string>();
  const known = { clientId: 'c', filters: new Set(['state']), permits: () => true };
  const connection = { ...known, awaitingRetained } as unknown as Connection;
  beforeEach(() => awaitingRetained.add('state'));
  const connections: Connections = { of: new WeakMap([[client, connection]]), byClientId: new Map() };
  const retained = openRetainedMessages();
  const rights = createAuthorizationHooks({
    connections,
    retained,
    arns: createArns(account),
    subscriptionsPerConnection: 50,
    quotas: noQuotas,
    meter: noMeter,
    log: () => undefined,
  });
  const packet = (payload: Buffer, retain: boolean) => ({ topic: 'state', payload, retain }) as AedesPublishPacket;
  const [older, newer] = [Buffer.from('older'), Buffer.from('newer')];

  test('is delivered while it is the latest', () => {
    retained.put({ topic: 'state', payload: older, qos: 1 });
    expect(rights.authorizeForward(client, packet(older, true))).toEqual(packet(older, true));
  });

  test('is dropped when it was replaced, so that it does not arrive after the newer one', () => {
    retained.put({ topic: 'state', payload: newer, qos: 1 });
    expect(rights.authorizeForward(client, packet(older, true))).toBeNull();
    expect(rights.authorizeForward(client, packet(newer, true))).not.toBeNull();
    expect(rights.authorizeForward(client, packet(older, false))).not.toBeNull();
  });

  test('is dropped when it was cleared', () => {
    retained.put({ topic: 'state', payload: Buffer.alloc(0), qos: 1 });
    expect(rights.authorizeForward(client, packet(newer, true))).toBeNull();
  });
});
