/**
 * Markers in deployed files, which stand for values that are known only at deployment: the CDK's `Source.data()` and
 * `Source.jsonData()`, and the function behind `Custom::CDKBucketDeployment`.
 */
import * as z from 'zod';

const encoding = z.enum(['LITERAL', 'UNQUOTED_JSON_VALUE', 'JSON_VALUE'], {
  error: 'this encoding of a marker is not supported on this machine',
});

/** How the values of a source are written; by default as they are. */
export const markersConfig = z.object({
  jsonEscape: z.coerce.string().optional(),
  markerEncodings: z.record(z.string(), encoding).default({}),
});

/** Returns the content of an object with all markers replaced. */
export type Replace = (content: Buffer) => Buffer;

/** @returns undefined for a source without markers, whose files stay as they are */
export function replaceMarkers(
  markers: Readonly<Record<string, string>> = {},
  config: z.infer<typeof markersConfig> = { markerEncodings: {} },
): Replace | undefined {
  const byDefault = config.jsonEscape?.toLowerCase() === 'true' ? 'UNQUOTED_JSON_VALUE' : 'LITERAL';
  const values = Object.entries(markers).map(
    ([marker, value]) => [marker, encoded(value, config.markerEncodings[marker] ?? byDefault)] as const,
  );
  if (values.length === 0) return undefined;
  return (content) =>
    Buffer.from(values.reduce((text, [marker, value]) => text.replaceAll(marker, () => value), content.toString()));
}

function encoded(value: string, as: z.infer<typeof encoding>): string {
  if (as === 'LITERAL') return value;
  const json = JSON.stringify(value);
  return as === 'JSON_VALUE' ? json : json.slice(1, -1);
}
