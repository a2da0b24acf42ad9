import { ERRORS, metricVariables, REFUSALS, THROTTLES } from '../../contract/terms/metrics';

type Environment = Readonly<Record<string, string | undefined>>;

interface Line {
  readonly level: string;
  readonly reason: string | undefined;
  readonly throttled: boolean;
  readonly at: number;
}

/**
 * Fields that make CloudWatch Logs count a line: its embedded metric format, of one metric with one dimension. Nothing is
 * written, and nothing is charged, until there is such a line (CloudWatch user guide, "Specification: Embedded metric format").
 * @param environment of the function, which says what it counts
 * @param line its level, the reason of a refusal that it is about, whether it is about a throttled call, and its time in ms
 * @returns undefined for a line that this function does not count
 */
export function embeddedMetric(environment: Environment, { level, reason, throttled, at }: Line): object | undefined {
  const namespace = environment[metricVariables.namespace];
  const capability = environment[metricVariables.capability];
  if (level === 'ERROR' && capability !== undefined) return countMetric(ERRORS, capability, { namespace, at });
  if (throttled && capability !== undefined) return countMetric(THROTTLES, capability, { namespace, at });
  if (reason !== undefined && reason === environment[metricVariables.reason])
    return countMetric(REFUSALS, reason, { namespace, at });
  return undefined;
}

function countMetric(
  { name, dimension }: typeof ERRORS | typeof THROTTLES | typeof REFUSALS,
  value: string,
  { namespace, at }: { readonly namespace: string | undefined; readonly at: number },
): object {
  const directive = {
    Namespace: namespace,
    Dimensions: [[dimension]],
    Metrics: [{ Name: name, Unit: 'Count' }],
  };
  return { _aws: { Timestamp: at, CloudWatchMetrics: [directive] }, [dimension]: value, [name]: 1 };
}
