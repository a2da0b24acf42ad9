import type { Construct } from 'constructs';
import { THROTTLES, type Capability } from '../../contract/terms/metrics';
import { capitalised } from '../../domain/values/text';
import { defineAlarm, type Suffering } from './alarm-definitions';
import { lineMetric, MAX_ERRORS } from './error-alarm';

/**
 * Defines the alarm `<Capability>Throttled` over the calls of the functions of {@link countErrors} that DynamoDB
 * throttles: clients are told to come back, so no line says an error, however long it lasts.
 */
export function alarmOnThrottles(scope: Construct, capability: Capability, suffering: Suffering): void {
  defineAlarm(scope, {
    name: `${capitalised(capability)}Throttled`,
    group: 'channels',
    ...suffering,
    metric: lineMetric(scope, THROTTLES, capability),
    threshold: MAX_ERRORS,
    twoOfThree: true,
  });
}
