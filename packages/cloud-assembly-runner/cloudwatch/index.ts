/**
 * Amazon CloudWatch: evaluates the alarms of a template, once a minute as AWS does, on metrics that services here publish.
 * API reference, DescribeAlarms and DescribeAlarmHistory, in the protocols of the AWS command line and the SDKs: Smithy RPC v2
 * CBOR, and AWS JSON 1.0.
 */
import { cbor, dateToTag } from '@smithy/core/cbor';
import * as z from 'zod';
import type { AwsAnswer, AwsApi, AwsCall, Service } from '../service';
import { alarmOf, evaluate, type Alarm, type AlarmState } from './alarm';
import type { MetricStore, Series } from './metrics';
import { failure } from '../aws-endpoint/aws-error';

export interface CloudWatchOptions {
  readonly region: string;
  readonly accountId: string;
  readonly metrics: MetricStore;
  /** How long five minutes of an alarm's period last, in ms, for tests. Default: five minutes. */
  readonly alarmPeriodMs?: number | undefined;
  /** Receives a line for each change of an alarm's state. */
  log(line: string): void;
}

/** An alarm and its state. */
interface AlarmNow {
  readonly alarm: Alarm;
  readonly arn: string;
  state: AlarmState;
  reason: string;
  since: Date;
}

/** A change of an alarm's state. */
interface AlarmChange {
  readonly name: string;
  readonly from: AlarmState;
  readonly to: AlarmState;
  readonly reason: string;
  readonly at: Date;
}

const FIVE_MINUTES_MS = 300_000;
/** Changes that are kept; CloudWatch keeps them for 30 days (user guide, "Alarm history"). */
const MAX_CHANGES = 1000;

/** No timer runs while the template has no alarm. */
export function createCloudWatch(options: CloudWatchOptions): Service & AwsApi {
  const { region, accountId, metrics, alarmPeriodMs = FIVE_MINUTES_MS, log } = options;
  const alarms: (AlarmNow & { readonly series: readonly Series[] })[] = [];
  const changes: AlarmChange[] = [];
  let timer: NodeJS.Timeout | undefined;

  function endMinute(): void {
    metrics.endMinute();
    for (const one of alarms) {
      const { state, reason } = evaluate(one.alarm, one.series);
      if (state !== one.state) change(one, state, reason);
    }
  }

  function change(one: AlarmNow, to: AlarmState, reason: string): void {
    const { name, actions } = one.alarm;
    const at = new Date();
    changes.push({ name, from: one.state, to, reason, at });
    if (changes.length > MAX_CHANGES) changes.shift();
    // An alarm begins without data.
    if (one.state !== 'INSUFFICIENT_DATA' || to !== 'OK')
      log(`CloudWatch: alarm ${name} is ${to}, notifies ${actions[to].join(', ') || 'nobody'}. ${reason}`);
    Object.assign(one, { state: to, reason, since: at });
  }

  return {
    ...createAlarmApi(alarms, changes),
    types: ['AWS::CloudWatch::Alarm'],
    statistics: () => ({ states: alarms.map(({ alarm: { name }, state }) => ({ name, state })), changes }),

    create(resource) {
      const alarm = alarmOf(resource);
      const minutes = alarm.periodMinutes * alarm.evaluationPeriods;
      const series = alarm.terms.map(({ metric }) => metrics.keep(metric, minutes));
      const arn = `arn:aws:cloudwatch:${region}:${accountId}:alarm:${alarm.name}`;
      const reason = 'Unchecked: Initial alarm creation';
      alarms.push({ alarm, arn, series, state: 'INSUFFICIENT_DATA', reason, since: new Date() });
      return { ref: alarm.name, attributes: { Arn: arn } };
    },

    start() {
      if (alarms.length > 0) timer = setInterval(endMinute, alarmPeriodMs / 5).unref();
      return Promise.resolve();
    },

    stop() {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

const describeAlarms = z.object({
  AlarmNames: z.array(z.string()).optional(),
  AlarmNamePrefix: z.string().default(''),
  StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']).optional(),
});
const describeAlarmHistory = z.object({ AlarmName: z.string().optional() });

/** A value of an answer, with times as dates. */
type Value = object;

/** @param alarms the alarms as they are at each call @param changes the oldest first */
function createAlarmApi(alarms: readonly AlarmNow[], changes: readonly AlarmChange[]): AwsApi {
  const operations: Readonly<Record<string, (input: unknown) => Value>> = {
    DescribeAlarms(input) {
      const { AlarmNames, AlarmNamePrefix, StateValue } = describeAlarms.parse(input);
      const found = alarms.filter(
        ({ alarm: { name }, state }) =>
          (AlarmNames?.includes(name) ?? true) && name.startsWith(AlarmNamePrefix) && (StateValue ?? state) === state,
      );
      return { MetricAlarms: found.map(described), CompositeAlarms: [] };
    },
    DescribeAlarmHistory(input) {
      const { AlarmName } = describeAlarmHistory.parse(input);
      const found = changes.filter(({ name }) => (AlarmName ?? name) === name);
      return { AlarmHistoryItems: found.map(historyItem).reverse() };
    },
  };

  return {
    signingName: 'monitoring',
    permissions: (call) => [{ action: `cloudwatch:${operationOf(call)}`, resource: '*' }],
    answer(call) {
      const name = operationOf(call);
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (!operation)
        return Promise.resolve(refusal(call, 'UnknownOperation', `${name} is not supported on this machine`));
      const input = bodyOf(call);
      try {
        return Promise.resolve(success(call, operation(input)));
      } catch (error) {
        if (error instanceof z.ZodError)
          return Promise.resolve(refusal(call, 'InvalidParameterValue', z.prettifyError(error)));
        throw error;
      }
    },
  };
}

function described({ alarm, arn, state, reason, since }: AlarmNow): Value {
  return {
    AlarmName: alarm.name,
    AlarmArn: arn,
    AlarmDescription: alarm.description,
    AlarmActions: alarm.actions.ALARM,
    OKActions: alarm.actions.OK,
    InsufficientDataActions: alarm.actions.INSUFFICIENT_DATA,
    StateValue: state,
    StateReason: reason,
    StateUpdatedTimestamp: since,
    Threshold: alarm.threshold,
    ComparisonOperator: alarm.operator,
    EvaluationPeriods: alarm.evaluationPeriods,
    DatapointsToAlarm: alarm.datapointsToAlarm,
    TreatMissingData: 'notBreaching',
  };
}

function historyItem({ name, from, to, reason, at }: AlarmChange): Value {
  return {
    AlarmName: name,
    AlarmType: 'MetricAlarm',
    Timestamp: at,
    HistoryItemType: 'StateUpdate',
    HistorySummary: `Alarm updated from ${from} to ${to}`,
    HistoryData: JSON.stringify({
      version: '1.0',
      oldState: { stateValue: from },
      newState: { stateValue: to, stateReason: reason },
    }),
  };
}

const CBOR_PATH = /^\/service\/GraniteServiceVersion20100801\/operation\/(\w+)$/;

const isCbor = ({ path }: AwsCall) => CBOR_PATH.test(path);

function operationOf({ path, headers }: AwsCall): string {
  const target = headers['x-amz-target'];
  return CBOR_PATH.exec(path)?.[1] ?? (typeof target === 'string' ? target : '').split('.').at(-1) ?? '';
}

/** @returns undefined for a body that can't be read */
function bodyOf(call: AwsCall): unknown {
  try {
    if (!isCbor(call)) return JSON.parse(call.body.toString());
    return call.body.length === 0 ? {} : (cbor.deserialize(call.body) as unknown);
  } catch {
    return undefined;
  }
}

function success(call: AwsCall, value: Value): AwsAnswer {
  if (isCbor(call)) return inCbor(200, value);
  return {
    status: 200,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    // Times are Unix seconds.
    body: JSON.stringify(withDates(value, (date) => date.getTime() / 1000)),
  };
}

function refusal(call: AwsCall, code: string, message: string): AwsAnswer {
  if (!isCbor(call)) return failure('json', 400, code, message);
  return inCbor(400, { __type: `com.amazonaws.cloudwatch#${code}`, message });
}

const inCbor = (status: number, value: Value): AwsAnswer => ({
  status,
  headers: { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor' },
  body: Buffer.from(cbor.serialize(withDates(value, dateToTag))),
});

function withDates(value: unknown, write: (date: Date) => unknown): unknown {
  if (value instanceof Date) return write(value);
  if (Array.isArray(value)) return value.map((one) => withDates(one, write));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withDates(one, write)]));
}
