import { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { EndpointTable } from '../rest/endpoint-routes';
import type { RestApi } from '../rest/rest-api';
import { defineAlarm, period, type AlarmDefinition } from '../functions/alarm-definition';
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
  const define = (alarm: Omit<AlarmDefinition, 'group' | 'urgency'>) => {
    defineAlarm(scope, { group: 'calls', urgency: 'page', ...alarm });
  };
  define({
    name: 'Failures',
    impact: 'Partners get 500 on some calls',
    metric: api.api.deploymentStage.metricServerError({ period, statistic: 'Sum' }),
    threshold: 5,
  });
  define({
    name: 'NoCapacity',
    // By this stage, or another of the account and region.
    impact: 'Partners get 500, and changes come late: Lambda’s concurrency is used up',
    metric: Function.metricAllThrottles({ period }),
    threshold: 1,
    twoOfThree: true,
  });
  for (const metric of tokenMetrics(api, table))
    define({
      name: 'NoTokens',
      impact: 'Partners get no tokens, and within the hour every call fails',
      metric: metric('5XXError', { period, statistic: 'Sum' }),
      threshold: 3,
    });
}
