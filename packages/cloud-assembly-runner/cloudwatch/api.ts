/**
 * CloudWatch API reference, DescribeAlarms and DescribeAlarmHistory, in the protocols of the AWS command line and the
 * SDKs: Smithy RPC v2 CBOR, and AWS JSON 1.0.
 */
import { cbor, dateToTag } from '@smithy/core/cbor';
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import type { AlarmChange, AlarmNow } from '.';

const describeAlarms = z.object({
  AlarmNames: z.array(z.string()).optional(),
  AlarmNamePrefix: z.string().default(''),
  StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']).optional(),
});
const describeAlarmHistory = z.object({ AlarmName: z.string().optional() });

/** A value of an answer, with times as dates. */
type Value = object;

/** @param alarms the alarms as they are at each call @param changes the oldest first */
export function createAlarmApi(alarms: readonly AlarmNow[], changes: readonly AlarmChange[]): AwsApi {
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
