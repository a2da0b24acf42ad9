import type { Construct } from 'constructs';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type Capability, ERRORS, metricVariables, REFUSALS, THROTTLES } from '../../contract/terms/metrics';
import { capitalised } from '../../domain/values/text';
import { defineAlarm, period, type Suffering } from './alarm-definitions';
import type { ApiFunction } from './api-function';
import type { RefusalCode } from '../../domain/values/refusal';
import { Stack } from 'aws-cdk-lib/core';

/** More than a deployment or a single faulty message causes. */
export const MAX_ERRORS = 5;

/**
 * Counts the lines of level ERROR of a function as errors of a capability, for the alarm of {@link alarmOnErrors}. The lines
 * carry the metric themselves, so it is no resource, and costs nothing without errors.
 */
export function countErrors(failing: ApiFunction, capability: Capability): void {
  setNamespace(failing);
  failing.lambda.addEnvironment(metricVariables.capability, capability);
}

/**
 * Defines the alarm `<Capability>Errors` over all functions of {@link countErrors}.
 * @param unlogged metrics of failures that no line says, such as a time-out, by name. They have data only for periods with
 *   invocations, and a sum has no data where one operand has none, hence FILL
 */
export function alarmOnErrors(
  scope: Construct,
  capability: Capability,
  suffering: Suffering,
  unlogged: Readonly<Record<string, IMetric>> = {},
): void {
  const lines = lineMetric(scope, ERRORS, capability);
  const usingMetrics = { lines, ...unlogged };
  const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  defineAlarm(scope, {
    name: `${capitalised(capability)}Errors`,
    group: 'channels',
    ...suffering,
    metric: terms.length === 1 ? lines : new MathExpression({ expression: terms.join(' + '), usingMetrics, period }),
    threshold: MAX_ERRORS,
  });
}

/** Counts the lines of functions that refuse for a reason. @returns their number, of all functions together */
export function countRefusals(scope: Construct, refusing: readonly ApiFunction[], reason: RefusalCode): Metric {
  for (const one of refusing) {
    setNamespace(one);
    one.lambda.addEnvironment(metricVariables.reason, reason);
  }
  return lineMetric(scope, REFUSALS, reason);
}

/** The stack's name, so that stages of an account are apart. */
const setNamespace = (counting: ApiFunction): void => {
  counting.lambda.addEnvironment(metricVariables.namespace, Stack.of(counting).stackName);
};
export function lineMetric(
  scope: Construct,
  { name, dimension }: typeof ERRORS | typeof THROTTLES | typeof REFUSALS,
  value: string,
): Metric {
  return new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: name,
    dimensionsMap: { [dimension]: value },
    statistic: 'Sum',
    period,
  });
}
