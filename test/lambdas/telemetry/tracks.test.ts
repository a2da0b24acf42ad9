import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { kml as readKml } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';
import { jobToItem } from '../../../data/jobs/jobs';
import { handler } from '../../../lambdas/telemetry/get-job-track.lambda';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { callForText } from '../fixtures/api-gateway';
import '../fixtures/log';
import { toCsv } from '../../../lambdas/telemetry/track-csv';
import { job, otherDevice, tracks, tracksWithGaps } from './track-samples';
import { jobTrack } from '../../../contract/telemetry/tracks.schemas';
import { toGeoJson } from '../../../lambdas/telemetry/track-geo-json';
import { toKml } from '../../../lambdas/telemetry/track-kml';

describe('GET /v3/jobs/{jobId}/track', () => {
  const get = (headers: Record<string, string> = {}) =>
    callForText(handler, { scopes: ['command:read'], path: { jobId: id('job') }, headers });

  beforeEach(() => {
    store.on(GetCommand).resolves({ Item: jobToItem(acme, sampleJob()) });
    store.on(QueryCommand).resolves({ Items: [] });
  });

  test.each([
    [undefined, 'application/geo+json', '{"type":"FeatureCollection","features":[]}'],
    ['application/json', 'application/json', '{"type":"FeatureCollection","features":[]}'],
    ['text/csv', 'text/csv; charset=utf-8', expect.stringMatching(/^time,.*\r\n$/) as string],
    [
      'application/vnd.google-earth.kml+xml',
      'application/vnd.google-earth.kml+xml',
      expect.stringMatching(/<\/kml>$/) as string,
    ],
  ])('answers for the Accept %s with %s', async (accept, type, text) => {
    expect(await get(accept === undefined ? {} : { accept })).toEqual({
      status: 200,
      headers: {
        'Content-Type': type,
        'Cache-Control': 'no-store',
        Vary: 'Accept',
        'x-request-id': expect.any(String) as string,
      },
      text,
    });
  });

  test('answers 406 in JSON without a read when Accept allows no format', async () => {
    const { status, headers } = await get({ accept: 'text/html' });
    expect([status, headers['Content-Type'], headers['Vary']]).toEqual([406, 'application/json', 'Accept']);
    expect(store.calls()).toHaveLength(0);
  });
});

const header =
  'time,longitude,latitude,altitude,groundSpeed,verticalSpeed,heading,droneState,batteryPercent,deviceId,jobId';

describe('toCsv', () => {
  test('is a row for each position, with empty cells for what was not known, and no text that a spreadsheet runs', () => {
    const [device, jobId] = [id('device'), job.jobId];
    expect(toCsv(job, tracks).split('\r\n')).toEqual([
      header,
      `2026-11-27T10:30:00.250Z,-122.4194,37.7749,480.5,12.5,-0.5,270.5,WAYPOINT,81,${device},${jobId}`,
      `2026-11-27T10:30:01.250Z,-122.4184,37.7749,481.5,,,,,,${device},${jobId}`,
      `2026-11-27T10:30:02.250Z,-122.4174,37.7749,482.5,12.5,-0.5,270.5,HOVER,81,${device},${jobId}`,
      `2026-11-27T10:30:03.250Z,-122.4164,37.7749,483.5,,,,'=1+1,,${otherDevice},${jobId}`,
      '',
    ]);
  });

  test('has what was recorded only, across gaps and 180°', () => {
    const rows = toCsv(job, tracksWithGaps).split('\r\n').slice(1, -1);
    expect(rows.map((row) => row.split(',')[1])).toEqual(['179.7', '179.8', '179.85', '179.9', '-179.9']);
  });

  test('is the header for an empty record', () => {
    expect(toCsv(job, [])).toBe(`${header}\r\n`);
  });
});

describe('toGeoJson', () => {
  test('is a line for each device, with what was known at each position; a single one is a point', () => {
    expect(toGeoJson(job, tracks)).toEqual({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: {
            type: 'LineString',
            coordinates: [
              [-122.4194, 37.7749, 480.5],
              [-122.4184, 37.7749, 481.5],
              [-122.4174, 37.7749, 482.5],
            ],
          },
          properties: {
            jobId: job.jobId,
            name: job.name,
            deviceId: id('device'),
            recorded: 3,
            startTime: '2026-11-27T10:30:00.250Z',
            endTime: '2026-11-27T10:30:02.250Z',
            coordinateProperties: {
              times: ['2026-11-27T10:30:00.250Z', '2026-11-27T10:30:01.250Z', '2026-11-27T10:30:02.250Z'],
              droneStates: ['WAYPOINT', null, 'HOVER'],
              groundSpeeds: [12.5, null, 12.5],
              verticalSpeeds: [-0.5, null, -0.5],
              headings: [270.5, null, 270.5],
              batteryPercents: [81, null, 81],
            },
          },
        },
        {
          type: 'Feature',
          geometry: { type: 'MultiPoint', coordinates: [[-122.4164, 37.7749, 483.5]] },
          properties: {
            jobId: job.jobId,
            name: job.name,
            deviceId: otherDevice,
            recorded: 1,
            startTime: '2026-11-27T10:30:03.250Z',
            endTime: '2026-11-27T10:30:03.250Z',
            coordinateProperties: {
              times: ['2026-11-27T10:30:03.250Z'],
              droneStates: ['=1+1'],
              groundSpeeds: [null],
              verticalSpeeds: [null],
              headings: [null],
              batteryPercents: [null],
            },
          },
        },
      ],
    });
  });

  test('is several lines, cut at gaps and at 180°, and the positions that stand alone', () => {
    const properties = {
      deviceId: id('device'),
      startTime: '2026-11-27T10:30:00.000Z',
      endTime: '2026-11-27T10:30:42.000Z',
      recorded: 5,
    };
    expect(toGeoJson(job, tracksWithGaps).features).toMatchObject([
      {
        geometry: {
          type: 'MultiLineString',
          coordinates: [
            [
              [179.7, -17, 100],
              [179.8, -17, 100],
            ],
            [
              [179.9, -17, 100],
              [180, -17, 100],
            ],
            [
              [-180, -17, 100],
              [-179.9, -17, 100],
            ],
          ],
        },
        properties: {
          ...properties,
          coordinateProperties: {
            times: [
              ['2026-11-27T10:30:00.000Z', '2026-11-27T10:30:10.000Z'],
              ['2026-11-27T10:30:40.000Z', '2026-11-27T10:30:41.000Z'],
              ['2026-11-27T10:30:41.000Z', '2026-11-27T10:30:42.000Z'],
            ],
            headings: [
              [90, null],
              [null, null],
              [null, 90],
            ],
          },
        },
      },
      {
        geometry: { type: 'MultiPoint', coordinates: [[179.85, -17, 100]] },
        properties: {
          ...properties,
          coordinateProperties: { times: ['2026-11-27T10:30:21.000Z'], headings: [45] },
        },
      },
    ]);
  });

  test.each([
    ['a line', tracks],
    ['lines', tracksWithGaps],
  ])('of %s passes the schema of the reply unchanged', (_, some) => {
    const track = toGeoJson(job, some);
    expect(jobTrack.parse(track)).toEqual(track);
  });

  test('has no feature for an empty record', () => {
    expect(toGeoJson(job, [])).toEqual({ type: 'FeatureCollection', features: [] });
  });
});

const parse = (text: string) =>
  new DOMParser({ onError: (_, message) => expect(message).toBe('') }).parseFromString(text, 'text/xml');
const texts = (document: ReturnType<typeof parse>, name: string) =>
  [...document.getElementsByTagName(name)].map(({ textContent }) => textContent);

describe('toKml', () => {
  const text = toKml(job, tracks);
  const document = parse(text);

  test('has a placemark with a track for each device, which another reader finds', () => {
    const { features } = readKml(document);
    expect(features.map(({ properties }) => properties?.['name'] as unknown)).toEqual([id('device'), otherDevice]);
    expect(features[0]?.geometry).toEqual({
      type: 'LineString',
      coordinates: [
        [-122.4194, 37.7749, 480.5],
        [-122.4184, 37.7749, 481.5],
        [-122.4174, 37.7749, 482.5],
      ],
    });
    expect(features[0]?.properties?.['coordinateProperties']).toEqual({
      times: ['2026-11-27T10:30:00.250Z', '2026-11-27T10:30:01.250Z', '2026-11-27T10:30:02.250Z'],
    });
  });

  test('has the name of the job as text, whatever it contains', () => {
    expect(texts(document, 'name')[0]).toBe(job.name);
    const strange = parse(toKml({ ...job, name: 'a\u0001\uD800\uFFFF\u{1F681}]]>' }, []));
    expect(texts(strange, 'name')).toEqual(['a\u{1F681}]]>']);
  });

  test('has as many values of each sample as positions, empty where none was known', () => {
    const arrays = [...document.getElementsByTagName('gx:SimpleArrayData')].slice(0, 5);
    expect(
      Object.fromEntries(
        arrays.map((array) => [
          array.getAttribute('name'),
          [...array.getElementsByTagName('gx:value')].map(({ textContent }) => textContent),
        ]),
      ),
    ).toEqual({
      droneState: ['WAYPOINT', '', 'HOVER'],
      groundSpeed: ['12.5', '', '12.5'],
      verticalSpeed: ['-0.5', '', '-0.5'],
      heading: ['270.5', '', '270.5'],
      batteryPercent: ['81', '', '81'],
    });
    const fields = [...document.getElementsByTagName('gx:SimpleArrayField')].map((field) => field.getAttribute('name'));
    expect(fields).toEqual(arrays.map((array) => array.getAttribute('name')));
    const [schema] = document.getElementsByTagName('Schema');
    const [data] = document.getElementsByTagName('SchemaData');
    expect(data?.getAttribute('schemaUrl')).toBe(`#${schema?.getAttribute('id')}`);
  });

  test('shows altitudes above mean sea level', () => {
    expect(texts(document, 'altitudeMode')).toEqual(['absolute', 'absolute']);
  });

  test('has a gx:MultiTrack, which joins nothing, for a device with gaps or across 180°', () => {
    const withGaps = parse(toKml(job, tracksWithGaps));
    expect(texts(withGaps, 'gx:interpolate')).toEqual(['0']);
    const [multiTrack] = withGaps.getElementsByTagName('gx:MultiTrack');
    const inTrack = (name: string) =>
      [...(multiTrack?.getElementsByTagName('gx:Track') ?? [])].map((track) =>
        [...track.getElementsByTagName(name)].map(({ textContent }) => textContent),
      );
    expect(inTrack('gx:coord')).toEqual([
      ['179.7 -17 100', '179.8 -17 100'],
      ['179.9 -17 100', '180 -17 100'],
      ['-180 -17 100', '-179.9 -17 100'],
    ]);
    expect(inTrack('when').map(({ length }) => length)).toEqual([2, 2, 2]);
    expect(inTrack('altitudeMode')).toEqual(Array.from({ length: 3 }, () => ['absolute']));
    const [, alone] = readKml(withGaps).features;
    expect(alone).toMatchObject({
      geometry: { type: 'Point', coordinates: [179.85, -17, 100] },
      properties: { name: id('device'), timestamp: '2026-11-27T10:30:21.000Z', recorded: '5', heading: '45' },
    });
  });

  test('is a document with a name for an empty record', () => {
    expect(readKml(parse(toKml(job, [])) as never).features).toEqual([]);
  });
});
