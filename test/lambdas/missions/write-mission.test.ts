import { kml as readOtherKml } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';
import { checkedLine, heightReferences, type MissionLine, type Waypoint } from '../../../domain/missions/mission';
import { formatMediaTypes, missionFormats, type Mission } from '../../../domain/missions/mission-record';
import { isVisible } from '../../../domain/values/text';
import { readMission } from '../../../lambdas/missions/read-mission';
import { writeGeoJson, writeKml } from '../../../lambdas/missions/write-mission';
import { jsonFile } from './files';
import { fc, propertyRuns } from '../../property-runs';
import { handler as create } from '../../../lambdas/missions/create-mission.lambda';
import { handler as read } from '../../../lambdas/missions/get-mission.lambda';
import { missionFile } from '../../api/given';
import { storeOnEngine } from '../../data/fixtures/engine';
import { missionBucket } from '../../data/fixtures/mission-bucket';
import { call, callForText } from '../fixtures/api-gateway';
import '../fixtures/log';

describe('Write mission', () => {
  const line: MissionLine = {
    waypoints: [
      [8.5417, 47.3769, 60],
      [1e-7, -1e-7, 61.5],
    ],
    heightReference: 'TAKE_OFF',
  };
  const withoutHeights: MissionLine = {
    waypoints: [
      [8.5417, 47.3769],
      [8.55, 47.38],
    ],
    heightReference: 'JOB',
  };

  const parse = (text: string) =>
    new DOMParser({ onError: (_, message) => expect(message).toBe('') }).parseFromString(text, 'text/xml');
  const texts = (text: string, name: string) =>
    [...parse(text).getElementsByTagName(name)].map(({ textContent }) => textContent);

  describe('missionGeoJson', () => {
    test('is a Feature with its reference among its properties', () => {
      expect(writeGeoJson(line, { name: 'Roof' })).toEqual({
        type: 'Feature',
        geometry: { type: 'LineString', coordinates: line.waypoints },
        properties: { name: 'Roof', heightReference: 'TAKE_OFF' },
      });
    });
  });

  describe('missionKml', () => {
    test.each(
      heightReferences.map((reference) => {
        const modes = { TAKE_OFF: 'relativeToGround', GROUND: 'relativeToGround', JOB: 'clampToGround' };
        return [reference, reference in modes ? modes[reference as keyof typeof modes] : 'absolute'] as const;
      }),
    )('shows heights of %s with %s', (heightReference, mode) => {
      const text = writeKml({ ...withoutHeights, heightReference }, { name: 'Roof' });
      expect(texts(text, 'altitudeMode')).toEqual([mode]);
      expect(texts(text, 'value')).toEqual([heightReference]);
    });

    test.each([
      [withoutHeights, ['1']],
      [line, []],
    ])('lies on the ground only without heights', (written, expected) => {
      expect(texts(writeKml(written, { name: 'Roof' }), 'tessellate')).toEqual(expected);
    });

    test('is a line with a name that another reader finds', () => {
      const [found, ...others] = readOtherKml(parse(writeKml(line, { name: 'Roof <1> & ]]>\u0001' }))).features;
      expect(others).toEqual([]);
      expect(found?.geometry).toEqual({ type: 'LineString', coordinates: line.waypoints });
      expect(found?.properties).toMatchObject({ name: 'Roof <1> & ]]>', heightReference: 'TAKE_OFF' });
    });

    test('has numbers without exponents', () => {
      expect(texts(writeKml(line, { name: '' }), 'coordinates')).toEqual([
        '8.5417,47.3769,60 0.0000001,-0.0000001,61.5',
      ]);
    });
  });

  /** Degrees of both signs, some of them small; none that is rounded to 0. */
  const degrees = (max: number) =>
    fc
      .tuple(fc.oneof(fc.double({ min: 1e-7, max, noNaN: true }), fc.constant(1e-7)), fc.constantFrom(1, -1))
      .map(([size, sign]) => size * sign);
  /** Lines on one half of the globe, so that no leg crosses 180°, with heights that each reference allows, not all of them 0. */
  const lines = fc
    .tuple(
      fc.constantFrom(...heightReferences),
      fc.array(fc.tuple(degrees(90), degrees(89.9), fc.double({ min: 0.001, max: 500, noNaN: true })), {
        minLength: 2,
        maxLength: 50,
      }),
    )
    .map(([heightReference, all]) =>
      checkedLine(
        all.map(([longitude, latitude, height]): Waypoint =>
          heightReference === 'JOB' ? [longitude, latitude] : [longitude, latitude, height],
        ),
        heightReference,
      ),
    );
  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((name) => name.replaceAll('\uFFFD', '').trim())
    .filter(isVisible);
  const invisible = fc.constantFrom('', '\u3164', '\u2800', '\u200B\u2060', '\u115F');

  test('what is written is read as the same mission, and a name that nobody can see as none', async () => {
    await fc.assert(
      fc.asyncProperty(lines, names, invisible, fc.nat(9), async (written, visible, blank, one) => {
        const name = one === 0 ? blank : visible;
        const expected = { line: written, ...(one !== 0 && { name }) };
        const json = jsonFile(writeGeoJson(written, { name }));
        expect(await readMission(json, formatMediaTypes.GEOJSON)).toEqual(expected);
        const xml = Buffer.from(writeKml(written, { name }));
        expect(await readMission(xml, formatMediaTypes.KML)).toEqual(expected);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('Original file', () => {
  const engine = storeOnEngine('missions', 'requests');
  missionBucket();
  const scopes = ['command:create', 'command:read'] as const;
  const endings = { GEOJSON: 'geojson', KML: 'kml', WPML: 'kmz', QGC_PLAN: 'plan' };

  /** Stores a mission, as if its file had been of this format. */
  async function given(format: string): Promise<string> {
    const headers = { 'content-type': 'application/geo+json' };
    const { missionId } = (await call(create, { scopes, headers, body: missionFile })).body['mission'] as Mission;
    const item = (await engine.all('missions')).find((each) => each['missionId'] === missionId);
    await engine.put('missions', { ...item, format });
    return missionId;
  }

  test.each(missionFormats)(
    'a file of %s is one to save under a name, and of no other type than it says',
    async (format) => {
      const missionId = await given(format);
      const type = formatMediaTypes[format];
      const query = { format: ['original'] };
      const { headers } = await callForText(read, { scopes, path: { missionId }, query, headers: { accept: type } });
      expect(headers).toMatchObject({
        'Content-Type': type,
        'X-Content-Type-Options': 'nosniff',
        'Content-Disposition': `attachment; filename="${missionId}.${endings[format]}"`,
      });
    },
  );

  test.each([{}, { format: ['kml'] }])('what this service writes, as with %j, is shown', async (query) => {
    const missionId = await given('GEOJSON');
    const { headers } = await callForText(read, { scopes, path: { missionId }, query, headers: {} });
    expect(headers).not.toHaveProperty('Content-Disposition');
  });
});
