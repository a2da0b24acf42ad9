/** Errors of DynamoDB for calls beyond its throughput (developer guide, "Error handling with DynamoDB"). */
const throttles: readonly unknown[] = [
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
];

/** Whether DynamoDB refused a call, which it has not done then, after every attempt of the SDK. */
export const isThrottled = (error: unknown): boolean => error instanceof Error && throttles.includes(error.name);
