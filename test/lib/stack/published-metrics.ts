import { environmentOf, ownFunctions } from '../permissions';
import { referred, type Synthesised } from '../synthesised';

export interface AlarmMetric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

export interface PublishedMetric {
  readonly namespace: string;
  readonly name: string;
  /** Sorted; a metric with other dimensions is another metric, which may have no data. */
  readonly dimensions: readonly string[];
  /** The page of AWS that lists it. */
  readonly page: string;
  /** Whether it gets data in a deployment of the stack. */
  readonly occurs: (metric: AlarmMetric, stack: Synthesised) => boolean;
}

const apiGateway = 'API Gateway developer guide, "Amazon API Gateway dimensions and metrics"';
const webSocket = 'API Gateway developer guide, "Monitor WebSocket API execution with CloudWatch metrics"';
const lambda = 'Lambda developer guide, "Types of metrics for Lambda functions"';
const sqs = 'SQS developer guide, "Available CloudWatch metrics for Amazon SQS"';
const logLine = 'CloudWatch user guide, "Specification: Embedded metric format"';

/** Metrics that alarms may read: in the words of AWS's pages, and with what each needs in the template. */
export const publishedMetrics: readonly PublishedMetric[] = [
  published('AWS/ApiGateway', '5XXError', ['ApiName', 'Stage'], apiGateway, isRestStage),
  // Only for methods whose detailed metrics are enabled.
  published(
    'AWS/ApiGateway',
    '5XXError',
    ['ApiName', 'Method', 'Resource', 'Stage'],
    apiGateway,
    (metric, stack) => isRestStage(metric, stack) && hasMethodMetrics(metric, stack),
  ),
  published('AWS/ApiGateway', 'ExecutionError', ['ApiId', 'Stage'], webSocket, (metric, stack) =>
    isOfType(valueOf(metric, 'ApiId'), 'AWS::ApiGatewayV2::Api', stack),
  ),
  published('AWS/Lambda', 'Errors', ['FunctionName'], lambda, isFunction),
  published('AWS/Lambda', 'Throttles', [], lambda, () => true),
  published('AWS/Lambda', 'IteratorAge', ['FunctionName'], lambda, (metric, stack) =>
    ofType('AWS::Lambda::EventSourceMapping', stack).some(
      (mapping) => 'StartingPosition' in mapping && referred(mapping['FunctionName']) === functionOf(metric),
    ),
  ),
  // Only for functions that are invoked asynchronously.
  published('AWS/Lambda', 'AsyncEventAge', ['FunctionName'], lambda, (metric, stack) =>
    ofType('AWS::Events::Rule', stack)
      .flatMap((rule) => (rule['Targets'] ?? []) as { Arn: unknown }[])
      .some(({ Arn }) => referred(Arn) === functionOf(metric)),
  ),
  published('AWS/SQS', 'ApproximateNumberOfMessagesVisible', ['QueueName'], sqs, (metric, stack) =>
    isOfType(valueOf(metric, 'QueueName'), 'AWS::SQS::Queue', stack),
  ),
  published('DroneMissionApi', 'Errors', ['capability'], logLine, isCountedBy('capability', 'CAPABILITY')),
  published('DroneMissionApi', 'Throttles', ['capability'], logLine, isCountedBy('capability', 'CAPABILITY')),
  published('DroneMissionApi', 'Refusals', ['reason'], logLine, isCountedBy('reason', 'COUNTED_REASON')),
];

function published(
  namespace: string,
  name: string,
  dimensions: readonly string[],
  page: string,
  occurs: PublishedMetric['occurs'],
): PublishedMetric {
  return { namespace, name, dimensions, page, occurs };
}

const valueOf = ({ Dimensions = [] }: AlarmMetric, name: string): unknown =>
  Dimensions.find(({ Name }) => Name === name)?.Value;

const functionOf = (metric: AlarmMetric): string => referred(valueOf(metric, 'FunctionName'));

const ofType = (type: string, { resources }: Synthesised) =>
  Object.values(resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

const isOfType = (value: unknown, type: string, { resources }: Synthesised): boolean =>
  resources[referred(value)]?.Type === type;

function isFunction(metric: AlarmMetric, stack: Synthesised): boolean {
  return isOfType(valueOf(metric, 'FunctionName'), 'AWS::Lambda::Function', stack);
}

function isRestStage(metric: AlarmMetric, stack: Synthesised): boolean {
  const names = ofType('AWS::ApiGateway::RestApi', stack).map(({ Name }) => JSON.stringify(Name));
  return (
    names.includes(JSON.stringify(valueOf(metric, 'ApiName'))) &&
    isOfType(valueOf(metric, 'Stage'), 'AWS::ApiGateway::Stage', stack)
  );
}

/** CloudFormation writes `/` in a path of a stage's method settings as `~1`. */
function hasMethodMetrics(metric: AlarmMetric, stack: Synthesised): boolean {
  const path = `/${String(valueOf(metric, 'Resource')).replaceAll('/', '~1')}`;
  return ofType('AWS::ApiGateway::Stage', stack)
    .flatMap((stage) => (stage['MethodSettings'] ?? []) as Record<string, unknown>[])
    .some(
      ({ HttpMethod, ResourcePath, MetricsEnabled }) =>
        HttpMethod === valueOf(metric, 'Method') && ResourcePath === path && MetricsEnabled === true,
    );
}

/** Whether a function has the variables with which its lines carry the metric (`test/lambdas/runtime/embedded-metric.test.ts`). */
function isCountedBy(dimension: string, variable: string): PublishedMetric['occurs'] {
  return (metric, stack) =>
    Object.values(ownFunctions(stack)).some((one) => {
      const environment = environmentOf(one);
      return (
        environment[variable] === valueOf(metric, dimension) && environment['METRIC_NAMESPACE'] === metric.Namespace
      );
    });
}
