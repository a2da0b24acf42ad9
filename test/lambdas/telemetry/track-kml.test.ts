import { kml as readKml } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';
import { toKml } from '../../../lambdas/telemetry/track-kml';
import { id } from '../../domain/fixtures/samples';
import { job, otherDevice, tracks, tracksWithGaps } from './track-samples';

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
