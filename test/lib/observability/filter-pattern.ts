import type { Synthesised } from '../synthesised';

interface Filter {
  readonly pattern: string;
  readonly metric: string;
  readonly dimensions: readonly { readonly Key: string; readonly Value: string }[];
}

/** The metric filters on the log of a function, by its path. */
export function filtersOn({ byPath, resources }: Synthesised, place: string): Filter[] {
  const log = byPath('AWS::Logs::LogGroup')[`${place}/Log`];
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
 * What a filter makes of a line of the log, as far as its pattern compares fields with texts, one of which has to be
 * there (CloudWatch Logs user guide, "Filter pattern syntax"): the values of its dimensions, or undefined for a line that
 * does not count. Without each of its dimensions a line does not count either.
 */
export function counted({ pattern, dimensions }: Filter, line: Record<string, unknown>): string[] | undefined {
  const terms = pattern.slice(1, -1).split('||');
  const fits = terms.map((term) => {
    const [, field = '', text] = /^\s*\(?\$\.(\w+) = "([^"*]+)"\)?\s*$/.exec(term) ?? [];
    if (text === undefined) throw new Error(`can't read ${pattern}`);
    return line[field] === text;
  });
  if (!fits.includes(true)) return undefined;
  const values = dimensions.map(({ Value }) => line[Value.replace(/^\$\./, '')]);
  return values.includes(undefined) ? undefined : values.map(String);
}
