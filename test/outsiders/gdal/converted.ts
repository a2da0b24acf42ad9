import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { runCommand } from '../processes';

const position = z.tuple([z.number(), z.number(), z.number()]);

/** What GDAL read from a file, as its own GeoJSON. */
const collection = z.object({
  features: z.array(
    z.object({
      geometry: z.discriminatedUnion('type', [
        z.object({ type: z.literal('LineString'), coordinates: z.array(position) }),
        z.object({ type: z.literal('MultiLineString'), coordinates: z.array(z.array(position)) }),
        z.object({ type: z.literal('Point'), coordinates: position }),
        z.object({ type: z.literal('MultiPoint'), coordinates: z.array(position) }),
      ]),
      properties: z.record(z.string(), z.unknown()),
    }),
  ),
});
export type GdalFeature = z.output<typeof collection>['features'][number];

/** What ogr2ogr reads from a file, and its warnings. */
export interface Converted {
  readonly features: readonly GdalFeature[];
  readonly warnings: readonly string[];
}

/**
 * Lets ogr2ogr read a file.
 * @param name of the file, whose ending selects the driver
 * @param options of that driver
 * @throws Error when it can't read the file
 */
export async function convert(
  folder: string,
  name: string,
  text: string,
  options: readonly string[] = [],
): Promise<Converted> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const openOptions = options.flatMap((option) => ['-oo', option]);
  const output = ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=7', '/vsistdout/'];
  const { stdout, stderr } = await runCommand('ogr2ogr', [...output, ...openOptions, file], { timeoutMs: 60_000 });
  return {
    // Nothing at all for a file in which it finds no layer.
    features: stdout === '' ? [] : collection.parse(JSON.parse(stdout)).features,
    warnings: stderr.split('\n').filter((line) => line !== ''),
  };
}
