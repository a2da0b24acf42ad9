import { Refusal } from '../../../domain/values/refusal';
import { mediaTypeOf, type MissionMediaType } from '../../../domain/missions/mission-record';
import { readMission } from '../../../lambdas/missions/read-mission';
import { missionGeoJson } from '../../../lambdas/missions/write-geo-json';
import { missionKml } from '../../../lambdas/missions/write-kml';
import { executedAt, item, jsonFile, kmzFile, planFile, wayline, wpmlDocument } from './files';
import { fc, propertyRuns } from '../../property-runs';

const line = {
  waypoints: [
    [8.5417, 47.3769, 60],
    [8.55, 47.38, 61.5],
  ],
  heightReference: 'TAKE_OFF',
} as const;
const wpml = wpmlDocument(wayline('WGS84', executedAt(0, '8.5417,47.3769', 60), executedAt(1, '8.55,47.38', 61.5)));

const files: readonly [MissionMediaType, () => Promise<Buffer> | Buffer][] = [
  [mediaTypeOf.GEOJSON, () => jsonFile(missionGeoJson(line, { name: 'Roof' }))],
  [mediaTypeOf.KML, () => Buffer.from(missionKml(line, { name: 'Roof' }))],
  [mediaTypeOf.WPML, () => kmzFile({ 'wpmz/waylines.wpml': wpml })],
  [mediaTypeOf.QGC_PLAN, () => planFile([item(16, 3, [47, 8, 60]), item(16, 3, [47.1, 8, 60])])],
];

test.each(files)('a damaged file of %s is read or refused, and nothing else', async (mediaType, file) => {
  const whole = await file();
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 });
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(changes, fc.option(fc.nat(whole.length)), async (bytes, end) => {
      const damaged = Buffer.from(whole);
      for (const [index, value] of bytes) damaged[index] = value;
      const outcome = await readMission(damaged.subarray(0, end ?? whole.length), mediaType).then(
        () => 'read',
        (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
      );
      outcomes.add(outcome);
      expect(['read', 'invalid_request']).toContain(outcome);
    }),
    {
      numRuns: propertyRuns(1000),
      // The whole file and nothing of it, so that both outcomes are there.
      examples: [
        [[], null],
        [[], 0],
      ],
    },
  );
  expect([...outcomes].toSorted()).toEqual(['invalid_request', 'read']);
});
