/**
 * Alarms of a template and when they fire: CloudFormation template reference, AWS::CloudWatch::Alarm; CloudWatch user guide,
 * "Alarm evaluation" and "Alarm evaluation window" (the window slides with each evaluation). Missing data is within the
 * threshold; that CloudWatch then looks further back for data is left out.
 */
import * as z from 'zod';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
import { isProduced, type MetricName, type Series, type Statistics } from './metrics';

/** Value of a metric in a period, by its statistic. */
const statistics = {
  Sum: ({ sum }) => sum,
  Maximum: ({ maximum }) => maximum,
  Minimum: ({ minimum }) => minimum,
  Average: ({ sum, count }) => sum / count,
  SampleCount: ({ count }) => count,
} satisfies Record<string, (values: Statistics) => number>;

/** Whether a value breaches a threshold, and how CloudWatch says so. */
const operators = {
  GreaterThanOrEqualToThreshold: { holds: (value, threshold) => value >= threshold, says: 'greater than or equal to' },
  GreaterThanThreshold: { holds: (value, threshold) => value > threshold, says: 'greater than' },
  LessThanOrEqualToThreshold: { holds: (value, threshold) => value <= threshold, says: 'less than or equal to' },
  LessThanThreshold: { holds: (value, threshold) => value < threshold, says: 'less than' },
} satisfies Record<string, { holds: (value: number, threshold: number) => boolean; says: string }>;

/** A metric that an alarm reads. */
interface AlarmTerm {
  readonly metric: MetricName;
  readonly statistic: keyof typeof statistics;
  /** Value of a period without data; undefined: the period has none. */
  readonly fill: number | undefined;
}

export interface Alarm {
  readonly name: string;
  readonly description: string;
  /** Their sum is compared with the threshold. */
  readonly terms: readonly AlarmTerm[];
  readonly operator: keyof typeof operators;
  readonly threshold: number;
  readonly periodMinutes: number;
  /** How many periods are looked at, and how many of them must breach. */
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  /** ARNs to notify, by state. */
  readonly actions: Readonly<Record<AlarmState, readonly string[]>>;
}

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

const arns = z.array(z.string()).default([]);
const period = z.number().int().positive().multipleOf(60, { error: 'a period is a number of minutes on this machine' });
const dimensions = z.array(z.strictObject({ Name: z.string(), Value: z.string() })).default([]);
const statistic = z.enum(Object.keys(statistics) as [keyof typeof statistics]);

const metricQuery = z.strictObject({
  Id: z.string(),
  Label: z.string().optional(),
  Expression: z.string().optional(),
  MetricStat: z
    .strictObject({
      Metric: z.strictObject({ Namespace: z.string(), MetricName: z.string(), Dimensions: dimensions }),
      Period: period,
      Stat: statistic,
    })
    .optional(),
  ReturnData: z.boolean().default(true),
  Period: period.optional(),
});

const alarmProperties = z.strictObject({
  AlarmName: z.string().optional(),
  AlarmDescription: z.string().default(''),
  AlarmActions: arns,
  OKActions: arns,
  InsufficientDataActions: arns,
  ComparisonOperator: z.enum(Object.keys(operators) as [keyof typeof operators]),
  Threshold: z.number(),
  EvaluationPeriods: z.number().int().positive(),
  DatapointsToAlarm: z.number().int().positive().optional(),
  TreatMissingData: z.literal('notBreaching', {
    error: 'missing data can only be treated as notBreaching on this machine',
  }),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
  Dimensions: dimensions,
  Statistic: statistic.optional(),
  Period: period.optional(),
  Metrics: z.array(metricQuery).optional(),
  Tags: z.unknown().optional(),
});

type Properties = z.output<typeof alarmProperties>;

/** @throws Error that names the alarm and what of it is not supported, or the metric that nothing here publishes */
export function alarmOf(resource: Resource): Alarm {
  const properties = propertiesOf(resource, alarmProperties);
  try {
    const { terms, period: seconds } = properties.Metrics ? sumOf(properties.Metrics) : singleOf(properties);
    for (const { metric } of terms) checkProduced(metric);
    const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, AlarmActions, OKActions } = properties;
    return {
      name: properties.AlarmName ?? resource.logicalId,
      description: properties.AlarmDescription,
      terms,
      operator: properties.ComparisonOperator,
      threshold: properties.Threshold,
      periodMinutes: seconds / 60,
      evaluationPeriods: EvaluationPeriods,
      datapointsToAlarm: DatapointsToAlarm,
      actions: { ALARM: AlarmActions, OK: OKActions, INSUFFICIENT_DATA: properties.InsufficientDataActions },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${resource.type} ${resource.logicalId} is not supported on this machine: ${why}`, {
      cause: error,
    });
  }
}

interface Read {
  readonly terms: readonly AlarmTerm[];
  /** In seconds. */
  readonly period: number;
}

function singleOf({ Namespace, MetricName: name, Dimensions, Statistic, Period }: Properties): Read {
  if (Namespace === undefined || name === undefined || Statistic === undefined || Period === undefined)
    throw new Error('it needs Namespace, MetricName, Statistic and Period, or Metrics');
  const metric = { namespace: Namespace, name, dimensions: dimensionsOf(Dimensions) };
  return { terms: [{ metric, statistic: Statistic, fill: undefined }], period: Period };
}

function sumOf(queries: NonNullable<Properties['Metrics']>): Read {
  const [returned, ...others] = queries.filter(({ ReturnData }) => ReturnData);
  if (returned?.Expression === undefined || others.length > 0)
    throw new Error('its Metrics must return one expression');
  const found = termsOf(returned.Expression).map(({ id, fill }) => {
    const stat = queries.find(({ Id }) => Id === id)?.MetricStat;
    if (!stat) throw new Error(`the expression names ${id}, which is no metric`);
    const { Namespace, MetricName: name, Dimensions } = stat.Metric;
    const metric = { namespace: Namespace, name, dimensions: dimensionsOf(Dimensions) };
    return { term: { metric, statistic: stat.Stat, fill }, period: stat.Period };
  });
  const [first] = found;
  if (!first || found.some((one) => one.period !== first.period)) throw new Error('its metrics have several periods');
  return { terms: found.map(({ term }) => term), period: first.period };
}

const dimensionsOf = (pairs: Properties['Dimensions']) =>
  Object.fromEntries(pairs.map(({ Name, Value }) => [Name, Value]));

function checkProduced(metric: MetricName): void {
  if (isProduced(metric)) return;
  const by = Object.keys(metric.dimensions).join(', ') || 'no dimension';
  throw new Error(`nothing on this machine publishes ${metric.name} of ${metric.namespace} by ${by}`);
}

/** A term of an expression: a metric by its id, and the value of a period in which it has none. */
interface Term {
  readonly id: string;
  readonly fill: number;
}

const TERM = /^FILL\(\s*([a-z]\w*)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)$/;

/**
 * Reads metric math, of which only sums of `FILL(<id>, <number>)` are supported (CloudWatch user guide, "Using math
 * expressions with CloudWatch metrics").
 * @throws Error with the part of the expression that is not supported
 */
function termsOf(expression: string): Term[] {
  return expression.split('+').map((text) => {
    const [, id, fill] = TERM.exec(text.trim()) ?? [];
    if (id === undefined)
      throw new Error(`"${text.trim()}" of the expression "${expression}" is not FILL(<id>, <number>)`);
    return { id, fill: Number(fill) };
  });
}

interface Evaluation {
  readonly state: 'OK' | 'ALARM';
  /** In CloudWatch's words. */
  readonly reason: string;
}

/** @param series of the terms, in their order */
export function evaluate(alarm: Alarm, series: readonly Series[]): Evaluation {
  const datapoints = Array.from({ length: alarm.evaluationPeriods }, (_, back) =>
    datapointOf(alarm, series, back * alarm.periodMinutes),
  );
  const { holds, says } = operators[alarm.operator];
  const breaching = datapoints.filter((value) => value !== undefined && holds(value, alarm.threshold));
  const state = breaching.length >= alarm.datapointsToAlarm ? 'ALARM' : 'OK';
  const found = `${breaching.length} of the last ${datapoints.length} datapoints [${datapoints.map((one) => one ?? 'none').join(', ')}]`;
  return {
    state,
    reason: `${state === 'ALARM' ? 'Threshold Crossed' : 'Threshold Not Crossed'}: ${found} were ${says} the threshold (${alarm.threshold}).`,
  };
}

/** Value of the period that ended some minutes ago; undefined without data. */
function datapointOf({ terms, periodMinutes }: Alarm, series: readonly Series[], back: number): number | undefined {
  const values = terms.map((term, index) => valueOf(term, series[index]?.over(periodMinutes, back)));
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}

const valueOf = ({ statistic, fill }: AlarmTerm, values: ReturnType<Series['over']>) =>
  values === undefined ? fill : statistics[statistic](values);
