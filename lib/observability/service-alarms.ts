import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { EndpointTable } from '../rest/endpoint-table';
import type { RestApi } from '../rest/rest-api';
import { defineAlarm, period } from './alarm-definition';
import { tokenMetrics } from './token-metrics';

export interface ServiceAlarmsProps {
  readonly api: RestApi;
  readonly table: EndpointTable;
}

/**
 * Defines the alarms of calls over REST. API Gateway counts each failure of a function, the authorizer included, as a reply
 * with 500, so no endpoint has an alarm of its own.
 */
export function defineServiceAlarms(scope: Construct, { api, table }: ServiceAlarmsProps): void {
  const define = (name: string, impact: string, metric: IMetric, threshold: number) => {
    defineAlarm(scope, { name, group: 'calls', impact, metric, threshold });
  };
  const errors = api.api.deploymentStage.metricServerError({ period, statistic: 'Sum' });
  define('Failures', 'Partners get 500 on some calls', errors, 5);
  define(
    'NoCapacity',
    'Partners get 500, and changes come late: Lambda’s concurrency is used up, by this stage or another of the account and region',
    Function.metricAllThrottles({ period }),
    1,
  );
  for (const metric of tokenMetrics(api, table))
    define(
      'NoTokens',
      'Partners get no tokens; those they have expire within the hour, and then every call fails',
      metric('5XXError', { period, statistic: 'Sum' }),
      3,
    );
}
