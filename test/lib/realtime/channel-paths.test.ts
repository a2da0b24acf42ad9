import { runInNewContext } from 'node:vm';
import { channelPathsCode } from '../../../lib/realtime/channel-paths';

interface ViewerRequest {
  readonly uri: string;
  readonly querystring: Readonly<Record<string, { value: string; multiValue?: { value: string }[] }>>;
}

const code = channelPathsCode('live');

/** Runs the function as CloudFront does, with nothing of Node.js about it. What it gives has gone through JSON. */
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

test('/telemetry is no channel of one thing: who comes says what to follow', () => {
  const query = { token: { value: 'abc' }, channel: { value: 'job' } };
  expect(run('/telemetry', query)).toMatchObject({
    uri: '/live',
    querystring: { channel: { value: 'telemetry' }, token: { value: 'abc' } },
  });
});

test.each([
  ['job%2D7k2m9qx4', 'of a letter that needs none'],
  ['job%26channel%3Dshare', 'of what would be part of the query'],
  ['%2e%2e', 'of dots'],
])('A percent-escape stays as it is: %s, %s', (id) => {
  expect(run(`/v3/jobs/${id}/status/ws`)).toMatchObject({ uri: '/live', querystring: { id: { value: id } } });
});

test('A token in the query is kept, and so is anything else', () => {
  const { querystring } = run(`/v3/jobs/${job}/status/ws`, {
    token: { value: 'eyJhbGciOiJSUzI1NiJ9.eyJ4Ijoi_-A.c2ln' },
    other: { value: '1', multiValue: [{ value: '1' }, { value: '2' }] },
  }) as ViewerRequest;
  expect(querystring['token']).toEqual({ value: 'eyJhbGciOiJSUzI1NiJ9.eyJ4Ijoi_-A.c2ln' });
  expect(querystring['other']).toEqual({ value: '1', multiValue: [{ value: '1' }, { value: '2' }] });
});

test('What a caller puts into channel and id is overwritten, given once or twice', () => {
  const { querystring } = run(`/v3/jobs/${job}/status/ws`, {
    channel: { value: 'share', multiValue: [{ value: 'share' }, { value: 'group' }] },
    id: { value: 'share-1', multiValue: [{ value: 'share-1' }, { value: 'share-2' }] },
  }) as ViewerRequest;
  expect(querystring).toEqual({ channel: { value: 'job' }, id: { value: job } });
});

test.each([
  '/',
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
])('Any other path is not found: %j', (uri) => {
  expect(run(uri)).toEqual({ statusCode: 404, statusDescription: 'Not Found' });
});

test('A path as long as CloudFront lets through is decided at once', () => {
  const long = 'a'.repeat(8000);
  expect(run(`/v3/jobs/${long}/status/ws`)).toMatchObject({ uri: '/live', querystring: { id: { value: long } } });
  expect(run(`/v3/jobs/${long}!/status/ws`)).toMatchObject({ statusCode: 404 });
});

test('The code is well below the 10 kB that CloudFront takes', () => {
  expect(Buffer.byteLength(code)).toBeLessThan(10 * 1024);
});
