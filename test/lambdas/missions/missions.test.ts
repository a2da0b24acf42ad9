import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler as create } from '../../../lambdas/missions/create-mission.lambda';
import { handler as remove } from '../../../lambdas/missions/delete-mission.lambda';
import { handler as read } from '../../../lambdas/missions/get-mission.lambda';
import { handler as list } from '../../../lambdas/missions/list-missions.lambda';
import { handler as replace } from '../../../lambdas/missions/replace-mission.lambda';
import { readMissionLine } from '../../../data/missions/mission-lines';
import type { Mission } from '../../../domain/missions/mission-record';
import { missionFile } from '../../api/given';
import { storeOnEngine } from '../../data/fixtures/engine';
import { missionBucket } from '../../data/fixtures/mission-bucket';
import { store } from '../../data/fixtures/store';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { call, callForText } from '../fixtures/api-gateway';
import '../fixtures/log';
import { executedAt, kmzFile, wayline, wpmlDocument } from './files';

const engine = storeOnEngine('missions', 'requests');
const bucket = missionBucket();
const { coordinates } = missionFile.geometry;
const scopes = ['command:create', 'command:read', 'command:update'] as const;
const geoJson = { 'content-type': 'application/geo+json' };
const longer = {
  ...missionFile,
  geometry: { ...missionFile.geometry, coordinates: [...coordinates, [8.545, 47.378, 60]] },
};

const created = async (body: unknown = missionFile, headers: Record<string, string> = geoJson) =>
  (await call(create, { scopes, headers, body })).body['mission'] as Mission;
const replaced = (missionId: string, body: unknown = longer) =>
  call(replace, { scopes, headers: geoJson, path: { missionId }, body });
const readAs = (missionId: string, query: Record<string, string[]> = {}, headers: Record<string, string> = {}) =>
  callForText(read, { scopes, path: { missionId }, query, headers });

test('a file becomes a mission, with its line, and stays as it was sent', async () => {
  const mission = await created();
  expect(mission).toMatchObject({
    version: 1,
    name: 'Along the fence',
    format: 'GEOJSON',
    heightReference: 'TAKE_OFF',
    waypointCount: 2,
  });
  expect(mission.length).toBeCloseTo(126, -1);
  const { missionId } = mission;
  expect([...bucket].map(([key, file]) => [key, file.toString()])).toEqual([
    [`${missionId}/1`, JSON.stringify(missionFile)],
  ]);
  expect(await readMissionLine({ missionId, version: 1 })).toEqual({
    waypoints: coordinates,
    heightReference: 'TAKE_OFF',
  });
});

test('the name of the query goes before that of the file', async () => {
  const { body } = await call(create, { scopes, headers: geoJson, query: { name: ['Round'] }, body: missionFile });
  expect(body['mission']).toMatchObject({ name: 'Round' });
});

test('the name of the query saves a file whose own name can not be one', async () => {
  const file = { ...missionFile, properties: { ...missionFile.properties, name: 'a'.repeat(257) } };
  expect(await call(create, { scopes, headers: geoJson, body: file })).toMatchObject({ status: 400 });
  const { missionId, name } = (await call(create, { scopes, headers: geoJson, query: { name: ['Round'] }, body: file }))
    .body['mission'] as Mission;
  expect(name).toBe('Round');
  const sent = { scopes, headers: geoJson, path: { missionId }, query: { name: ['Again'] }, body: file };
  expect((await call(replace, sent)).body['mission']).toMatchObject({ name: 'Again', version: 2 });
});

test.each([
  ['', 'must not be empty'],
  ['a'.repeat(257), 'must be at most 256 characters long'],
  ['Roof\nleft', 'must have no control characters, and no U+FFFD'],
  ['Z\uFFFDrich', 'must have no control characters, and no U+FFFD'],
  ['\uD800', 'must be well-formed Unicode'],
  [' \u2003', 'must have a character that can be seen'],
  ['\u202E\u2066', 'must have a character that can be seen'],
])('the name %j of the query is refused', async (name, message) => {
  const { status, body } = await call(create, { scopes, headers: geoJson, query: { name: [name] }, body: missionFile });
  expect([status, body['details']]).toEqual([400, expect.arrayContaining([{ path: 'name', message }])]);
});

test('a file that is refused stores nothing', async () => {
  const wrong = { ...missionFile, geometry: { type: 'Point', coordinates: [8, 47] } };
  expect(await call(create, { scopes, headers: geoJson, body: wrong })).toMatchObject({ status: 400 });
  expect([bucket.size, await engine.all('missions')]).toEqual([0, []]);
});

test.each([
  ['no type', {}],
  ['another type', { 'content-type': 'application/x-www-form-urlencoded' }],
])('a file of %s is 415 with the types that are taken', async (_, headers) => {
  const { status, body } = await call(create, { scopes, headers, body: missionFile });
  expect(status).toBe(415);
  expect(JSON.stringify(body)).toContain('application/vnd.google-earth.kmz');
});

test('is read as GeoJSON, as KML, and as the file that was sent', async () => {
  const { missionId } = await created();
  const { geometry, properties } = missionFile;
  const feature = await readAs(missionId);
  expect(feature.headers['Content-Type']).toBe('application/geo+json');
  expect(JSON.parse(feature.text)).toMatchObject({
    type: 'Feature',
    geometry,
    properties: { ...properties, missionId },
  });
  const kml = await readAs(missionId, { format: ['kml'] });
  expect(kml.headers['Content-Type']).toBe('application/vnd.google-earth.kml+xml');
  expect(kml.text).toContain('8.5417,47.3769,40');
  expect(await readAs(missionId, { format: ['original'] })).toMatchObject({ text: JSON.stringify(missionFile) });
  const kmz = await readAs(missionId, {}, { accept: 'application/vnd.google-earth.kmz' });
  expect(kmz.status).toBe(406);
});

const KMZ = 'application/vnd.google-earth.kmz';

test.each([
  [KMZ, 200],
  [`${KMZ}; q=0.8, */*`, 200],
  [KMZ.toUpperCase(), 406],
  [`*/*, ${KMZ}`, 406],
  ['*/*', 406],
])('a KMZ for the Accept %s is %i, and a refusal says what is right', async (accept, status) => {
  const file = await kmzFile({
    'wpmz/waylines.wpml': wpmlDocument(
      wayline('relativeToStartPoint', executedAt(0, '8.5,47.1', 40), executedAt(1, '8.501,47.1', 40)),
    ),
  });
  const { missionId } = await created(file, { 'content-type': KMZ });
  const answer = await readAs(missionId, { format: ['original'] }, { accept });
  expect(answer.status).toBe(status);
  if (status === 200) expect(Buffer.from(answer.text, 'base64')).toEqual(file);
  else
    expect(JSON.parse(answer.text)).toMatchObject({
      details: [{ path: 'Accept', message: `must be given once and begin with ${KMZ}, in lower case` }],
    });
});

test('a replacement is the next version, and the line of the former stays for its jobs', async () => {
  const { missionId, createdAt } = await created();
  const { body } = await replaced(missionId);
  expect(body['mission']).toMatchObject({ version: 2, waypointCount: 3, name: 'Along the fence', createdAt });
  expect([...bucket.keys()]).toEqual([`${missionId}/2`]);
  expect((await readMissionLine({ missionId, version: 1 }))?.waypoints).toEqual(coordinates);
  const { properties: _, ...unnamed } = longer;
  expect((await replaced(missionId, unnamed)).body['mission']).not.toHaveProperty('name');
});

test('replacements at the same time have a version each, and the latest stays', async () => {
  const { missionId } = await created();
  const answers = await Promise.all([1, 2, 3].map(() => replaced(missionId)));
  const versions = answers.map(({ body }) => (body['mission'] as Mission).version).sort();
  expect(new Set(versions).size).toBe(3);
  const stored = await engine.all('missions');
  expect(stored.find((item) => item['missionId'] === missionId)?.['version']).toBe(versions.at(-1));
  expect([...bucket.keys()]).toEqual([`${missionId}/${versions.at(-1)}`]);
});

const update = engine.answers('UpdateCommand');
/** What missions are updated by. */
const updates = () => store.on(UpdateCommand, { TableName: 'missions' });
const fail = () => {
  throw new Error('the service is away');
};

test.each([
  ['file', () => void jest.spyOn(bucket, 'set').mockImplementationOnce(fail)],
  ['line', () => void store.on(PutCommand, { TableName: 'missions' }).callsFakeOnce(fail)],
])('a mission whose %s could not be stored leaves no line', async (_, begin) => {
  begin();
  expect(await call(create, { scopes, headers: geoJson, body: missionFile })).toMatchObject({ status: 500 });
  expect(await engine.all('missions')).toEqual([]);
});

test.each([
  ['file', () => jest.spyOn(bucket, 'set').mockImplementation(fail), true],
  ['line', () => store.on(PutCommand, { TableName: 'missions' }).callsFake(fail), true],
  // Nobody can say whether such an update has succeeded, so its line stays.
  ['mission', () => updates().callsFake(fail), false],
])('twenty replacements that could not store their %s keep no later one away', async (_, begin, leavesNothing) => {
  const { missionId } = await created();
  const before = await engine.all('missions');
  const mocked = begin();
  for (let count = 0; count < 20; count++) expect(await replaced(missionId)).toMatchObject({ status: 500 });
  if (leavesNothing) expect(await engine.all('missions')).toEqual(before);
  if ('mockRestore' in mocked) mocked.mockRestore();
  updates().callsFake(update);
  store.on(PutCommand, { TableName: 'missions' }).callsFake(engine.answers('PutCommand'));
  const { status, body } = await replaced(missionId);
  expect(status).toBe(200);
  const { version } = body['mission'] as Mission;
  expect((await readMissionLine({ missionId, version }))?.waypoints).toHaveLength(3);
  expect(bucket.has(`${missionId}/${version}`)).toBe(true);
  expect((await readAs(missionId)).text).toContain(`"version":${version}`);
});

test('a replacement that a later one has overtaken is the version before it', async () => {
  const { missionId } = await created();
  let go = () => {};
  const wait = new Promise<void>((resolve) => (go = resolve));
  updates()
    .callsFakeOnce(async (input: object) => {
      await wait;
      return update(input);
    })
    .callsFake(update);
  const slow = replaced(missionId);
  while (!bucket.has(`${missionId}/2`)) await new Promise(setImmediate);
  const fast = await replaced(missionId, missionFile);
  go();
  expect([(await slow).body['mission'], fast.body['mission']]).toMatchObject([
    { version: 2, waypointCount: 3 },
    { version: 3, waypointCount: 2 },
  ]);
  expect((await readAs(missionId)).text).toContain('"version":3');
});

test('a mission that is deleted while it is replaced is 404, and has no new line', async () => {
  const { missionId } = await created();
  const before = (await engine.all('missions')).filter((item) => item['missionId'] !== missionId);
  updates().callsFakeOnce(async (input: object) => {
    await call(remove, { scopes, path: { missionId } });
    return update(input);
  });
  expect(await replaced(missionId)).toMatchObject({ status: 404 });
  expect(await engine.all('missions')).toMatchObject(before);
});

test.each([
  ['another organisation', rival, 403],
  ['nobody', acme, 404],
])('of a mission of %s not even a broken file is read', async (_, organisation, status) => {
  const missionId = id('mission', organisation);
  const { missionId: _own, ...mission } = await created();
  if (status === 403) await engine.put('missions', { ...mission, organisation, missionId, start: [8, 47] });
  expect(await replaced(missionId, '{')).toMatchObject({ status });
});

test('the list has pages, newest first', async () => {
  const ids = [await created(), await created(), await created()].map(({ missionId }) => missionId).reverse();
  const first = (await call(list, { scopes, query: { limit: ['2'] } })).body;
  const next = { limit: ['2'], nextToken: [String(first['nextToken'])] };
  const second = (await call(list, { scopes, query: next })).body;
  const missions = [first, second].flatMap((page) => page['missions'] as Mission[]);
  expect(missions.map(({ missionId }) => missionId)).toEqual(ids);
  expect([first['count'], second['count'], second['nextToken']]).toEqual([2, 1, undefined]);
});

test('a deleted mission is gone, and its line stays for its jobs', async () => {
  const { missionId } = await created();
  const answers = [0, 0].map(() => call(remove, { scopes, path: { missionId } }));
  expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 404]);
  expect((await readAs(missionId)).status).toBe(404);
  expect(await replaced(missionId)).toMatchObject({ status: 404 });
  expect((await readMissionLine({ missionId, version: 1 }))?.waypoints).toEqual(coordinates);
});
