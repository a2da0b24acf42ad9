import { missionFile } from '../../api/given';
import { readFacts } from '../../api/stack/facts';
import { clientsOf } from '../../api/stack/organisations';
import { executedAt, item, kmlFile, kmzFile, planFile, wayline, wpmlDocument } from '../../lambdas/missions/files';
import { ApiError, DroneMissionClient, type CommandStatusMessage } from 'drone-mission-client';
import { givenClient } from './given-client';

const { client, deviceGroupId, deviceId } = { ...givenClient('typescript-client') };

/** The error of a call that the service refuses. */
async function caught(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error('the call was not refused');
}

describe('jobs of the TypeScript client', () => {
  test('are created, read, changed, listed over pages, cancelled and deleted', async () => {
    const created = [];
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      created.push(await client.jobs.create({ name, deviceGroupId, metadata: { round: 1 } }));
    const [first, second] = created;
    if (!first || !second) throw new Error('jobs were created');

    const job = await client.jobs.get(first.jobId);
    expect(job).toMatchObject({ name: 'one', status: 'PENDING', version: 1, metadata: { round: 1 } });
    const changed = await client.jobs.update(first.jobId, { priority: 9 }, { ifVersion: job.version });
    expect(changed).toMatchObject({ priority: 9, version: 2 });
    await expect(client.jobs.update(first.jobId, { priority: 1 }, { ifVersion: 1 })).rejects.toMatchObject({
      status: 412,
      error: 'Precondition failed',
    });

    const page = await client.jobs.page({ limit: 2 });
    expect(page).toMatchObject({ count: 2, nextToken: expect.any(String) as string });
    const names: string[] = [];
    for await (const { name } of client.jobs.list({ limit: 2, status: 'PENDING' })) names.push(name);
    expect(names).toEqual(['five', 'four', 'three', 'two', 'one']);

    expect(await client.jobs.cancel(first.jobId)).toMatchObject({ status: 'CANCELLED' });
    await client.jobs.delete(second.jobId);
    await expect(client.jobs.get(second.jobId)).rejects.toMatchObject({ status: 404, error: 'Job not found' });
  });

  test('that were never flown have an empty track, in each format', async () => {
    const { jobId } = await client.jobs.create({ name: 'never flown', deviceGroupId });
    expect(await client.jobs.track(jobId)).toEqual({ type: 'FeatureCollection', features: [] });
    expect(await client.jobs.track(jobId, { format: 'kml' })).toContain('<name>never flown</name>');
    expect(await client.jobs.track(jobId, { format: 'csv' })).toMatch(/^time,longitude,latitude,altitude,.*\r\n$/);
  });

  test('are created once with the same idempotency key', async () => {
    const idempotencyKey = crypto.randomUUID();
    const wanted = { name: 'once', deviceGroupId };
    const [first, again] = [
      await client.jobs.create(wanted, { idempotencyKey }),
      await client.jobs.create(wanted, { idempotencyKey }),
    ];
    expect(again).toEqual(first);
  });

  test('name each wrong field and the request', async () => {
    const refused = client.jobs.create({ name: '', deviceGroupId, priority: 11 });
    const error = await caught(refused);
    expect(error).toMatchObject({ status: 400, error: 'invalid_request', requestId: expect.any(String) as string });
    expect(error.details.map(({ path }) => path).sort()).toEqual(['name', 'priority']);
    expect(error.message).not.toContain('\n');
  });
});

describe('missions of the TypeScript client', () => {
  const geoJson = 'application/geo+json';
  const text = JSON.stringify(missionFile);
  const line = '<LineString><coordinates>8.5417,47.3769 8.5432,47.3774</coordinates></LineString>';
  const waylines = wpmlDocument(
    wayline('relativeToStartPoint', executedAt(0, '8.5417,47.3769', 40), executedAt(1, '8.5432,47.3774', 40)),
  );

  test('are created, read, listed, flown, replaced and deleted', async () => {
    const created = await client.missions.create(text, { mediaType: geoJson, name: 'Evening round' });
    const { missionId } = created;
    expect(created).toMatchObject({ name: 'Evening round', version: 1, format: 'GEOJSON', waypointCount: 2 });
    expect(await client.missions.get(missionId)).toEqual({
      type: 'Feature',
      geometry: missionFile.geometry,
      properties: created,
    });
    expect(await client.missions.page({ limit: 1 })).toMatchObject({ missions: [created], count: 1 });
    const listed: string[] = [];
    for await (const mission of client.missions.list({ limit: 1 })) listed.push(mission.missionId);
    expect(listed).toContain(missionId);

    const { jobId } = await client.jobs.create({ name: 'flies it', deviceGroupId, missionId });
    expect(await client.missions.replace(missionId, text, { mediaType: geoJson })).toMatchObject({
      name: 'Along the fence',
      version: 2,
    });
    expect(await client.jobs.get(jobId)).toMatchObject({ missionId, missionVersion: 1 });

    await client.missions.delete(missionId);
    await expect(client.missions.get(missionId)).rejects.toMatchObject({ status: 404, error: 'Mission not found' });
  });

  test.each([
    ['GeoJSON', geoJson, () => Buffer.from(`${text}\r\n`)],
    ['KML', 'application/vnd.google-earth.kml+xml', () => kmlFile(`<Placemark>${line}</Placemark>`)],
    [
      'a plan',
      'application/json',
      () => planFile([item(16, 3, [47.3769, 8.5417, 40]), item(16, 3, [47.3774, 8.5432, 40])]),
    ],
    ['a KMZ', 'application/vnd.google-earth.kmz', () => kmzFile({ 'wpmz/waylines.wpml': waylines })],
  ] as const)('come back as the file that was sent, and as KML: %s', async (_, mediaType, file) => {
    const original = await file();
    const { missionId } = await client.missions.create(original, { mediaType });
    expect(await client.missions.file(missionId, { format: 'original' })).toEqual(new Uint8Array(original));
    expect(await client.missions.file(missionId, { format: 'kml' })).toMatch(/<coordinates>\s*8\.5417,47\.3769/);
  });

  test('say where their file is wrong', async () => {
    const error = await caught(client.missions.create('{"type":"Point"}', { mediaType: geoJson }));
    expect(error).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(error.details).toHaveLength(1);
  });
});

test('the limits of the TypeScript client say what is used and what is left', async () => {
  const { rates, connections, subscriptions } = await client.limits();
  const operations = rates.map(({ operation }) => operation);
  expect(operations).toEqual(expect.arrayContaining(['POST /v3/jobs/create', 'WebSocket handshake']));
  // Another test of this client may have a connection open.
  expect(connections).toEqual({ limit: 50, used: expect.any(Number) as number, remaining: 50 - connections.used });
  expect(subscriptions).toEqual({ limit: 100, used: 0, remaining: 100 });
});

describe('shares of the TypeScript client', () => {
  test('are created, read, listed and revoked', async () => {
    const { shareCode, shareUrl } = await client.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS' });
    expect(shareUrl).toContain(shareCode);
    expect(await client.shares.get(shareCode)).toMatchObject({ resourceId: deviceId, permissions: ['view'] });
    expect(await client.shares.resources(shareCode)).toMatchObject([{ deviceId }]);
    const codes: string[] = [];
    for await (const share of client.shares.list()) codes.push(share.shareCode);
    expect(codes).toContain(shareCode);
    await client.shares.revoke(shareCode);
    await expect(client.shares.get(shareCode)).rejects.toMatchObject({ status: 404 });
  });

  test('say when the limit is used up, and when it is not any more', async () => {
    const { client: impatient } = givenClient('typescript-client', { maxRetries: 0 }, 1);
    const share = () => impatient.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS' });
    const outcomes = await Promise.allSettled(Array.from({ length: 61 }, share));
    const [refused] = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as ApiError] : [],
    );
    expect(refused).toMatchObject({ status: 429, error: 'Too many requests' });
    expect(refused?.retryAfterMs).toBeGreaterThanOrEqual(0);
    expect(refused?.retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

test('device groups of the TypeScript client are listed with their devices', async () => {
  const groups = await client.deviceGroups.list();
  expect(groups.find((group) => group.deviceGroupId === deviceGroupId)?.devices).toContainEqual(
    expect.objectContaining({ deviceId }),
  );
});

describe('a wrong credential of the TypeScript client', () => {
  const { baseUrl } = readFacts();
  const [{ clientId, clientSecret, apiKey } = { clientId: '', clientSecret: '', apiKey: '' }] =
    clientsOf('typescript-client');

  test.each([
    ['clientSecret', { clientSecret: 'wrong' }, 'refused with 401: invalid_client'],
    ['clientSecret', { clientSecret: 'wrong' }, 'Check clientId and clientSecret'],
    ['apiKey', { apiKey: 'wrong' }, 'Check apiKey'],
  ])('is named in one line: %s', async (_, wrong, message) => {
    const wrongly = new DroneMissionClient({ baseUrl, clientId, clientSecret, apiKey, ...wrong });
    const error = await caught(wrongly.jobs.page());
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/\n|wrong/);
  });

  test('is refused as a token too', async () => {
    const wrongly = new DroneMissionClient({ baseUrl, token: 'wrong' });
    await expect(wrongly.jobs.page()).rejects.toMatchObject({ status: 401, error: 'Unauthorized' });
  });
});

describe('commands of the TypeScript client', () => {
  test('have an outcome also where no drone platform answers, and are listed', async () => {
    // Not refused: nobody knows where the device is.
    const sent = await client.devices.command(deviceId, { name: 'RETURN_HOME', timeoutSeconds: 5 });
    expect(await sent.outcome()).toMatchObject({ name: 'RETURN_HOME', status: 'TIMED_OUT', origin: 'partner' });
    const listed = [];
    for await (const { commandId } of client.devices.commands(deviceId)) listed.push(commandId);
    expect(listed).toContain(sent.command.commandId);
  });

  test('are taken once with the same idempotency key', async () => {
    const idempotencyKey = crypto.randomUUID();
    const send = () => client.devices.command(deviceId, { name: 'LAND' }, { idempotencyKey });
    expect((await send()).command.commandId).toBe((await send()).command.commandId);
  });

  test('are told to whoever follows the job', async () => {
    const { jobId } = await client.jobs.create({ name: 'commanded', deviceGroupId, deviceId });
    const [states, told]: [string[], string[]] = [[], []];
    const onCommand = ({ status }: CommandStatusMessage) => void told.push(status);
    for await (const { jobState } of client.jobs.follow(jobId, { onCommand })) {
      if (states.push(jobState) > 1) continue;
      await client.devices.command(deviceId, { name: 'RETURN_HOME', jobId, timeoutSeconds: 5 }).outcome();
      await client.jobs.cancel(jobId);
    }
    expect(states).toEqual(['PENDING', 'CANCELLED']);
    expect(told).toEqual(['REQUESTED', 'TIMED_OUT']);
    expect(await client.jobs.commands(jobId)).toMatchObject([{ name: 'RETURN_HOME', status: 'TIMED_OUT' }]);
  });

  test('that the device can’t be told are refused', async () => {
    const error = await caught(client.devices.command(deviceId, { name: 'PAUSE' }));
    expect(error).toMatchObject({ status: 409, error: 'cannot_command' });
  });

  test('that a device obeys are not known before the platform says so', async () => {
    expect(await client.devices.capabilities(deviceId)).toEqual({ deviceId });
  });
});
