import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmDefinition } from './alarm-definition';

export interface AlarmsProps {
  readonly definitions: readonly AlarmDefinition[];
  /** ARN of the SNS topic to notify. */
  readonly topicArn: string | undefined;
}

/** CloudWatch alarms, each described by its impact on partners. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, { definitions, topicArn }: AlarmsProps) {
    super(scope, id);
    const action = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
    this.all = definitions.map(({ name, impact, metric, threshold }) => {
      const alarm = new Alarm(this, name, {
        alarmDescription: `${impact}.`,
        metric,
        threshold,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      if (action) alarm.addAlarmAction(action);
      return alarm;
    });
  }
}
