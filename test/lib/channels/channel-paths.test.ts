import { contract } from '../../../contract/contract';
import { runInNewContext } from 'node:vm';
import { channelPathsCode } from '../../../lib/channels/channel-distribution';

interface ViewerRequest {
  readonly uri: string;
  readonly querystring: Readonly<Record<string, { value: string; multiValue?: { value: string }[] }>>;
}

const code = channelPathsCode('live', contract.channels);

/** Runs the function like CloudFront, without globals of Node.js. Returns its result after a round trip through JSON. */
function run(uri: string, querystring: ViewerRequest['querystring'] = {}): ViewerRequest | { statusCode: number } {
  const headers = { 'sec-websocket-version': { value: '13' } };
  const event = { version: '1.0', context: {}, request: { method: 'GET', uri, querystring, headers, cookies: {} } };
  const result = runInNewContext(`${code}; JSON.stringify(handler(event))`, { event }) as string;
  return JSON.parse(result) as ViewerRequest;
}

const job = 'job-7k2m9qx4-01jd3m8fz4tq6v0x2y5a7c9e1g';

test.each([
  [`/v3/jobs/${job}/status/ws`, 'job', job],
  ['/v3/devices/group-7k2m9qx4-01jd3m8fz4/status/ws', 'group', 'group-7k2m9qx4-01jd3m8fz4'],
  ['/v3/shares/share-7k2m9qx4-01JD3m8FZ4/status/ws', 'share', 'share-7k2m9qx4-01JD3m8FZ4'],
])('%s is a channel of kind %s', (uri, kind, id) => {
  expect(run(uri)).toMatchObject({
    uri: '/live',
    querystring: { channel: { value: kind }, id: { value: id } },
    headers: { 'sec-websocket-version': { value: '13' } },
  });
});

test('/telemetry is mapped without an id: clients name what they follow later', () => {
  const query = { token: { value: 'abc' }, channel: { value: 'job' } };
  expect(run('/telemetry', query)).toMatchObject({
    uri: '/live',
    querystring: { channel: { value: 'telemetry' }, token: { value: 'abc' } },
  });
});

test.each([
  ['job%2D7k2m9qx4', 'of a character that needs none'],
  ['job%26channel%3Dshare', 'of characters that would be part of the query'],
  ['%2e%2e', 'of dots'],
])('a percent-escape is passed on unchanged: %s, %s', (id) => {
  expect(run(`/v3/jobs/${id}/status/ws`)).toMatchObject({ uri: '/live', querystring: { id: { value: id } } });
});

test('a token and all other query parameters are passed on', () => {
  const { querystring } = run(`/v3/jobs/${job}/status/ws`, {
    token: { value: 'eyJhbGciOiJSUzI1NiJ9.eyJ4Ijoi_-A.c2ln' },
    other: { value: '1', multiValue: [{ value: '1' }, { value: '2' }] },
  }) as ViewerRequest;
  expect(querystring['token']).toEqual({ value: 'eyJhbGciOiJSUzI1NiJ9.eyJ4Ijoi_-A.c2ln' });
  expect(querystring['other']).toEqual({ value: '1', multiValue: [{ value: '1' }, { value: '2' }] });
});

test('channel and id in the query are overwritten, whether sent once or twice', () => {
  const { querystring } = run(`/v3/jobs/${job}/status/ws`, {
    channel: { value: 'share', multiValue: [{ value: 'share' }, { value: 'group' }] },
    id: { value: 'share-1', multiValue: [{ value: 'share-1' }, { value: 'share-2' }] },
  }) as ViewerRequest;
  expect(querystring).toEqual({ channel: { value: 'job' }, id: { value: job } });
});

test('the bare address redirects to the docs site', () => {
  expect(run('/')).toMatchObject({ statusCode: 302, headers: { location: { value: '/docs/' } } });
});

test.each([
  '',
  '/live',
  '/v3/jobs',
  `/v3/jobs/${job}`,
  `/v3/jobs/${job}/status`,
  `/v3/jobs/${job}/status/ws/`,
  `/v3/jobs/${job}/status/ws?x=1`,
  `//v3/jobs/${job}/status/ws`,
  `/v3//jobs/${job}/status/ws`,
  `/v3/jobs//${job}/status/ws`,
  `/v3/jobs/${job}//status/ws`,
  '/v3/jobs//status/ws',
  '/v3/jobs/status/ws',
  '/v3/jobs/../status/ws',
  `/v3/jobs/../jobs/${job}/status/ws`,
  `/V3/JOBS/${job}/STATUS/WS`,
  `/v3/groups/${job}/status/ws`,
  `/v3/jobs/${job}&channel=share/status/ws`,
  `/v3/jobs/${job};a=b/status/ws`,
  '/v3/jobs/{id}/status/ws',
  `/v3/jobs/${job}\n/status/ws`,
  `/live/v3/jobs/${job}/status/ws`,
  '/v3/jobs/constructor',
  '/telemetry/',
  '/v3/telemetry',
])('answers 404 for any other path: %j', (uri) => {
  expect(run(uri)).toEqual({ statusCode: 404, statusDescription: 'Not Found' });
});

test('handles the longest path that CloudFront accepts', () => {
  const long = 'a'.repeat(8000);
  expect(run(`/v3/jobs/${long}/status/ws`)).toMatchObject({ uri: '/live', querystring: { id: { value: long } } });
  expect(run(`/v3/jobs/${long}!/status/ws`)).toMatchObject({ statusCode: 404 });
});

test('the code is below the 10 kB that CloudFront allows', () => {
  expect(Buffer.byteLength(code)).toBeLessThan(10 * 1024);
});
