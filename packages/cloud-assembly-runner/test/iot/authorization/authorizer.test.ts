import { allow, answer, eventsOf, everything, iotForAllTests, startIot } from '../fixture';
import { closed } from '../mqtt-client';
import { until } from '../../until';

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
