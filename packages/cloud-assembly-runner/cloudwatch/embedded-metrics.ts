/** Metrics in log lines: CloudWatch user guide, "Specification: Embedded metric format". */
import * as z from 'zod';
import type { Metrics } from './metrics';

const embedded = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});
const values = z.union([z.number().transform((one) => [one]), z.array(z.number())]);

/** Publishes the metrics of a line; of one that is not in the format it publishes none, as AWS does. */
export function publishEmbedded(line: string, metrics: Metrics): void {
  const found = embedded.safeParse(parsed(line));
  if (!found.success) return;
  const fields: Readonly<Record<string, unknown>> = found.data;
  for (const { Namespace, Dimensions, Metrics: named } of found.data._aws.CloudWatchMetrics)
    for (const set of Dimensions)
      for (const { Name } of named)
        for (const value of values.catch([]).parse(fields[Name]))
          metrics.put(Namespace, Name, value, Object.fromEntries(set.map((key) => [key, String(fields[key])])));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
