import { setTimeout as pause } from 'node:timers/promises';
import { publishPlatformEvent } from '../../channels/platform-bus';
import { ask, openTelemetry } from '../../channels/telemetry-socket';
import { until } from '../../channels/until';
import { clients, pathOf } from '../client';
import { fleetOf, givenJobThatIs } from '../given';
import { readFacts } from '../stack/facts';

const [partner] = clients('get-job-track');
const { deviceId } = fleetOf(partner);
const key = 'GET /v3/jobs/{jobId}/track';

const track = (jobId: string) => partner.call(key, { path: { jobId } });
/** When the job began, or the one that is flown by now, Unix ms. */
let begin = 0;
const at = (second: number) => new Date(begin + second * 1000).toISOString();
const coordinates = (second: number): [number, number, number] => [8.5 + second / 1000, 47.4, 480 + second];
const sampleAt = (jobId: string, second: number, droneState = 'WAYPOINT') => ({
  deviceId,
  timestamp: at(second),
  jobId,
  droneState,
  navigation: { position: { type: 'Point', coordinates: coordinates(second) }, velocity: { groundSpeed: 12.5 } },
  battery: { percent: 81 },
});
/** How a list of samples gets to the service, by the partner itself or by the drone platform. */
const entrances = {
  socket: async (telemetry: readonly object[]) => {
    const socket = await openTelemetry(partner);
    expect(await ask(socket, { action: 'publish', telemetry })).toMatchObject({ type: 'published' });
    await socket.close();
  },
  bus: (telemetry: readonly object[]) => publishPlatformEvent('device.telemetry.reported', { telemetry }, new Date()),
};
/** The device reports a position of a job, so many seconds after the beginning. */
const fly = (jobId: string, second: number, droneState?: string) =>
  entrances.socket([sampleAt(jobId, second, droneState)]);
/** Waits until a record has so many positions. */
const recorded = (jobId: string, count: number) =>
  until(`${count} positions`, async () => {
    const { body } = await track(jobId);
    return body.features[0]?.properties.recorded === count ? body : undefined;
  });

/** Gets a track in a format that `partner.call` does not read. */
async function inFormat(jobId: string, accept: string) {
  const headers = { authorization: `Bearer ${await partner.token()}`, accept };
  const response = await fetch(readFacts().baseUrl + pathOf(key, { jobId }), { headers });
  const [type, vary] = ['content-type', 'vary'].map((name) => response.headers.get(name));
  return { status: response.status, type, vary, text: await response.text() };
}

describe(key, () => {
  let jobId: string;
  beforeAll(async () => {
    jobId = await givenJobThatIs('IN_PROGRESS', partner);
    begin = Date.now();
    // A position that it reports again is the same one.
    for (const second of [1, 2, 2, 3]) await fly(jobId, second, second === 3 ? 'RETURNING' : 'WAYPOINT');
    await recorded(jobId, 3);
  });

  test('answers with the positions so far while the job is running, and the same when it has ended', async () => {
    const running = await track(jobId);
    expect([running.status, running.headers.get('content-type'), running.headers.get('vary')]).toEqual([
      200,
      'application/geo+json',
      'Accept',
    ]);
    const seconds = [1, 2, 3];
    expect(running.body).toEqual({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: { type: 'LineString', coordinates: seconds.map(coordinates) },
          properties: {
            jobId,
            name: 'Survey',
            deviceId,
            startTime: at(1),
            endTime: at(3),
            recorded: 3,
            coordinateProperties: {
              times: seconds.map(at),
              droneStates: ['WAYPOINT', 'WAYPOINT', 'RETURNING'],
              groundSpeeds: [12.5, 12.5, 12.5],
              verticalSpeeds: [null, null, null],
              headings: [null, null, null],
              batteryPercents: [81, 81, 81],
            },
          },
        },
      ],
    });
    // What was reported of the time after the end is not of the flight.
    await pause(Math.max(0, begin + 3000 - Date.now()));
    await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status: 'COMPLETED' } });
    expect((await track(jobId)).body).toEqual(running.body);
  });

  test('answers in the format that Accept selects', async () => {
    const kml = await inFormat(jobId, 'application/vnd.google-earth.kml+xml');
    expect(kml).toMatchObject({ status: 200, type: 'application/vnd.google-earth.kml+xml', vary: 'Accept' });
    expect(kml.text.match(/<when>.*?<\/when>/g)).toEqual([1, 2, 3].map((second) => `<when>${at(second)}</when>`));
    const csv = await inFormat(jobId, 'text/csv, */*;q=0.1');
    expect(csv).toMatchObject({ status: 200, type: 'text/csv; charset=utf-8', vary: 'Accept' });
    expect(csv.text.split('\r\n').slice(1, -1)).toEqual(
      [1, 2, 3].map(
        (second) =>
          `${at(second)},${coordinates(second).join()},12.5,,,${second === 3 ? 'RETURNING' : 'WAYPOINT'},81,${deviceId},${jobId}`,
      ),
    );
    expect(await inFormat(jobId, 'application/json')).toMatchObject({ status: 200, type: 'application/json' });
  });

  test('answers 406 with the formats when Accept allows none of them', async () => {
    const { status, type, vary, text } = await inFormat(jobId, 'application/gpx+xml');
    expect([status, type, vary]).toEqual([406, 'application/json', 'Accept']);
    expect(JSON.parse(text)).toEqual({
      error: 'Not acceptable',
      details: [
        {
          path: 'Accept',
          message:
            'must allow one of application/geo+json, application/json, application/vnd.google-earth.kml+xml, text/csv',
        },
      ],
    });
  });

  test('has no positions that were reported while the job was not running', async () => {
    const queued = await givenJobThatIs('QUEUED', partner);
    const running = await givenJobThatIs('IN_PROGRESS', partner);
    begin = Date.now();
    await fly(queued, 11);
    for (const second of [12, 13]) await fly(running, second);
    await recorded(running, 2);
    expect((await track(queued)).body).toEqual({ type: 'FeatureCollection', features: [] });
  });

  test.each([
    ['socket', 1],
    ['socket', 5],
    ['socket', 24],
    ['bus', 5],
    ['bus', 24],
    ['bus', 100],
  ] as const)(
    'has each second of a flight that came over the %s in lists of %d, out of order and repeated',
    async (entrance, size) => {
      const flown = await givenJobThatIs('IN_PROGRESS', partner);
      begin = Date.now();
      const samples = Array.from({ length: 30 }, (_, second) => sampleAt(flown, second));
      // Every seventh from the front, which meets each of thirty once, and then the first ten again.
      const shuffled = [...samples, ...samples].map((_, index) => samples[(index * 7) % 30] ?? {}).slice(0, 40);
      const lists = Array.from({ length: Math.ceil(40 / size) }, (_, n) => shuffled.slice(n * size, (n + 1) * size));
      await Promise.all(lists.map((list) => entrances[entrance](list)));
      const { features } = await recorded(flown, 30);
      expect(
        features.map(({ geometry, properties }) => [
          geometry.type,
          geometry.coordinates,
          properties.coordinateProperties.times,
        ]),
      ).toEqual([
        ['LineString', samples.map((_, second) => coordinates(second)), samples.map(({ timestamp }) => timestamp)],
      ]);
    },
  );
});
