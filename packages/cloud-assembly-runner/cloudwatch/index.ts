/** Amazon CloudWatch: evaluates the alarms of a template, once a minute as AWS does, on metrics that services here publish. */
import type { AwsApi, Service } from '../service';
import { alarmOf, evaluate, type Alarm, type AlarmState } from './alarm';
import { createAlarmApi } from './api';
import type { MetricStore, Series } from './metrics';

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
export interface AlarmNow {
  readonly alarm: Alarm;
  readonly arn: string;
  state: AlarmState;
  reason: string;
  since: Date;
}

/** A change of an alarm's state. */
export interface AlarmChange {
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
