/**
 * Metrics that the services of this machine publish as those of AWS do, kept only as far as alarms read them:
 * CloudWatch user guide, "CloudWatch concepts", and, for those in log lines, "Specification: Embedded metric format".
 */
import * as z from 'zod';

export type Dimensions = Readonly<Record<string, string>>;

/** A metric; with other dimensions it is another one. */
export interface MetricName {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
}

/** Values of a metric in some time. */
export interface Statistics {
  readonly count: number;
  readonly sum: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** What services publish to. */
export interface Metrics {
  /** Publishes a value. It is dropped unless an alarm reads the metric. */
  put(namespace: string, name: string, value: number, dimensions?: Dimensions): void;
  /** Adds a function that publishes what is measured and not counted, such as the length of a queue, once a minute. */
  measure(publish: () => void): void;
}

/** Keeps nothing. */
export const noMetrics: Metrics = { put: () => undefined, measure: () => undefined };

export interface Series {
  /**
   * Values of some minutes.
   * @param back how many minutes ago they end, 0 for the last minute that has ended
   * @returns undefined without any value
   */
  over(minutes: number, back: number): Statistics | undefined;
}

export interface MetricStore extends Metrics {
  /** Keeps a metric from now on, for as many minutes. */
  keep(metric: MetricName, minutes: number): Series;
  /** Ends a minute. */
  endMinute(): void;
}

interface KeptSeries extends Series {
  minutes: number;
  /** Of the minutes that have ended, the last one first. */
  ended: (Statistics | undefined)[];
  current: Statistics | undefined;
}

export function createMetrics(): MetricStore {
  const kept = new Map<string, KeptSeries>();
  const measured: (() => void)[] = [];

  return {
    put(namespace, name, value, dimensions = {}) {
      if (kept.size === 0) return;
      const series = kept.get(metricKey({ namespace, name, dimensions }));
      if (series) series.current = merged(series.current, { count: 1, sum: value, minimum: value, maximum: value });
    },

    measure: (publish) => void measured.push(publish),

    keep(metric, minutes) {
      const key = metricKey(metric);
      const series = kept.get(key) ?? newSeries();
      series.minutes = Math.max(series.minutes, minutes);
      kept.set(key, series);
      return series;
    },

    endMinute() {
      for (const publish of measured) publish();
      for (const series of kept.values()) {
        series.ended = [series.current, ...series.ended].slice(0, series.minutes);
        series.current = undefined;
      }
    },
  };
}

function newSeries(): KeptSeries {
  return {
    minutes: 0,
    ended: [],
    current: undefined,
    over(minutes, back) {
      return this.ended.slice(back, back + minutes).reduce<Statistics | undefined>(merged, undefined);
    },
  };
}

function merged(one: Statistics | undefined, other: Statistics | undefined): Statistics | undefined {
  if (!one || !other) return one ?? other;
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    minimum: Math.min(one.minimum, other.minimum),
    maximum: Math.max(one.maximum, other.maximum),
  };
}

const metricKey = ({ namespace, name, dimensions }: MetricName) =>
  [
    namespace,
    name,
    ...Object.keys(dimensions)
      .sort()
      .flatMap((key) => [key, dimensions[key]]),
  ].join('\n');

/**
 * Metrics that services of this machine publish, by namespace, with their dimensions in order: API Gateway developer
 * guide, "Amazon API Gateway dimensions and metrics" and "Monitor WebSocket API execution with CloudWatch metrics";
 * Lambda developer guide, "Types of metrics for Lambda functions"; SQS developer guide, "Available CloudWatch metrics
 * for Amazon SQS".
 */
const produced: Readonly<
  Record<string, readonly { readonly names: readonly string[]; readonly by: readonly string[] }[]>
> = {
  'AWS/ApiGateway': [
    { names: ['Count', '4XXError', '5XXError'], by: ['ApiName,Stage', 'ApiName,Method,Resource,Stage'] },
    {
      names: ['ConnectCount', 'MessageCount', 'ClientError', 'IntegrationError', 'ExecutionError'],
      by: ['ApiId,Stage'],
    },
  ],
  'AWS/Lambda': [
    { names: ['Invocations', 'Errors', 'Throttles', 'Duration'], by: ['', 'FunctionName'] },
    { names: ['IteratorAge', 'AsyncEventAge'], by: ['FunctionName'] },
  ],
  'AWS/SQS': [{ names: ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'], by: ['QueueName'] }],
};

/** Whether something on this machine publishes a metric; functions publish those of namespaces that are not of AWS. */
export function isProduced({ namespace, name, dimensions }: MetricName): boolean {
  if (!namespace.startsWith('AWS/')) return true;
  const by = Object.keys(dimensions).sort().join();
  return (produced[namespace] ?? []).some((one) => one.names.includes(name) && one.by.includes(by));
}

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
