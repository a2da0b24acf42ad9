import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { checkedLine, type MissionLine, type Waypoint } from '../../../domain/missions/mission';
import { measureLength } from '../../../domain/missions/new-mission';
import { formatMediaTypes } from '../../../domain/missions/mission-record';
import { readMission } from '../../../lambdas/missions/read-mission';
import { writeGeoJson, writeKml } from '../../../lambdas/missions/write-mission';
import { seededRandom } from '../../../packages/simulator/seeded-random';
import { runCommand } from '../processes';
import { convert } from '../gdal/converted';
import { ensureDebianProgram, pythonWith } from '../install';
import { becomes, exportedFiles } from '../../lambdas/missions/exports';
import type { Lane } from '../lane';

const MISSIONS = 200;
/** Of these: each is a process. */
const READ_BY_OGR = 20;
/** Of these: each is a process for each format. */
const EXPORTED_BY_OGR = 4;
/** Half of the missions are anywhere, half within a tenth of a degree, as missions are. */
const SPREADS = [120, 0.1];

const verdict = z.object({ missions: z.int(), findings: z.array(z.string()) });

/**
 * The length of missions by PROJ, from what the service writes and what GDAL reads in it; missions that another
 * author's library writes, and GDAL; and files with the structure of what other programs export.
 */
export const missionFiles: Lane = {
  title: 'mission files, by pyproj, shapely, ogr2ogr and djikmz',
  run: async () => {
    await ensureDebianProgram('ogr2ogr', 'gdal-bin');
    const python = await pythonWith('mission-files', join(__dirname, 'requirements.txt'));
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-mission-files-'));
    try {
      const lines = Array.from({ length: MISSIONS }, (_, number) => randomLine(number));
      const written = await Promise.all(
        lines.map(async (line, number) => {
          const name = `mission ${number}`;
          const [geoJson, kml] = [writeGeoJson(line, { name }), writeKml(line, { name })];
          const byOgr = number < READ_BY_OGR && {
            geojson: await readByOgr(folder, `${number}.geojson`, JSON.stringify(geoJson)),
            kml: await readByOgr(folder, `${number}.kml`, kml),
          };
          return { geoJson, kml, metres: measureLength(line), ...(byOgr && { byOgr }) };
        }),
      );
      writeFileSync(join(folder, 'missions.json'), JSON.stringify(written));
      const { stdout } = await runCommand(python, [join(__dirname, 'missions.py'), folder]);
      const { missions, findings } = verdict.parse(JSON.parse(stdout));
      console.log(`  ${missions} missions in GeoJSON, KML and WPML`);
      const misread = await Promise.all(lines.map((line, number) => whyMisread(line, join(folder, `${number}.kmz`))));
      const exported = await Promise.all(
        lines.slice(0, EXPORTED_BY_OGR).map((line, number) => misreadOfOgr(line, folder, number)),
      );
      const others = await misreadOfOthers();
      console.log(`  ${exportedFiles.length} files of other programs; ${EXPORTED_BY_OGR} missions exported by ogr2ogr`);
      return [
        ...findings,
        ...misread.flat(),
        ...exported.flat(),
        ...others,
        ...(missions === MISSIONS ? [] : [`only ${missions} were measured`]),
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** The geometry that ogr2ogr reads in a file. */
async function readByOgr(folder: string, name: string, text: string) {
  const { features, warnings } = await convert(folder, name, text);
  const [feature, ...others] = features;
  if (!feature || others.length > 0 || warnings.length > 0) throw new Error(`ogr2ogr: ${name}: ${warnings.join(' ')}`);
  return feature.geometry;
}

/** A mission by its number. */
function randomLine(number: number): MissionLine {
  const spread = SPREADS[number % SPREADS.length] ?? 1;
  const random = (name: string) => seededRandom('mission', String(number), name);
  const [longitude, latitude] = [(random('x') - 0.5) * (360 - spread), (random('y') - 0.5) * (179 - spread)];
  const waypoints = Array.from({ length: 2 + Math.floor(random('length') * 50) }, (_, index): Waypoint => [
    longitude + (random(`${index}x`) - 0.5) * spread,
    latitude + (random(`${index}y`) - 0.5) * spread,
    10 + random(`${index}z`) * 100,
  ]);
  return checkedLine(waypoints, 'TAKE_OFF');
}

/** What the service reads otherwise in a KMZ of the same mission. */
async function whyMisread(line: MissionLine, file: string): Promise<string[]> {
  const read = await readMission(readFileSync(file), formatMediaTypes.WPML);
  return isDeepStrictEqual(read.line, line) ? [] : [`${file} is read as ${JSON.stringify(read.line).slice(0, 200)}`];
}

/** Formats of GDAL, with which QGIS exports; its KML has a mode only when it is told one. */
const exports = [
  ['geojson', formatMediaTypes.GEOJSON, ['-f', 'GeoJSON']],
  ['rfc7946.geojson', formatMediaTypes.GEOJSON, ['-f', 'GeoJSON', '-lco', 'RFC7946=YES']],
  ['multi.geojson', formatMediaTypes.GEOJSON, ['-f', 'GeoJSON', '-nlt', 'MULTILINESTRING25D']],
  ['kml', formatMediaTypes.KML, ['-f', 'KML', '-dsco', 'AltitudeMode=relativeToGround']],
] as const;

/** What the service reads otherwise in what ogr2ogr exports of a mission of the service. */
async function misreadOfOgr(line: MissionLine, folder: string, number: number): Promise<string[]> {
  const own = join(folder, `export-${number}.geojson`);
  writeFileSync(own, JSON.stringify(writeGeoJson(line, { name: 'Roof' })));
  const found = await Promise.all(
    exports.map(async ([ending, mediaType, options]) => {
      const file = join(folder, `exported-${number}.${ending}`);
      await runCommand('ogr2ogr', [...options, file, own], { timeoutMs: 60_000 });
      const read = await readMission(readFileSync(file), mediaType);
      return isDeepStrictEqual(read, { line, name: 'Roof' })
        ? []
        : [`${file} is read as ${JSON.stringify(read).slice(0, 200)}`];
    }),
  );
  return found.flat();
}

/** Files of other programs that become something else than the table says. */
async function misreadOfOthers(): Promise<string[]> {
  const found = await Promise.all(
    exportedFiles.map(async ([program, shows, mediaType, content, outcome]) => {
      const became = await becomes(await content(), mediaType);
      return isDeepStrictEqual(became, outcome) ? [] : [`${program}, ${shows}: ${JSON.stringify(became)}`];
    }),
  );
  return found.flat();
}
