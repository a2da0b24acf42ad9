import type { Synthesised } from '../synthesised';

interface Filter {
  readonly pattern: string;
  readonly metric: string;
  readonly dimensions: readonly { readonly Key: string; readonly Value: string }[];
}

/** Returns the metric filters on the log of a function. */
export function filtersOn({ byPath, resources }: Synthesised, path: string): Filter[] {
  const log = byPath('AWS::Logs::LogGroup')[`${path}/Log`];
  const [logId] = Object.entries(resources).find(([, found]) => found === log) ?? [];
  return Object.values(byPath('AWS::Logs::MetricFilter'))
    .filter(({ Properties }) => (Properties['LogGroupName'] as { Ref: string }).Ref === logId)
    .map(({ Properties }) => {
      const [transformation] = Properties['MetricTransformations'] as [
        { MetricName: string; Dimensions?: Filter['dimensions'] },
      ];
      const { MetricName: metric, Dimensions: dimensions = [] } = transformation;
      return { pattern: String(Properties['FilterPattern']), metric, dimensions };
    });
}

/**
 * Applies a metric filter to a log line. Supports patterns that compare fields with texts, joined by `||` (CloudWatch Logs user
 * guide, "Filter pattern syntax"). Returns the values of the filter's dimensions, or undefined for a line that does not match
 * or lacks a dimension.
 */
export function dimensionsOf({ pattern, dimensions }: Filter, line: Record<string, unknown>): string[] | undefined {
  const terms = pattern.slice(1, -1).split('||');
  const matches = terms.map((term) => {
    const [, field = '', text] = /^\s*\(?\$\.(\w+) = "([^"*]+)"\)?\s*$/.exec(term) ?? [];
    if (text === undefined) throw new Error(`unsupported pattern ${pattern}`);
    return line[field] === text;
  });
  if (!matches.includes(true)) return undefined;
  const values = dimensions.map(({ Value }) => line[Value.replace(/^\$\./, '')]);
  return values.includes(undefined) ? undefined : values.map(String);
}
