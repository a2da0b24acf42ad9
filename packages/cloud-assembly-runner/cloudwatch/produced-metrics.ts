import type { MetricName } from './metrics';

/**
 * Metrics that services of this machine publish, by namespace, with their dimensions in order: API Gateway developer
 * guide, "Amazon API Gateway dimensions and metrics" and "Monitor WebSocket API execution with CloudWatch metrics";
 * Lambda developer guide, "Types of metrics for Lambda functions"; SQS developer guide, "Available CloudWatch metrics
 * for Amazon SQS".
 */
const produced: Readonly<
  Record<string, readonly { readonly names: readonly string[]; readonly by: readonly string[] }[]>
> = {
  'AWS/ApiGateway': [
    { names: ['Count', '4XXError', '5XXError'], by: ['ApiName,Stage', 'ApiName,Method,Resource,Stage'] },
    {
      names: ['ConnectCount', 'MessageCount', 'ClientError', 'IntegrationError', 'ExecutionError'],
      by: ['ApiId,Stage'],
    },
  ],
  'AWS/Lambda': [
    { names: ['Invocations', 'Errors', 'Throttles', 'Duration'], by: ['', 'FunctionName'] },
    { names: ['IteratorAge', 'AsyncEventAge'], by: ['FunctionName'] },
  ],
  'AWS/SQS': [{ names: ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'], by: ['QueueName'] }],
};

/** Whether something on this machine publishes a metric; functions publish those of namespaces that are not of AWS. */
export function isProduced({ namespace, name, dimensions }: MetricName): boolean {
  if (!namespace.startsWith('AWS/')) return true;
  const by = Object.keys(dimensions).sort().join();
  return (produced[namespace] ?? []).some((one) => one.names.includes(name) && one.by.includes(by));
}
