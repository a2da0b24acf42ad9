import { allow, answer, closed, eventsOf, everything, givenIot, until, type GivenIot } from './iot-given';

describe('Connecting through a custom authorizer', () => {
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

  it('takes policies as objects, too', async () => {
    given.users.object = { ...everything, policyDocuments: [JSON.parse(everything.policyDocuments[0] ?? '')] };
    expect((await given.connect('object')).connected).toBe(true);
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
