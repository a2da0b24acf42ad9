/** Things that partners suffer when a function fails in a way that only its log says; each is one custom metric. */
export type Capability = 'sockets' | 'mqtt' | 'status';

/** Custom metrics that log lines carry, with the dimension of each. */
export const ERRORS = { name: 'Errors', dimension: 'capability' } as const;
export const THROTTLES = { name: 'Throttles', dimension: 'capability' } as const;
export const REFUSALS = { name: 'Refusals', dimension: 'reason' } as const;

/** Environment variables that say which lines of a function are counted, and in which namespace. Without them none is. */
export const metricVariables = {
  namespace: 'METRIC_NAMESPACE',
  /** Lines of level ERROR, as {@link ERRORS} of this capability, and those that are `throttled`, as {@link THROTTLES}. */
  capability: 'CAPABILITY',
  /** Lines with this `reason`, as {@link REFUSALS}. */
  reason: 'COUNTED_REASON',
} as const;
