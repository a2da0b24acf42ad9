/**
 * When an alarm fires: CloudWatch user guide, "Alarm evaluation" and "Alarm evaluation window" (the window slides with each
 * evaluation). Missing data is within the threshold; that CloudWatch then looks further back for data is left out.
 */
import { operators, statistics, type Alarm, type AlarmTerm } from './alarm';
import type { Series } from './metrics';

export interface Evaluation {
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
