import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, ConnectionError, DroneMissionClient, watchShare } from '../src/index.ts';
import { whyTooOld } from '../src/node-version.ts';
import { connectionError } from '../src/connection-problem.ts';
import { FakeService } from './fake-service.ts';

let service: FakeService;
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(() => service.stop());

const givenClient = (more: object = {}) => new DroneMissionClient({ ...service.options, maxRetries: 0, ...more });
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  );
const first = (messages: AsyncGenerator) => messages.next();

describe('an error', () => {
  test('of a request has status, text, details and request id', async () => {
    const details = [{ path: 'priority', message: 'must be at most 10' }];
    service.answer = () => ({ status: 400, body: { error: 'invalid_request', details } });
    const error = await errorOf(givenClient().jobs.create({ name: 'Survey', deviceGroupId: 'group-1', priority: 11 }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, error: 'invalid_request', details, requestId: 'request-1' });
    expect(String(error)).toBe(
      'ApiError: POST /v3/jobs/create was refused with 400: invalid_request (priority must be at most 10) [request request-1]',
    );
  });

  test('of a request that is forbidden says the cause that the service names, in place of what it may be', async () => {
    const details = [{ path: 'Authorization', message: 'needs scope command:create' }];
    service.answer = () => ({ status: 403, body: { error: 'Forbidden', details } });
    const error = await errorOf(givenClient().jobs.create({ name: 'Survey', deviceGroupId: 'group-1' }));
    expect(String(error)).toBe(
      'ApiError: POST /v3/jobs/create was refused with 403: Forbidden (Authorization needs scope command:create) [request request-1]',
    );
  });

  test('names no share code', async () => {
    service.answer = () => ({ status: 404, body: { error: 'Share not found' } });
    expect(String(await errorOf(givenClient().shares.get('share-secret')))).not.toContain('secret');
  });

  test.each([
    [
      401,
      'invalid_client',
      'POST /v3/auth/token was refused with 401: invalid_client. Check clientId and clientSecret',
    ],
    [
      403,
      'Forbidden',
      'POST /v3/auth/token was refused with 403: Forbidden. Check apiKey, and that it belongs to the same partner as clientId; a suspended partner is refused too',
    ],
  ])('of a wrong credential says which to check: %d', async (status, text, message) => {
    service.issueToken = () => ({ status, body: { error: text } });
    expect(await errorOf(givenClient().jobs.get('job-1'))).toMatchObject({
      status,
      message: `${message} [request request-1]`,
    });
    expect(await errorOf(first(givenClient().jobs.follow('job-1')))).toMatchObject({ status });
  });

  test('of a host that does not exist names the option', async () => {
    // As a name server answers, should there be one.
    const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND no-such-host.invalid'), { code: 'ENOTFOUND' });
    const answer = (_host: string, _options: object, done: (error: Error) => void) => void setImmediate(done, notFound);
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation(answer as never);
    const client = givenClient({ baseUrl: 'https://no-such-host.invalid' });
    expect(await errorOf(client.jobs.get('job-1'))).toMatchObject({
      problem: 'host-not-found',
      message: 'There is no host no-such-host.invalid: check baseUrl.',
    });
    const follower = givenClient({ wsUrl: 'wss://no-such-host.invalid' });
    expect(await errorOf(first(follower.jobs.follow('job-1')))).toMatchObject({
      message: 'There is no host no-such-host.invalid: check wsUrl.',
    });
    expect(lookup).toHaveBeenCalledTimes(2);
    lookup.mockRestore();
  });

  test('of a port where nothing answers says so', async () => {
    const { baseUrl, wsUrl } = service;
    const client = givenClient();
    await service.stop();
    expect(await errorOf(client.jobs.get('job-1'))).toMatchObject({
      problem: 'refused',
      message: `Nothing answers at ${baseUrl}: check baseUrl, and whether the service runs there.`,
    });
    const share = { wsUrl, shareCode: 'share-1' };
    jest.spyOn(Math, 'random').mockReturnValue(0);
    expect(await errorOf(first(watchShare(share)))).toMatchObject({ problem: 'refused' });
    jest.restoreAllMocks();
    service = await new FakeService().start();
  });

  test('of an address that belongs to another service says so', async () => {
    const other = createServer((_, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>'),
    );
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    expect(await errorOf(givenClient({ baseUrl }).jobs.get('job-1'))).toMatchObject({
      problem: 'not-the-api',
      message: `What answers at ${baseUrl} is not the Drone Mission API: check baseUrl.`,
    });
    other.close();
  });

  test('of https where there is no TLS says so', async () => {
    const baseUrl = service.baseUrl.replace('http', 'https');
    expect(await errorOf(givenClient({ baseUrl }).jobs.get('job-1'))).toMatchObject({
      problem: 'no-tls',
      message: `${baseUrl} does not use TLS: check scheme and port of baseUrl.`,
    });
  });

  test.each([
    [
      'CERT_HAS_EXPIRED',
      'The certificate of https://api.example.com has expired: check the clock of this machine, and tell the operator of the service.',
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate of https://api.example.com is for another host: check baseUrl.'],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'The certificate of https://api.example.com is not from an authority that this machine trusts (SELF_SIGNED_CERT_IN_CHAIN): check baseUrl, or set NODE_EXTRA_CA_CERTS to the PEM file of the authority before Node.js starts.',
    ],
  ])('of a refused certificate says why: %s', (code, message) => {
    const error = new TypeError('fetch failed', { cause: Object.assign(new Error('tls'), { code }) });
    const told = connectionError(error, 'https://api.example.com/v3/jobs?secret', 'baseUrl');
    expect(told).toBeInstanceOf(ConnectionError);
    expect(told).toMatchObject({ problem: 'certificate', message });
  });

  test.each([
    [{ baseUrl: undefined }, 'baseUrl must be an address such as https://api.example.com.'],
    [{ baseUrl: 'api.example.com' }, 'baseUrl must be an address such as https://api.example.com.'],
    [{ wsUrl: 'https://x' }, 'wsUrl must be an address such as wss://channels.example.com.'],
    [{ clientSecret: '' }, 'clientSecret is missing: the operator of the service has issued it to you.'],
  ])('of a wrong option names it: %j', (wrong, message) => {
    expect(() => givenClient(wrong)).toThrow(message);
  });

  test('says that the address of the channels is missing', () => {
    expect(() => givenClient({ wsUrl: undefined }).jobs.follow('job-1')).toThrow('wsUrl is missing');
  });
});

describe('Node.js', () => {
  test.each([['18.20.4'], ['20.18.3']])('%s is too old', (version) => {
    expect(whyTooOld(version)).toBe(
      `drone-mission-client needs Node.js 20.19 or later, and this is ${version}: install a newer one from https://nodejs.org.`,
    );
  });

  test.each([['20.19.0'], ['24.1.0'], [undefined]])('%s is not too old', (version) => {
    expect(whyTooOld(version)).toBeUndefined();
  });
});
