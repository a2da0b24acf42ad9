import { executedAt, kmzFile, wayline, wpmlDocument } from '../lambdas/missions/files';
import { formatMediaTypes, type MissionMediaType } from '../../domain/missions/mission-record';
import { clients } from './client';
import { fleetOf, givenJob, givenMission, jobNow, missionFile } from './given';
import { readFacts } from './stack/facts';

const [partner] = clients('missions');
const { GEOJSON, KML, WPML: KMZ } = formatMediaTypes;

/** Sends a file, whose answer need not be JSON. */
async function sendFile(method: string, path: string, headers: Record<string, string>, body?: string | Buffer) {
  const authorization = `Bearer ${await partner.token()}`;
  const response = await fetch(readFacts().baseUrl + path, {
    method,
    headers: { authorization, ...headers },
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  });
  const content = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type'), content };
}

const createFrom = async (mediaType: MissionMediaType, file: string | Buffer) => {
  const { status, content } = await sendFile('POST', '/v3/missions', { 'content-type': mediaType }, file);
  const { mission, details } = JSON.parse(content.toString()) as { mission: { missionId: string }; details?: object };
  expect([status, details]).toEqual([201, undefined]);
  return mission;
};

const kml = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Zaun Süd</name><LineString>',
  '<coordinates>8.5417,47.3769 8.5432,47.3774</coordinates></LineString></Placemark></kml>',
].join('\n');

const kmz = () =>
  kmzFile({
    'wpmz/waylines.wpml': wpmlDocument(
      wayline('relativeToStartPoint', executedAt(0, '8.5417,47.3769', 40), executedAt(1, '8.5432,47.3774', 40)),
    ),
  });

describe('/v3/missions', () => {
  test('gives a KMZ back byte for byte to who asks for one first, and tells others how', async () => {
    const file = await kmz();
    const { missionId } = await createFrom(KMZ, file);
    const path = `/v3/missions/${missionId}`;
    for (const query of ['', '?format=original']) {
      const answer = await sendFile('GET', path + query, { accept: `${KMZ}, */*;q=0.1` });
      expect(answer).toMatchObject({ status: 200, type: KMZ });
      expect(answer.content.equals(file)).toBe(true);
    }
    const refused = await sendFile('GET', `${path}?format=original`, { accept: '*/*' });
    expect(refused.status).toBe(406);
    expect(refused.content.toString()).toContain(KMZ);
  });

  test('gives a text back as it was sent, with its umlauts', async () => {
    const { missionId } = await createFrom(KML, kml);
    const original = await sendFile('GET', `/v3/missions/${missionId}?format=original`, {});
    expect(original).toMatchObject({ status: 200, type: KML });
    expect(original.content.toString()).toBe(kml);
    const { body } = await partner.call('GET /v3/missions/{missionId}', { path: { missionId } });
    expect(body.properties).toMatchObject({ name: 'Zaun Süd', heightReference: 'JOB', format: 'KML' });
  });

  test('keeps each byte of GeoJSON and KML, also as text to who asks for nothing', async () => {
    const file = Buffer.from(`\uFEFF${JSON.stringify({ ...missionFile, note: 'Z\uFFFDrich' })}`);
    const { missionId } = await createFrom(GEOJSON, file);
    const headers = [{}, { accept: '*/*' }, { accept: GEOJSON }, { accept: `text/html, ${KML}` }];
    const originals = headers.map((accept) => sendFile('GET', `/v3/missions/${missionId}?format=original`, accept));
    for (const answer of await Promise.all(originals)) {
      expect(answer).toMatchObject({ status: 200, type: GEOJSON });
      expect(answer.content.equals(file)).toBe(true);
    }
    const { status, content } = await sendFile(
      'POST',
      '/v3/missions',
      { 'content-type': KML },
      Buffer.from(kml, 'latin1'),
    );
    expect([status, JSON.parse(content.toString())]).toMatchObject([
      400,
      { details: [{ path: '', message: 'the file is not UTF-8' }] },
    ]);
  });

  test.each([
    ['PATCH', '/v3/missions', 405],
    ['POST', '/v3/nothing', 404],
  ])('%s %s is refused in JSON, also for a file and who accepts one', async (method, path, expected) => {
    for (const type of [GEOJSON, KML, KMZ]) {
      const { status, content } = await sendFile(method, path, { 'content-type': type, accept: type }, await kmz());
      expect([status, JSON.parse(content.toString())]).toEqual([expected, { error: expect.any(String) as string }]);
    }
  });

  test('a file that is too large is refused, whatever refuses it', async () => {
    for (const [size, status] of [
      [4.1, 400],
      [5, 413],
      [10.5, 413],
    ] as const) {
      const file = Buffer.alloc(size * 1024 * 1024, ' ');
      const headers = { 'content-type': KMZ };
      expect(await sendFile('POST', '/v3/missions', headers, file)).toMatchObject({ status });
    }
  });

  test('a job keeps the version that its mission had, after a replacement and a deletion', async () => {
    const { missionId } = await givenMission(partner);
    const path = { missionId };
    const { jobId } = await givenJob(partner, { missionId });
    const replaced = await partner.call('PUT /v3/missions/{missionId}', {
      path,
      headers: { 'content-type': 'application/geo+json' },
      body: missionFile,
    });
    expect(replaced.body.mission).toMatchObject({ missionId, version: 2 });
    const later = await givenJob(partner, { missionId });
    expect((await partner.call('DELETE /v3/missions/{missionId}', { path })).status).toBe(200);
    expect(await jobNow(partner, jobId)).toMatchObject({ missionId, missionVersion: 1, actionOnArrival: 'MISSION' });
    expect(await jobNow(partner, later.jobId)).toMatchObject({ missionVersion: 2 });
    const { deviceGroupId } = fleetOf(partner);
    const gone = await partner.call('POST /v3/jobs/create', { body: { name: 'Late', deviceGroupId, missionId } });
    expect(gone).toMatchObject({ status: 404, body: { error: 'Mission not found' } });
  });

  test("a job can't fly a mission at another height than those of its waypoints", async () => {
    const { missionId } = await givenMission(partner);
    const create = (client: typeof partner, fields: object) =>
      client.call('POST /v3/jobs/create', {
        body: { name: 'Round', deviceGroupId: fleetOf(client).deviceGroupId, missionId, ...fields },
      });
    expect(await create(partner, { flight: { height: 80 } })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'flight.height', message: 'contradicts the heights of the mission' }] },
    });
  });
});
