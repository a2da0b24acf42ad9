import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { runbookPath, type AlarmDefinition, type Urgency } from '../functions/alarm-definition';

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
