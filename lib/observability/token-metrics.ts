import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { listRoutes, type EndpointTable } from '../rest/endpoint-routes';
import type { RestApi } from '../rest/rest-api';

/** A metric of a method, such as `5XXError`. */
export type MethodMetric = (metricName: string, options: MetricOptions) => Metric;

/**
 * Metrics of the endpoints that issue tokens. API Gateway sends those of a method only where the stage enables them (developer
 * guide, "Amazon API Gateway dimensions and metrics").
 */
export function tokenMetrics({ api }: RestApi, table: EndpointTable): MethodMetric[] {
  return listRoutes(table)
    .filter(({ endpoint }) => endpoint.scope === null)
    .map(({ method, path }): MethodMetric => {
      const dimensionsMap = {
        ApiName: api.restApiName,
        Stage: api.deploymentStage.stageName,
        Method: method,
        Resource: path,
      };
      return (metricName, options) =>
        new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap, ...options });
    });
}
