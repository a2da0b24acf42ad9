import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { runbookPath, type AlarmDefinition, type Urgency, defineAlarm, period } from '../functions/alarm-definitions';
import { Function } from 'aws-cdk-lib/aws-lambda';
import type { EndpointTable } from '../rest/endpoint-routes';
import type { RestApi } from '../rest/rest-api';
import { tokenMetrics } from './token-metrics';

/** ARNs of the SNS topics to notify, when an alarm fires and when it is over. */
export type AlarmTopics = Readonly<Record<Urgency, string | undefined>>;

export interface AlarmsProps {
  readonly definitions: readonly AlarmDefinition[];
  readonly topics: AlarmTopics;
}

/** CloudWatch alarms, each described by its impact on partners and by the page that says what to do. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, { definitions, topics }: AlarmsProps) {
    super(scope, id);
    const action = (topicId: string, arn: string | undefined) =>
      arn === undefined ? [] : [new SnsAction(Topic.fromTopicArn(this, topicId, arn))];
    const actions = { page: action('PageTopic', topics.page), ticket: action('TicketTopic', topics.ticket) };
    this.all = definitions.map(({ name, urgency, impact, metric, threshold, twoOfThree = false }) => {
      const alarm = new Alarm(this, name, {
        alarmDescription: `${impact}. ${runbookPath(name)}`,
        metric,
        threshold,
        ...(twoOfThree ? { evaluationPeriods: 3, datapointsToAlarm: 2 } : { evaluationPeriods: 1 }),
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(...actions[urgency]);
      alarm.addOkAction(...actions[urgency]);
      return alarm;
    });
  }
}

interface ServiceAlarmsProps {
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
