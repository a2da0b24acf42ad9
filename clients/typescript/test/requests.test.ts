import { ApiError, ConnectionError, DroneMissionClient } from '../src/index.ts';
import { FakeService, withoutWaits, type Answer } from './fake-service.ts';

withoutWaits();
let service: FakeService;
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(() => service.stop());

const givenClient = (more: object = {}) => new DroneMissionClient({ ...service.options, ...more });
const ok = (body: object): Answer => ({ status: 200, body: { success: true, ...body } });
const job = { jobId: 'job-1', name: 'Survey', status: 'PENDING', priority: 5, createdAt: '2026-11-22T10:00:00.000Z' };

/** Answers with these, one after the other, and then with the last one. */
const answerWith = (...answers: Answer[]) => {
  let count = 0;
  service.answer = () => answers[Math.min(count++, answers.length - 1)] ?? { status: 500 };
};
const unavailable: Answer = { status: 503, body: { message: 'Service Unavailable' } };
const tooMany: Answer = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'Too many requests' } };

describe('a request', () => {
  test('has the access token and nothing else to identify the client', async () => {
    answerWith(ok({ job }));
    await givenClient().jobs.get('job-1');
    expect(service.requests[0]).toMatchObject({ path: '/v3/jobs/job-1', headers: { authorization: 'Bearer token-1' } });
    expect(service.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  test('to create something has an idempotency key, the same one in each repeat', async () => {
    answerWith('destroy', unavailable, tooMany, ok({ job }));
    await givenClient().jobs.create({ name: 'Survey', deviceGroupId: 'group-1' });
    const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(service.requests.map(({ body }) => body)).toEqual(
      Array(4).fill({ name: 'Survey', deviceGroupId: 'group-1' }),
    );
  });

  test('to create something has another key in each call, or that of the caller', async () => {
    answerWith(ok({ share: {} }));
    const client = givenClient();
    const body = { resourceId: 'device-1', shareType: 'STREAM' } as const;
    await client.shares.create(body);
    await client.shares.create(body);
    await client.shares.create(body, { idempotencyKey: 'mine' });
    const [first, second, third] = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
  });

  test.each([
    ['a read', (client: DroneMissionClient) => client.jobs.get('job-1')],
    [
      'a change of one version',
      (client: DroneMissionClient) => client.jobs.update('job-1', { priority: 1 }, { ifVersion: 3 }),
    ],
    [
      'a replacement of a file',
      (client: DroneMissionClient) => client.missions.replace('mission-1', '{}', { mediaType: 'application/geo+json' }),
    ],
  ])('that is %s is repeated after a broken connection', async (_, call) => {
    answerWith('destroy', ok({ job, mission: {} }));
    await call(givenClient());
    expect(service.requests).toHaveLength(2);
  });

  test.each([
    ['a change', (client: DroneMissionClient) => client.jobs.update('job-1', { priority: 1 })],
    ['a cancel', (client: DroneMissionClient) => client.jobs.cancel('job-1')],
    ['a delete', (client: DroneMissionClient) => client.jobs.delete('job-1')],
    ['a revoke', (client: DroneMissionClient) => client.shares.revoke('share-1')],
    [
      'a create of a mission',
      (client: DroneMissionClient) => client.missions.create('{}', { mediaType: 'application/geo+json' }),
    ],
    ['a delete of a mission', (client: DroneMissionClient) => client.missions.delete('mission-1')],
  ])('that is %s is not repeated when it may have been carried out', async (_, call) => {
    answerWith('destroy');
    await expect(call(givenClient())).rejects.toThrow(ConnectionError);
    answerWith(unavailable);
    await expect(call(givenClient())).rejects.toThrow(ApiError);
    expect(service.requests).toHaveLength(2);
  });

  test('is repeated as often as maxRetries says', async () => {
    answerWith(tooMany);
    await expect(givenClient({ maxRetries: 2 }).jobs.get('job-1')).rejects.toMatchObject({ status: 429 });
    expect(service.requests).toHaveLength(3);
  });

  test('ends with its signal, also while it waits for the next attempt', async () => {
    answerWith({ status: 429, headers: { 'retry-after': '60' }, body: {} });
    const stop = new AbortController();
    const waiting = givenClient().jobs.get('job-1', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });

  test('has a time limit', async () => {
    service.answer = () => 'destroy';
    const never = () =>
      new Promise<never>((_, reject) => setTimeout(() => reject(new DOMException('late', 'TimeoutError')), 20));
    await expect(givenClient({ fetch: never, maxRetries: 0 }).jobs.get('job-1')).rejects.toMatchObject({
      problem: 'timeout',
      message: `${service.baseUrl} did not answer in time: try again, or raise timeoutMs.`,
    });
  });
});

test('device groups are read with what each device reported last when that is asked for', async () => {
  const devices = [{ deviceId: 'device-1', name: 'Kestrel 1', status: 'online', lastState: { droneState: 'DOCKED' } }];
  answerWith(ok({ resources: [{ deviceGroupId: 'group-1', devices }] }));
  const [group] = await givenClient().deviceGroups.list({ include: 'state' });
  expect(group?.devices[0]?.lastState).toEqual({ droneState: 'DOCKED' });
  await givenClient().deviceGroups.list();
  expect(service.requests.map(({ path }) => path)).toEqual(['/v3/resources?include=state', '/v3/resources']);
});

describe('a track', () => {
  const kml = '<?xml version="1.0" encoding="UTF-8"?>\n<kml></kml>';
  const text = (type: string, body: string): Answer => ({ status: 200, headers: { 'content-type': type }, text: body });

  test('is GeoJSON by default', async () => {
    const track = { type: 'FeatureCollection', features: [] };
    answerWith({ status: 200, headers: { 'content-type': 'application/geo+json' }, body: track });
    expect(await givenClient().jobs.track('job-1')).toEqual(track);
    expect(service.requests[0]).toMatchObject({
      path: '/v3/jobs/job-1/track',
      headers: { accept: 'application/geo+json' },
    });
  });

  test.each([
    ['kml', 'application/vnd.google-earth.kml+xml', kml],
    ['csv', 'text/csv', 'time,longitude\r\n'],
  ] as const)('is text in the format %s', async (format, type, body) => {
    answerWith(unavailable, text(type, body));
    expect(await givenClient().jobs.track('job-1', { format })).toBe(body);
    expect(service.requests[1]?.headers.accept).toBe(type);
  });

  test('that is refused says why, in any format', async () => {
    answerWith({ status: 404, body: { error: 'Job not found' } });
    const refused = givenClient().jobs.track('job-1', { format: 'kml' });
    await expect(refused).rejects.toMatchObject({ status: 404, error: 'Job not found' });
  });

  test('of another type than was asked for is not of the API', async () => {
    answerWith(text('text/html', '<html></html>'));
    await expect(givenClient().jobs.track('job-1', { format: 'kml' })).rejects.toThrow(ConnectionError);
  });
});

describe('a mission', () => {
  /** No UTF-8: a byte order mark, a lone continuation byte, a zero. */
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x50, 0x4b, 0x80, 0x00, 0xff]);
  const kmz = 'application/vnd.google-earth.kmz';

  test.each([
    ['text', '<kml>é</kml>', Buffer.from('<kml>é</kml>')],
    ['bytes', bytes, Buffer.from(bytes)],
    ['a blob', new Blob([bytes], { type: 'text/plain' }), Buffer.from(bytes)],
  ])('is sent unchanged from %s, also in a repeat', async (_, file, content) => {
    answerWith(tooMany, ok({ mission: { missionId: 'mission-1' } }));
    const created = await givenClient().missions.create(file, { mediaType: kmz, name: 'Fence & gate' });
    expect(created).toEqual({ missionId: 'mission-1' });
    const sent = { method: 'POST', path: '/v3/missions?name=Fence%20%26%20gate', content };
    expect(service.requests).toMatchObject([sent, sent]);
    expect(service.requests[0]?.headers).toMatchObject({ 'content-type': kmz });
    expect(service.requests[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  test('is replaced by a file, under the name in it', async () => {
    answerWith(ok({ mission: { version: 2 } }));
    expect(await givenClient().missions.replace('mission-1', bytes, { mediaType: kmz })).toEqual({ version: 2 });
    expect(service.requests).toMatchObject([
      { method: 'PUT', path: '/v3/missions/mission-1', headers: { 'content-type': kmz }, content: Buffer.from(bytes) },
    ]);
  });

  test.each([
    ['a KMZ', kmz, bytes],
    ['KML', 'application/vnd.google-earth.kml+xml', Buffer.from('\uFEFF<kml></kml>')],
    ['GeoJSON', 'application/geo+json; charset=utf-8', Buffer.from('{ "type": "LineString" }\n')],
    ['a plan', 'application/json', Buffer.from('{ "fileType": "Plan" }\r\n')],
  ])('is read as the file that it was made from, byte for byte: %s', async (_, type, content) => {
    answerWith({ status: 200, headers: { 'content-type': type }, text: content });
    const file = await givenClient().missions.file('mission-1', { format: 'original' });
    expect(file).toEqual(new Uint8Array(content));
    expect(service.requests[0]?.path).toBe('/v3/missions/mission-1?format=original');
    expect(service.requests[0]?.headers.accept).toMatch(/^application\/vnd\.google-earth\.kmz, /);
  });

  test('is no page of another server, whatever the format of its file', async () => {
    answerWith({ status: 200, headers: { 'content-type': 'text/html' }, text: '<html></html>' });
    const read = givenClient().missions.file('mission-1', { format: 'original' });
    await expect(read).rejects.toMatchObject({ problem: 'not-the-api' });
  });

  test('that is refused says where its file is wrong', async () => {
    const details = [{ path: 'line 3', message: 'has no altitude' }];
    answerWith({ status: 400, body: { error: 'invalid_request', details } });
    const refused = givenClient().missions.create('<kml/>', { mediaType: 'application/vnd.google-earth.kml+xml' });
    await expect(refused).rejects.toMatchObject({ status: 400, details });
  });
});

describe('a list', () => {
  test('reads a page when its first item is needed', async () => {
    service.answer = ({ path }) => {
      const token = new URL(path, service.baseUrl).searchParams.get('nextToken');
      const jobs = [1, 2].map((index) => ({ ...job, jobId: `job-${token ?? 'first'}-${index}` }));
      return ok({ jobs, count: 2, ...(token !== 'third' && { nextToken: token === null ? 'second' : 'third' }) });
    };
    const found: string[] = [];
    for await (const { jobId } of givenClient().jobs.list({ status: 'QUEUED', limit: 2 })) {
      found.push(jobId);
      if (found.length === 2) expect(service.requests).toHaveLength(1);
    }
    expect(found).toEqual(['job-first-1', 'job-first-2', 'job-second-1', 'job-second-2', 'job-third-1', 'job-third-2']);
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v3/jobs?status=QUEUED&limit=2',
      '/v3/jobs?status=QUEUED&limit=2&nextToken=second',
      '/v3/jobs?status=QUEUED&limit=2&nextToken=third',
    ]);
  });
});

const page = (cursor: string, ...cursors: string[]): Answer => ({
  status: 200,
  body: { success: true, events: cursors.map((each) => ({ cursor: each })), count: cursors.length, cursor },
});

/** Follows until so many events have come, from a service that answers in turn. */
async function followFeed(count: number, answers: Answer[], after?: string) {
  service.answer = () => answers.shift() ?? 'destroy';
  const cursors: string[] = [];
  const client = new DroneMissionClient({ ...service.options, maxRetries: 0 });
  for await (const { cursor } of client.events.follow({ after })) {
    cursors.push(cursor);
    if (cursors.length === count) break;
  }
  return { cursors, queries: service.requests.map(({ path }) => path.split('?')[1] ?? '') };
}

describe('following the feed', () => {
  test('begins now, and goes on with the cursor of each page, also of an empty one', async () => {
    const { cursors, queries } = await followFeed(2, [page('a'), page('b', 'b'), page('c'), page('d', 'd')]);
    expect(cursors).toEqual(['b', 'd']);
    expect(queries).toEqual(['', 'after=a&wait=20', 'after=b&wait=20', 'after=c&wait=20']);
  });

  test('pauses for five seconds after a call that was not held although nothing had happened', async () => {
    const pauses: (number | undefined)[] = [];
    const { setTimeout: start } = globalThis;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((done: () => void, ms?: number) => {
      pauses.push(ms);
      return start(done, ms === 5000 ? 0 : ms);
    });
    const { queries } = await followFeed(2, [page('a', 'a'), page('a'), page('b'), page('c', 'c')], '0');
    expect(queries).toEqual(['after=0&wait=20', 'after=a&wait=20', 'after=a&wait=20', 'after=b&wait=20']);
    expect(pauses.filter((ms) => ms === 5000)).toHaveLength(1);
  });
});
